// Tells a learning management system what a learner reaches: the events of <loop-scope> become calls of SCORM 1.2, or statements of cmi5 or xAPI.
// loopscope-lms.d.ts documents every name. What the two libraries of xAPI weigh is loaded only where they are needed.
import { scormTarget } from "./scorm12.js";

/** Follows an element's events. A target says what happens at each; what it does is done in order, one after the other. */
function follow(element, target, options = {}) {
  const { passing = 1, onError = (error) => console.error("loopscope-lms:", error) } = options;
  if (typeof element?.addEventListener !== "function") throw new TypeError("an element that sends the events of <loop-scope> is needed");
  let last = Promise.resolve();
  let isClosed = false;
  let hasPassed = false;
  const then = (work) => {
    // A target that works at once must not wait: a page that is left has no later.
    const done = target.isImmediate ? attempt(work) : last.then(work);
    last = Promise.resolve(done).catch(onError);
    return last;
  };
  const share = ({ score, max }) => (max > 0 ? Math.min(1, Math.max(0, score / max)) : 0);
  const on = (name, handle) => {
    const listener = ({ detail }) => void (isClosed || handle(detail ?? {}));
    element.addEventListener(`loopscope-${name}`, listener);
    return () => element.removeEventListener(`loopscope-${name}`, listener);
  };
  const listeners = [
    on("goal", (goal) => then(() => target.goal?.(goal))),
    on("progress", (detail) => then(() => target.progress?.(share(detail)))),
    on("complete", (detail) => {
      // The first pass counts. Before it, every result is told, because a later one may be better.
      if (hasPassed) return;
      const scaled = share(detail);
      const passed = scaled >= (target.mastery?.() ?? passing);
      hasPassed = passed;
      void then(() => target.complete({ scaled, passed, score: detail.score, max: detail.max, state: detail.state }));
    }),
  ];
  const close = () => {
    if (!isClosed) {
      isClosed = true;
      listeners.forEach((stop) => stop());
      globalThis.removeEventListener?.("pagehide", close);
      void then(() => target.close());
    }
    return last;
  };
  globalThis.addEventListener?.("pagehide", close);
  return { close, settled: () => last, kind: target.kind };
}

function attempt(work) {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Connects to the SCORM 1.2 API of the window, its parents or its opener. */
export async function connectScorm(element, options = {}) {
  const target = scormTarget(element, options);
  return follow(element, target, options);
}

/** Connects to the LRS that launched this page as an assignable unit of cmi5. */
export async function connectCmi5(element, options = {}) {
  const { cmi5Target } = await import("./cmi5.js");
  return follow(element, await cmi5Target(options), options);
}

/** Sends statements to an LRS. */
export async function connectXapi(element, options = {}) {
  const { xapiTarget } = await import("./xapi.js");
  return follow(element, await xapiTarget(options), options);
}

/** Connects to whatever launched this page: cmi5 by its parameters, SCORM 1.2 by its API; null if it was nobody. */
export async function connect(element, options = {}) {
  const parameters = new URLSearchParams(globalThis.location?.search ?? "");
  if (["endpoint", "fetch", "actor", "registration", "activityId"].every((name) => parameters.has(name))) return connectCmi5(element, options);
  try {
    return await connectScorm(element, options);
  } catch (error) {
    if (error?.code === "no-api") return null;
    throw error;
  }
}
