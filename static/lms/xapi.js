// Statements of xAPI by @xapi/xapi, for an LRS that the author knows: each goal that is reached or missed, and the result, with the share state as evidence.
import XAPI from "@xapi/xapi";

const STATE_EXTENSION = "urn:loopscope:share-state";

/** Seconds as ISO 8601. */
const duration = (ms) => `PT${(Math.max(0, ms) / 1000).toFixed(2)}S`;

export async function xapiTarget({ endpoint, auth, actor, activity, registration, xapi = new XAPI({ endpoint, auth }) }) {
  if (!actor || !activity?.id) throw new TypeError("actor and activity.id are needed");
  const started = Date.now();
  const object = { objectType: "Activity", id: activity.id, definition: { type: "http://adlnet.gov/expapi/activities/simulation", name: activity.name ?? {} } };
  const send = (verb, result, about = object) => {
    const context = registration ? { context: { registration } } : {};
    return xapi.sendStatement({ statement: { actor, verb, object: about, result: { duration: duration(Date.now() - started), ...result }, ...context } });
  };
  const verbs = XAPI.Verbs;
  await send(verbs.INITIALIZED, {});
  let isCompleted = false;
  return {
    kind: "xapi",
    async goal({ id, status }) {
      if (status !== "reached" && status !== "missed") return;
      const goal = { ...object, id: `${activity.id}/goals/${encodeURIComponent(id)}`, definition: { type: "http://adlnet.gov/expapi/activities/objective", name: { en: String(id) } } };
      await send(status === "reached" ? verbs.PASSED : verbs.FAILED, { success: status === "reached" }, goal);
    },
    async progress() {},
    async complete({ scaled, passed, score, max, state }) {
      const extensions = state === undefined ? {} : { extensions: { [STATE_EXTENSION]: state } };
      if (!isCompleted) {
        isCompleted = true;
        await send(verbs.COMPLETED, { completion: true, ...extensions });
      }
      await send(passed ? verbs.PASSED : verbs.FAILED, { success: passed, score: { scaled, raw: score, min: 0, max }, ...extensions });
    },
    async close() {
      await send(verbs.TERMINATED, {});
    },
  };
}
