//! Maps each kind to its type in `k8s-openapi`.

use k8s_openapi::api::{
    apps::v1 as apps, autoscaling::v2 as autoscaling, batch::v1 as batch, coordination::v1 as coordination, core::v1 as core,
    discovery::v1 as discovery, networking::v1 as networking, policy::v1 as policy, rbac::v1 as rbac, scheduling::v1 as scheduling,
    storage::v1 as storage,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as apiextensions;
use serde::{Serialize, de::DeserializeOwned};

/// Reads a JSON text as the type of a kind and writes it again.
pub fn round_trip(api_version: &str, kind: &str, text: &str) -> Result<String, String> {
    fn through<T: DeserializeOwned + Serialize>(text: &str) -> Result<String, String> {
        let typed: T = serde_json::from_str(text).map_err(|e| e.to_string())?;
        serde_json::to_string(&typed).map_err(|e| e.to_string())
    }
    macro_rules! kinds {
        ($($api_version:literal $group:ident $($kind:ident)*;)*) => {
            match (api_version, kind) {
                $($(($api_version, stringify!($kind)) => through::<$group::$kind>(text),)*)*
                _ => Err(format!("no type for {api_version} {kind}")),
            }
        };
    }
    kinds! {
        "v1" core Namespace Node Pod Service ConfigMap Secret ServiceAccount Event ReplicationController PersistentVolume PersistentVolumeClaim
            ResourceQuota LimitRange;
        "apps/v1" apps ReplicaSet Deployment DaemonSet StatefulSet ControllerRevision;
        "batch/v1" batch Job CronJob;
        "autoscaling/v2" autoscaling HorizontalPodAutoscaler;
        "coordination.k8s.io/v1" coordination Lease;
        "discovery.k8s.io/v1" discovery EndpointSlice;
        "networking.k8s.io/v1" networking Ingress IngressClass NetworkPolicy;
        "policy/v1" policy PodDisruptionBudget;
        "rbac.authorization.k8s.io/v1" rbac Role ClusterRole RoleBinding ClusterRoleBinding;
        "scheduling.k8s.io/v1" scheduling PriorityClass;
        "storage.k8s.io/v1" storage StorageClass;
        "apiextensions.k8s.io/v1" apiextensions CustomResourceDefinition;
    }
}
