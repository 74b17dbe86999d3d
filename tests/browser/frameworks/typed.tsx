// What a course page in TypeScript may write, and what it may not.
import type { LoopScope, LoopScopeEvents } from "loopscope";
import { useRef, useState } from "react";
import type { SvelteHTMLElements } from "svelte/elements";

export function Lesson() {
  const element = useRef<LoopScope>(null);
  const [pods, setPods] = useState(0);
  return (
    <>
      <button onClick={async () => console.log((await element.current?.kubectl("kubectl get pods"))?.stdout)}>{pods}</button>
      <loop-scope
        ref={element}
        className="lesson"
        panels={["cluster", "loop"]}
        nodes={3}
        paused
        height={300}
        theme="dark"
        onloopscope-converged={({ detail, target }) => setPods(target ? detail.pods.ready : 0)}
      >
        <a href="/">A link</a>
      </loop-scope>
      {/* @ts-expect-error: there is no such theme. */}
      <loop-scope theme="purple" />
      {/* @ts-expect-error: a list of panels is text. */}
      <loop-scope panels={[1]} />
    </>
  );
}

export const inSvelte: SvelteHTMLElements["loop-scope"] = {
  seed: "7",
  "onloopscope-goal": ({ detail }) => console.log(detail.status),
};

export function byHand(element: HTMLElementTagNameMap["loop-scope"], saved: LoopScopeEvents["complete"]["state"]) {
  element.panels = ["cluster"];
  element.state = saved;
  element.nodes = 5;
  element.readonly = true;
  const panels: string = element.panels;
  const isReady: boolean = element.ready;
  // @ts-expect-error: only the element knows.
  element.ready = true;
  return [panels, isReady];
}
