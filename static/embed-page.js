// The page on which course authors configure an embed, preview it, and copy a snippet for their own system.

const form = document.querySelector("form");
const preview = document.querySelector("#preview");
const contract = await (await fetch("./embed-contract.json")).json();
const chosen = ["cluster", "loop"];

const option = (value, text = value) => Object.assign(document.createElement("option"), { value, textContent: text });
form.example.append(...Object.entries(contract.examples).map(([name, title]) => option(name, title)));

/** Returns the choices of the form as attributes, without those that are the default. */
function attributes() {
  const data = new FormData(form);
  const given = { example: data.get("example"), panels: chosen.join(","), controls: data.get("controls"), theme: data.get("theme"), speed: data.get("speed") };
  const usual = { example: "replicaset-my-app", controls: "minimal", theme: "auto", speed: "auto" };
  const kept = Object.entries(given).filter(([name, value]) => value && value !== usual[name]);
  for (const name of ["readonly", "paused"]) if (data.has(name)) kept.push([name, ""]);
  return { kept, width: Number(data.get("width")) || 720, height: Number(data.get("height")) || 480, loading: data.get("loading") };
}

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const here = (name) => new URL(name, location.href.split(/[?#]/)[0]).href;

function address({ kept }) {
  const url = new URL(here("index.html"));
  url.searchParams.set("embed", "1");
  for (const [name, value] of kept) url.searchParams.set(name, value === "" ? "1" : value);
  // Commas are allowed in a query, and are easier to read.
  return url.href.replaceAll("%2C", ",");
}

function element(settings) {
  const { kept, width, height, loading } = settings;
  const all = [...kept, ["height", height], ...(loading === "lazy" ? [] : [["loading", loading]])];
  const text = all.map(([name, value]) => (value === "" ? name : `${name}="${escaped(value)}"`)).join(" ");
  return `<script type="module" src="${escaped(here("loop-scope.js"))}"></script>\n<loop-scope ${text} style="max-width: ${width}px">\n  <a href="${escaped(address(settings))}">Open the cluster</a>\n</loop-scope>`;
}

const frame = (settings, style = "") =>
  `<iframe src="${escaped(address(settings))}" title="Loopscope: a Kubernetes cluster" width="${settings.width}" height="${settings.height}" loading="lazy" sandbox="allow-scripts allow-popups"${style}></iframe>`;

/** The snippet for each system, and a hint about it. */
const KINDS = {
  HTML: [element, "Paste it anywhere in the page. The script is the same for every cluster on it."],
  "HTML, only an iframe": [frame, "For systems that allow no scripts of their own."],
  Markdown: [frame, "Most Markdown allows HTML. Leave an empty line before and after it."],
  "MDX (Docusaurus)": [(settings) => frame(settings).replaceAll("&amp;", "&"), "JSX knows the same attributes."],
  mdBook: [frame, "Paste it into the chapter. mdBook hands HTML on as it is."],
  Hugo: [
    (settings) => `<!-- layouts/shortcodes/loopscope.html -->\n<iframe src="${escaped(here("index.html"))}?embed=1&amp;{{ .Get 0 | safeURL }}" title="Loopscope: a Kubernetes cluster" width="100%" height="{{ .Get 1 | default 480 }}" loading="lazy" sandbox="allow-scripts allow-popups"></iframe>\n\n<!-- in a page -->\n{{< loopscope "${new URL(address(settings)).search.replace("?embed=1&", "").replaceAll("%2C", ",")}" ${settings.height} >}}`,
    "A shortcode of your site, once, and a line in each page.",
  ],
  "reveal.js": [
    (settings) => `<section>\n  <h2>Delete a pod</h2>\n  <iframe data-src="${escaped(address(settings))}" title="Loopscope: a Kubernetes cluster" width="${settings.width}" height="${settings.height}"></iframe>\n</section>`,
    "data-src loads it when the slide comes up. size=large in the address suits a lecture hall.",
  ],
  Jupyter: [
    (settings) => `from IPython.display import IFrame\nIFrame("${address(settings)}", width=${settings.width}, height=${settings.height})`,
    "In a code cell; the output is kept in the notebook.",
  ],
  Moodle: [
    (settings) => frame(settings, ' style="border: 0; max-width: 100%"'),
    "In the editor of a page or label: show more buttons, HTML, paste. Where iframes are filtered, an administrator allows this host.",
  ],
};

document.querySelector("#kind").append(...Object.keys(KINDS).map((name) => option(name)));

function showChosen() {
  const item = (name, place) => {
    const button = (text, label, onclick, disabled) => Object.assign(document.createElement("button"), { type: "button", textContent: text, ariaLabel: `${label} ${name}`, disabled, onclick });
    const move = (by) => () => {
      chosen.splice(place + by, 0, ...chosen.splice(place, 1));
      show();
    };
    const li = document.createElement("li");
    const remove = () => {
      chosen.splice(place, 1);
      show();
    };
    li.append(
      Object.assign(document.createElement("span"), { textContent: name }),
      button("↑", "Move up", move(-1), place === 0),
      button("↓", "Move down", move(1), place === chosen.length - 1),
      button("×", "Remove", remove, chosen.length === 1),
    );
    return li;
  };
  document.querySelector("#chosen").replaceChildren(...chosen.map(item));
  const rest = contract.panels.filter((name) => !chosen.includes(name));
  form.add.replaceChildren(option("", "choose …"), ...rest.map((name) => option(name)));
}

function showSnippet() {
  const [make, advice] = KINDS[document.querySelector("#kind").value];
  document.querySelector("#snippet").textContent = make(attributes());
  document.querySelector("#advice").textContent = advice;
  document.querySelector("#told").textContent = "";
}

function showPreview() {
  const { kept, width, height } = attributes();
  const element = document.createElement("loop-scope");
  for (const [name, value] of kept) element.setAttribute(name, value);
  element.setAttribute("height", height);
  element.setAttribute("loading", "eager");
  element.style.width = `${width}px`;
  element.style.maxWidth = "100%";
  preview.replaceChildren(element);
}

let later;
function show() {
  showChosen();
  showSnippet();
  clearTimeout(later);
  later = setTimeout(showPreview, 300);
}

form.add.addEventListener("change", (event) => {
  event.stopPropagation();
  if (form.add.value) chosen.push(form.add.value);
  show();
});
form.addEventListener("change", show);
form.addEventListener("submit", (event) => event.preventDefault());
document.querySelector("#kind").addEventListener("change", showSnippet);
document.querySelector("#copy").addEventListener("click", async () => {
  const told = document.querySelector("#told");
  try {
    await navigator.clipboard.writeText(document.querySelector("#snippet").textContent);
    told.textContent = "Copied.";
  } catch {
    told.textContent = "Copying is not allowed here: select the snippet and copy it.";
  }
});
show();
showPreview();
clearTimeout(later);
