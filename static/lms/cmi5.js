// The rules of cmi5 by @xapi/cmi5: initialized first, at most one completed and one passed, terminated last, each with its duration.
import Cmi5 from "@xapi/cmi5";

export async function cmi5Target({ cmi5 = new Cmi5() } = {}) {
  await cmi5.initialize();
  const { launchMode, masteryScore } = cmi5.launchData;
  const counts = launchMode === "Normal";
  let isCompleted = false;
  let lastPercent = 0;
  return {
    kind: "cmi5",
    mastery: () => masteryScore,
    async progress(scaled) {
      const percent = Math.floor(scaled * 100);
      // 100 % is told by `completed`.
      if (!counts || isCompleted || percent <= lastPercent || percent >= 100) return;
      lastPercent = percent;
      await cmi5.progress(percent);
    },
    async complete({ scaled, passed }) {
      if (!counts) return;
      if (!isCompleted) {
        isCompleted = true;
        await cmi5.complete();
      }
      await (passed ? cmi5.pass({ scaled }) : cmi5.fail({ scaled }));
    },
    async close() {
      await cmi5.terminate();
    },
  };
}
