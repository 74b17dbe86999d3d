// A small client of SCORM 1.2 (the run-time environment of the specification): it finds the API, reports status, score and time, and ends.

// The specification's own loop gives up after seven windows; deeper nestings exist.
const MOST_PARENTS = 500;
// The data model gives suspend_data so many characters.
const LONGEST_SUSPEND_DATA = 4096;
const TRUE = "true";

class ScormError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "ScormError";
    this.code = code;
  }
}

function apiOf(start) {
  let place = start;
  for (let i = 0; place && i < MOST_PARENTS; i += 1) {
    try {
      if (place.API) return place.API;
    } catch {
      // A window of another origin tells nothing, but its parents may.
    }
    if (place.parent === place) return null;
    place = place.parent;
  }
  return null;
}

function openerOf(place) {
  try {
    return place.top?.opener ?? place.opener;
  } catch {
    return place.opener;
  }
}

/** `HHHH:MM:SS.SS`, the CMITimespan of SCORM 1.2. */
export function timespan(ms) {
  const hundredths = Math.max(0, Math.round(ms / 10));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.min(9999, Math.floor(hundredths / 360_000)), Math.floor(hundredths / 6_000) % 60];
  return `${String(hours).padStart(4, "0")}:${two(minutes)}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}

/** Opens the state that an earlier visit left. A state that no longer opens is no reason not to begin anew. */
async function restoreState(element, text) {
  try {
    await element.setState?.(JSON.parse(text));
  } catch (error) {
    console.warn("loopscope-lms: the state of the last visit could not be opened:", error);
  }
}

export function scormTarget(element, { api = apiOf(globalThis.window) ?? apiOf(openerOf(globalThis.window)), restore = true } = {}) {
  if (!api) throw new ScormError("no-api", "no window here has the API of SCORM 1.2");
  const started = Date.now();
  const call = (name, ...values) => {
    const answer = String(api[name](...values));
    if (answer !== TRUE) {
      const code = api.LMSGetLastError?.() ?? "";
      throw new ScormError(String(code), `${name}(${values.join(", ")}): ${api.LMSGetErrorString?.(code) || "refused"}`);
    }
  };
  const set = (key, value) => call("LMSSetValue", key, String(value));
  const get = (key) => String(api.LMSGetValue(key));

  call("LMSInitialize", "");
  const before = get("cmi.core.lesson_status");
  let isDone = ["passed", "completed"].includes(before);
  if (!isDone) {
    set("cmi.core.lesson_status", "incomplete");
    call("LMSCommit", "");
  }
  const kept = get("cmi.suspend_data");
  if (restore && kept.startsWith("{")) void restoreState(element, kept);

  const report = (scaled) => {
    set("cmi.core.score.min", 0);
    set("cmi.core.score.max", 100);
    set("cmi.core.score.raw", Math.round(scaled * 100));
  };
  return {
    kind: "scorm12",
    isImmediate: true,
    progress(scaled) {
      if (isDone) return;
      report(scaled);
      call("LMSCommit", "");
    },
    complete({ scaled, passed, state }) {
      const text = state === undefined ? "" : JSON.stringify(state);
      if (text && text.length <= LONGEST_SUSPEND_DATA) set("cmi.suspend_data", text);
      if (!isDone) {
        report(scaled);
        set("cmi.core.lesson_status", passed ? "passed" : "failed");
      }
      isDone ||= passed;
      call("LMSCommit", "");
    },
    close() {
      set("cmi.core.session_time", timespan(Date.now() - started));
      set("cmi.core.exit", isDone ? "" : "suspend");
      call("LMSCommit", "");
      call("LMSFinish", "");
    },
  };
}
