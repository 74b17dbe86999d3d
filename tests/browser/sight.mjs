// What a person can really see: inside the window, and not under something else.
import assert from "node:assert/strict";

/** The sizes at which the page is looked at. */
export const SIZES = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/** The words for a size, for the names of tests. */
export const named = ({ width, height }) => `${width}×${height}`;

/** Whether a size is one at which a single pane is shown. */
export const isNarrow = ({ width }) => width < 736;

/** Fails unless the whole element is inside the window and is what a click in its middle would hit. */
export async function assertInSight(locator, what) {
  await locator.waitFor();
  const problem = await locator.evaluate((element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    const place = `${Math.round(left)},${Math.round(top)} to ${Math.round(right)},${Math.round(bottom)} in ${innerWidth}×${innerHeight}`;
    if (width < 1 || height < 1) return `has no size: ${place}`;
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) return `is not in the window: ${place}`;
    const hit = element.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
    return hit && (element === hit || element.contains(hit)) ? "" : `is covered by ${hit?.tagName}.${hit?.className}: ${place}`;
  });
  assert.equal(problem, "", what ?? String(locator));
}
