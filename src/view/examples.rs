//! Example manifests: each shows one thing.

use super::run::FIRST_MANIFEST;
use crate::api::content;

/// An example manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name of the example.
    pub title: &'static str,
    /// A sentence about what there is to see in the example.
    pub see: &'static str,
    /// The file with the manifest, in `static/content/examples`; `None` for the manifest of a first visit.
    file: Option<&'static str>,
}

impl Example {
    /// Returns the manifest of the example.
    pub fn manifest(&self) -> &'static str {
        self.file.map_or(FIRST_MANIFEST, |file| content::text(&format!("examples/{file}")))
    }
}

/// All examples, the manifest of a first visit first.
pub const EXAMPLES: &[Example] = &[
    Example { title: "ReplicaSet my-app", see: "Three pods. Delete one, and it is replaced.", file: None },
    Example {
        title: "Deployment web",
        see: "Change the image and apply: pods are replaced a few at a time, and enough of them stay available.",
        file: Some("deployment.yaml"),
    },
    Example {
        title: "Deployment and Service",
        see: "Two documents. The Service reaches the pods that are ready; scale the Deployment and look again.",
        file: Some("service.yaml"),
    },
    Example {
        title: "StatefulSet db",
        see: "Three pods with fixed names, one after the other. Delete db-1: it comes back under its name. Give it an image that is not there, then mend it: the broken pod stays until you delete it.",
        file: Some("db.yaml"),
    },
    Example {
        title: "DaemonSet agent",
        see: "One pod on every node. Add a node, or cordon one and delete its pod: it comes back there all the same.",
        file: Some("agent.yaml"),
    },
    Example {
        title: "ReplicationController legacy",
        see: "What ReplicaSets were before: the same loop keeps the number of pods.",
        file: Some("legacy.yaml"),
    },
    Example {
        title: "Crash loop",
        see: "The container ends with an error after two seconds. The kubelet starts it again, each time after a longer wait.",
        file: Some("crash-loop.yaml"),
    },
    Example {
        title: "Image that is not there",
        see: "The image cannot be pulled. Correct its name and apply: the Deployment recovers.",
        file: Some("bad-image.yaml"),
    },
    Example {
        title: "Readiness probe",
        see: "The pod runs at once but is ready only after ten seconds, when its file is there.",
        file: Some("readiness.yaml"),
    },
    Example {
        title: "Pod that fits nowhere",
        see: "It asks for more memory than any node has, so the scheduler leaves it pending and says why.",
        file: Some("too-large.yaml"),
    },
    Example {
        title: "Pods that keep apart",
        see: "One pod on a node at most, so that the fourth has no place. Scale down, or add a node.",
        file: Some("spread.yaml"),
    },
    Example {
        title: "Pod that makes others give way",
        see: "The important pod fits nowhere, so lesser pods are deleted on one node; it waits there until they have ended.",
        file: Some("priority.yaml"),
    },
    Example {
        title: "Claim and its volume",
        see: "The claim waits for its pod. The scheduler chooses a node, a volume is made there, and then the pod starts.",
        file: Some("claim.yaml"),
    },
    Example {
        title: "Finalizer",
        see: "Delete the ConfigMap: it stays, being deleted, until the finalizer is taken off it.",
        file: Some("finalizer.yaml"),
    },
    Example { title: "Bare pod", see: "Nothing owns it. Delete it, and it is not replaced.", file: Some("pod.yaml") },
    Example {
        title: "Namespace with things in it",
        see: "Delete the namespace, and everything in it goes first.",
        file: Some("namespace.yaml"),
    },
    Example {
        title: "Job in five pieces",
        see: "Five pieces of work, two at a time. Each pod is counted once, by its finalizer, and the Job completes.",
        file: Some("job.yaml"),
    },
    Example { title: "A Job every minute", see: "A Job every minute, of which the last two stay.", file: Some("every-minute.yaml") },
    Example {
        title: "Autoscaler",
        see: "A load on the pods makes the autoscaler add more. Scale them down by hand, and it scales up again.",
        file: Some("autoscaler.yaml"),
    },
    Example {
        title: "Disruption budget",
        see: "Drain a node: evictions wait as long as too few pods are ready.",
        file: Some("budget.yaml"),
    },
    Example {
        title: "Quota and limits",
        see: "Four of six pods: the quota refuses the others, and the ReplicaSet tries again, ever later. Raise the quota.",
        file: Some("quota.yaml"),
    },
    Example {
        title: "Network policy",
        see: "Only pods with the right label reach the database. Send requests from both pods, then delete the policy.",
        file: Some("policy.yaml"),
    },
    Example {
        title: "Ingress shop",
        see: "A host name leads from outside to the pods of a Service. Scale the Deployment to 0 and ask again.",
        file: Some("ingress.yaml"),
    },
    Example {
        title: "Who may do what",
        see: "Roles and those who have them. Ask with --as what Jane and the robot may do; you yourself may do everything.",
        file: Some("access.yaml"),
    },
    Example {
        title: "Volume made by hand",
        see: "The claim takes the volume that fits. Delete the claim: the volume is kept, and no other claim gets it.",
        file: Some("volume.yaml"),
    },
    Example {
        title: "Configuration and secret",
        see: "A pod reads both as variables. Change them: the pod notices nothing until it is replaced.",
        file: Some("settings.yaml"),
    },
    Example {
        title: "Kind of your own",
        see: "From then on the API server serves and checks Backups. Without a controller nothing else happens.",
        file: Some("definition.yaml"),
    },
];
