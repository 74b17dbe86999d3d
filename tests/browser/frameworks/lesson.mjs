// What the same course page shows in every framework.

/** A Deployment as JSON. */
export const manifest = (replicas) =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1.25" }] } },
    },
  });

export const SCALE = "kubectl scale deployment web --replicas=4";
