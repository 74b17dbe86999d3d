//! Manifests to begin with: each shows one thing.

use super::run::FIRST_MANIFEST;

/// A manifest to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its name.
    pub title: &'static str,
    /// What there is to see.
    pub see: &'static str,
    /// The text.
    pub manifest: &'static str,
}

/// All of them, the first visitor's first.
pub const EXAMPLES: &[Example] = &[
    Example { title: "ReplicaSet my-app", see: "Three pods. Delete one, and it is replaced.", manifest: FIRST_MANIFEST },
    Example {
        title: "Deployment web",
        see: "Change the image and apply: pods are replaced a few at a time, and enough of them stay available.",
        manifest: include_str!("examples/deployment.yaml"),
    },
    Example {
        title: "Deployment and Service",
        see: "Two documents. The Service reaches the pods that are ready; scale the Deployment and look again.",
        manifest: include_str!("examples/service.yaml"),
    },
    Example {
        title: "StatefulSet db",
        see: "Three pods with fixed names, one after the other. Delete db-1: it comes back under its name. Give it an image that is not there, then mend it: the broken pod stays until you delete it.",
        manifest: include_str!("examples/statefulset.yaml"),
    },
    Example {
        title: "DaemonSet agent",
        see: "One pod on every node. Add a node, or cordon one and delete its pod: it comes back there all the same.",
        manifest: include_str!("examples/daemonset.yaml"),
    },
    Example {
        title: "ReplicationController legacy",
        see: "What ReplicaSets were before: the same loop keeps the number of pods.",
        manifest: include_str!("examples/replicationcontroller.yaml"),
    },
    Example {
        title: "Crash loop",
        see: "The container ends with an error after two seconds. The kubelet starts it again, each time after a longer wait.",
        manifest: include_str!("examples/crash-loop.yaml"),
    },
    Example {
        title: "Image that is not there",
        see: "The image cannot be pulled. Correct its name and apply: the Deployment recovers.",
        manifest: include_str!("examples/bad-image.yaml"),
    },
    Example {
        title: "Readiness probe",
        see: "The pod runs at once but is ready only after ten seconds, when its file is there.",
        manifest: include_str!("examples/readiness.yaml"),
    },
    Example {
        title: "Pod that fits nowhere",
        see: "It asks for more memory than any node has, so the scheduler leaves it pending and says why.",
        manifest: include_str!("examples/too-large.yaml"),
    },
    Example {
        title: "Pods that keep apart",
        see: "One pod on a node at most, so that the fourth has no place. Scale down, or add a node.",
        manifest: include_str!("examples/spread.yaml"),
    },
    Example {
        title: "Pod that makes others give way",
        see: "The important pod fits nowhere, so lesser pods are deleted on one node; it waits there until they have ended.",
        manifest: include_str!("examples/priority.yaml"),
    },
    Example {
        title: "Claim and its volume",
        see: "The claim waits for its pod. The scheduler chooses a node, a volume is made there, and then the pod starts.",
        manifest: include_str!("examples/claim.yaml"),
    },
    Example {
        title: "Finalizer",
        see: "Delete the ConfigMap: it stays, being deleted, until the finalizer is taken off it.",
        manifest: include_str!("examples/finalizer.yaml"),
    },
    Example { title: "Bare pod", see: "Nothing owns it. Delete it, and it is not replaced.", manifest: include_str!("examples/pod.yaml") },
    Example {
        title: "Namespace with things in it",
        see: "Delete the namespace, and everything in it goes first.",
        manifest: include_str!("examples/namespace.yaml"),
    },
    Example {
        title: "Job in five pieces",
        see: "Five pieces of work, two at a time. Each pod is counted once, by its finalizer, and the Job completes.",
        manifest: include_str!("examples/job.yaml"),
    },
    Example {
        title: "A Job every minute",
        see: "A Job every minute, of which the last two stay.",
        manifest: include_str!("examples/every-minute.yaml"),
    },
    Example {
        title: "Autoscaler",
        see: "A load on the pods makes the autoscaler add more. Scale them down by hand, and it scales up again.",
        manifest: include_str!("examples/autoscaler.yaml"),
    },
    Example {
        title: "Disruption budget",
        see: "Drain a node: evictions wait as long as too few pods are ready.",
        manifest: include_str!("examples/budget.yaml"),
    },
    Example {
        title: "Quota and limits",
        see: "Four of six pods: the quota refuses the others, and the ReplicaSet tries again, ever later. Raise the quota.",
        manifest: include_str!("examples/quota.yaml"),
    },
    Example {
        title: "Network policy",
        see: "Only pods with the right label reach the database. Send requests from both pods, then delete the policy.",
        manifest: include_str!("examples/policy.yaml"),
    },
    Example {
        title: "Ingress shop",
        see: "A host name leads from outside to the pods of a Service. Scale the Deployment to 0 and ask again.",
        manifest: include_str!("examples/ingress.yaml"),
    },
    Example {
        title: "Who may do what",
        see: "Roles and those who have them. Ask with --as what Jane and the robot may do; you yourself may do everything.",
        manifest: include_str!("examples/access.yaml"),
    },
    Example {
        title: "Volume made by hand",
        see: "The claim takes the volume that fits. Delete the claim: the volume is kept, and no other claim gets it.",
        manifest: include_str!("examples/volume.yaml"),
    },
    Example {
        title: "Configuration and secret",
        see: "A pod reads both as variables. Change them: the pod notices nothing until it is replaced.",
        manifest: include_str!("examples/settings.yaml"),
    },
    Example {
        title: "Kind of your own",
        see: "From then on the API server serves and checks Backups. Without a controller nothing else happens.",
        manifest: include_str!("examples/definition.yaml"),
    },
];
