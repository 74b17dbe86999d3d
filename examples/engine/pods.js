// A page that draws its own pods: the engine does the rest. Time passes as on a wall clock, a few times a second.
import { Cluster } from "../engine.js";

const list = document.querySelector("#pods");
const status = document.querySelector("#status");
const tick = 200;

const cluster = await Cluster.create({ seed: 3 });
const circles = new Map();

cluster.watch("pods", { namespace: "default" }, ({ type, object }) => {
  const { uid, name, deletionTimestamp } = object.metadata;
  if (type === "DELETED") {
    circles.get(uid)?.remove();
    circles.delete(uid);
    return;
  }
  if (!circles.has(uid)) circles.set(uid, list.appendChild(document.createElement("li")));
  const circle = circles.get(uid);
  circle.textContent = name.slice(-5);
  circle.className = `${object.status.phase} ${deletionTimestamp ? "leaving" : ""}`;
});

cluster.kubectl("create deployment web --image=nginx:1.25 --replicas=6");

document.querySelector("#kill").addEventListener("click", () => {
  const pod = cluster.list("pods", { namespace: "default" }).find(({ metadata }) => !metadata.deletionTimestamp);
  if (pod) cluster.request({ verb: "DELETE", path: `/api/v1/namespaces/default/pods/${pod.metadata.name}` });
});
document.querySelector("#more").addEventListener("click", () => {
  const { replicas } = cluster.get("deployment", "web").spec;
  cluster.kubectl(["scale", "deployment", "web", `--replicas=${replicas + 1}`]);
});

setInterval(() => {
  if (document.hidden) return;
  const { standing, pods } = cluster.run(tick / 1000);
  const text = `${standing}: ${pods.ready} of ${pods.desired} ready`;
  if (status.textContent !== text) status.textContent = text;
}, tick);
