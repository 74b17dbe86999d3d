// A course page written with React 19.
import { StrictMode, useRef, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { SCALE, manifest } from "./lesson.mjs";

function Cluster({ name, panels }) {
  const element = useRef(null);
  const [replicas, setReplicas] = useState(2);
  const [theme, setTheme] = useState("light");
  const [ready, setReady] = useState(0);
  const [pods, setPods] = useState("none");
  const [said, setSaid] = useState("nothing");
  const [saved, setSaved] = useState(null);
  return (
    <section aria-label={name}>
      <button onClick={() => setReplicas(replicas + 1)}>More replicas</button>
      <button onClick={() => setTheme("dark")}>Dark</button>
      <button onClick={async () => setSaid((await element.current.kubectl(SCALE)).stdout)}>Scale</button>
      <button onClick={async () => setSaved(await element.current.getState())}>Save</button>
      <button onClick={() => element.current.setState(saved).then(({ commands }) => setSaid(`${commands} commands`))}>Restore</button>
      <p>Ready: {ready}. Converged: {pods}. Said: {said}. Saved: {saved ? "yes" : "no"}.</p>
      <loop-scope
        ref={element}
        className="lesson"
        label={`Cluster ${name}`}
        manifest={manifest(replicas)}
        panels={panels}
        theme={theme}
        nodes={2}
        speed="1"
        readonly={false}
        paused={false}
        height={300}
        loading="eager"
        onloopscope-ready={() => setReady((count) => count + 1)}
        onloopscope-converged={({ detail }) => setPods(`${detail.pods.ready} of ${detail.pods.desired}`)}
      >
        <a href="/">A picture of the cluster</a>
      </loop-scope>
    </section>
  );
}

export function App({ panels }) {
  const [names, setNames] = useState(["first"]);
  const [shown, setShown] = useState(true);
  return (
    <StrictMode>
      <button onClick={() => setShown(!shown)}>Hide or show</button>
      <button onClick={() => setNames([...names, "second"])}>Add</button>
      <button onClick={() => setNames(names.toReversed())}>Swap</button>
      {shown && names.map((name) => <Cluster key={name} name={name} panels={panels} />)}
    </StrictMode>
  );
}

export const mount = (target) => createRoot(target).render(<App panels={["cluster"]} />);
// On a server React leaves out what is neither text nor number.
export const hydrate = (target) => hydrateRoot(target, <App panels="cluster" />);
