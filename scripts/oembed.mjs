// The oEmbed file is read away from the site, where its relative address leads nowhere: `SITE=https://… make build` makes the address whole.

/** Returns the text of the oEmbed file with the whole address of its frame at `site`. */
export function addressed(text, site) {
  const offer = JSON.parse(text);
  const whole = (_, address) => `src="${new URL(address, site.endsWith("/") ? site : `${site}/`).href}"`;
  return `${JSON.stringify({ ...offer, provider_url: site, html: offer.html.replace(/src="([^"]*)"/, whole) }, undefined, 2)}\n`;
}
