// Runs a scenario and prints the outcome: a node dies, and the cluster moves its pods. `node scenario.mjs [seed]`
import { Cluster } from "loopscope/engine";

const cluster = await Cluster.create({ seed: Number(process.argv[2] ?? 1), nodes: 3 });

cluster.kubectl("create deployment web --image=nginx:1.25 --replicas=6");
const up = cluster.runUntilConverged();
console.log(`${up.time.toFixed(1)} s: ${up.pods.ready} of ${up.pods.desired} pods are ready`);

cluster.watch("nodes", ({ type, object, at }) => {
  const ready = object.status.conditions.find((condition) => condition.type === "Ready");
  if (type === "MODIFIED" && ready.status !== "True") console.log(`${at.toFixed(1)} s: ${object.metadata.name} is not ready (${ready.reason})`);
});
cluster.fault({ fault: "crash-node", node: "node-1" });

const isMoved = () => {
  const pods = cluster.list("pods", { namespace: "default" }).filter((pod) => !pod.metadata.deletionTimestamp);
  return pods.length === 6 && pods.every((pod) => pod.spec.nodeName !== "node-1" && pod.status.phase === "Running");
};
const moved = cluster.runUntil(isMoved, { within: "15m" });
console.log(`${cluster.time.toFixed(1)} s: ${moved ? "all pods run on the other nodes" : "some pods are still on the dead node"}`);
console.log(cluster.kubectl("get pods -o wide").stdout);
console.log(`Look at it in the page: index.html${cluster.shareHash()}`);
cluster.free();
