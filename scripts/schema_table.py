#!/usr/bin/env python3
"""Makes src/api/schema.txt, the compact field table, from the schema.json that was taken from a real API server.

    python3 scripts/schema_table.py schema.json > src/api/schema.txt

One line a schema: its name, then its fields as `name=TYPE[:GO][!][*LIST][~PATCH]`.
TYPE: s string, i int32, l int64, b bool, t time, u time with microseconds, q quantity, x int or string, a anything,
d double, y base64, `.Name` a schema of the same group, a dotted name any other; [T] a list, {T} a map.
GO: the name of a Go string type, which error messages show. `!` is required. LIST: @a atomic, @s set, else the map keys
joined by `+`. PATCH: strategy, with `/` before the merge key.
"""
import json
import sys

CODES = {"string": "s", "int32": "i", "int64": "l", "boolean": "b", "time": "t", "quantity": "q", "intOrString": "x",
         "any": "a", "double": "d", "base64": "y"}
MICRO = {"LeaseSpec.acquireTime", "LeaseSpec.renewTime", "Event.eventTime", "EventSeries.lastObservedTime"}
# Go types that are strings underneath: the schema says `string`, the decoder's errors give the name.
NAMED = {
    "v1.ConditionStatus": "*Condition.status PodFailurePolicyOnPodConditionsPattern.status",
    "v1.PodConditionType": "PodCondition.type PodFailurePolicyOnPodConditionsPattern.type PodReadinessGate.conditionType",
    "v1.DeploymentConditionType": "DeploymentCondition.type",
    "v1.DaemonSetConditionType": "DaemonSetCondition.type",
    "v1.ReplicaSetConditionType": "ReplicaSetCondition.type",
    "v1.StatefulSetConditionType": "StatefulSetCondition.type",
    "v1.JobConditionType": "JobCondition.type",
    "v1.NodeConditionType": "NodeCondition.type",
    "v1.NamespaceConditionType": "NamespaceCondition.type",
    "v2.HorizontalPodAutoscalerConditionType": "HorizontalPodAutoscalerCondition.type",
    "v1.DeploymentStrategyType": "DeploymentStrategy.type",
    "v1.DaemonSetUpdateStrategyType": "DaemonSetUpdateStrategy.type",
    "v1.StatefulSetUpdateStrategyType": "StatefulSetUpdateStrategy.type",
    "v1.PodManagementPolicyType": "StatefulSetSpec.podManagementPolicy",
    "v1.PersistentVolumeClaimRetentionPolicyType": "StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted "
    "StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled",
    "v2.HPAScalingPolicyType": "HPAScalingPolicy.type",
    "v2.ScalingPolicySelect": "HPAScalingRules.selectPolicy",
    "v2.MetricSourceType": "MetricSpec.type MetricStatus.type",
    "v2.MetricTargetType": "MetricTarget.type",
    "v1.ResourceName": "ResourceMetricSource.name ResourceMetricStatus.name ContainerResourceMetricSource.name "
    "ContainerResourceMetricStatus.name ContainerResizePolicy.resourceName ResourceStatus.name",
    "v1.ConcurrencyPolicy": "CronJobSpec.concurrencyPolicy",
    "v1.CompletionMode": "JobSpec.completionMode",
    "v1.PodReplacementPolicy": "JobSpec.podReplacementPolicy",
    "v1.PodFailurePolicyAction": "PodFailurePolicyRule.action",
    "v1.PodFailurePolicyOnExitCodesOperator": "PodFailurePolicyOnExitCodesRequirement.operator",
    "types.UID": "ObjectMeta.uid OwnerReference.uid ObjectReference.uid Preconditions.uid ConfigMapNodeConfigSource.uid "
    "UncountedTerminatedPods.failed UncountedTerminatedPods.succeeded",
    "v1.AppArmorProfileType": "AppArmorProfile.type",
    "v1.SeccompProfileType": "SeccompProfile.type",
    "v1.Capability": "Capabilities.add Capabilities.drop",
    "v1.PullPolicy": "Container.imagePullPolicy EphemeralContainer.imagePullPolicy ImageVolumeSource.pullPolicy",
    "v1.ContainerRestartPolicy": "Container.restartPolicy EphemeralContainer.restartPolicy",
    "v1.ContainerRestartRuleAction": "ContainerRestartRule.action",
    "v1.ContainerRestartRuleOnExitCodesOperator": "ContainerRestartRuleOnExitCodes.operator",
    "v1.ResourceResizeRestartPolicy": "ContainerResizePolicy.restartPolicy",
    "v1.TerminationMessagePolicy": "Container.terminationMessagePolicy EphemeralContainer.terminationMessagePolicy",
    "v1.Protocol": "ContainerPort.protocol EndpointPort.protocol PortStatus.protocol ServicePort.protocol "
    "IngressPortStatus.protocol NetworkPolicyPort.protocol",
    "v1.URIScheme": "HTTPGetAction.scheme",
    "v1.Signal": "Lifecycle.stopSignal ContainerStatus.stopSignal",
    "v1.HostPathType": "HostPathVolumeSource.type",
    "v1.StorageMedium": "EmptyDirVolumeSource.medium",
    "v1.MountPropagationMode": "VolumeMount.mountPropagation",
    "v1.RecursiveReadOnlyMode": "VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly",
    "v1.LimitType": "LimitRangeItem.type",
    "v1.FinalizerName": "NamespaceSpec.finalizers",
    "v1.NamespacePhase": "NamespaceStatus.phase",
    "v1.NodePhase": "NodeStatus.phase",
    "v1.NodeAddressType": "NodeAddress.type",
    "v1.UniqueVolumeName": "AttachedVolume.name NodeStatus.volumesInUse",
    "v1.NodeSelectorOperator": "NodeSelectorRequirement.operator",
    "v1.PersistentVolumeAccessMode": "PersistentVolumeClaimSpec.accessModes PersistentVolumeClaimStatus.accessModes "
    "PersistentVolumeSpec.accessModes",
    "v1.PersistentVolumeMode": "PersistentVolumeClaimSpec.volumeMode PersistentVolumeSpec.volumeMode",
    "v1.PersistentVolumeReclaimPolicy": "PersistentVolumeSpec.persistentVolumeReclaimPolicy StorageClass.reclaimPolicy",
    "v1.PersistentVolumePhase": "PersistentVolumeStatus.phase",
    "v1.PersistentVolumeClaimPhase": "PersistentVolumeClaimStatus.phase",
    "v1.OSName": "PodOS.name",
    "v1.PodFSGroupChangePolicy": "PodSecurityContext.fsGroupChangePolicy",
    "v1.PodSELinuxChangePolicy": "PodSecurityContext.seLinuxChangePolicy",
    "v1.SupplementalGroupsPolicy": "PodSecurityContext.supplementalGroupsPolicy",
    "v1.ProcMountType": "SecurityContext.procMount",
    "v1.DNSPolicy": "PodSpec.dnsPolicy",
    "v1.PreemptionPolicy": "PodSpec.preemptionPolicy PriorityClass.preemptionPolicy",
    "v1.RestartPolicy": "PodSpec.restartPolicy",
    "v1.PodPhase": "PodStatus.phase",
    "v1.PodQOSClass": "PodStatus.qosClass",
    "v1.PodResizeStatus": "PodStatus.resize",
    "v1.ResourceQuotaScope": "ResourceQuotaSpec.scopes ScopedResourceSelectorRequirement.scopeName",
    "v1.ScopeSelectorOperator": "ScopedResourceSelectorRequirement.operator",
    "v1.SecretType": "Secret.type",
    "v1.ServiceExternalTrafficPolicy": "ServiceSpec.externalTrafficPolicy",
    "v1.ServiceInternalTrafficPolicy": "ServiceSpec.internalTrafficPolicy",
    "v1.IPFamily": "ServiceSpec.ipFamilies",
    "v1.IPFamilyPolicy": "ServiceSpec.ipFamilyPolicy",
    "v1.ServiceAffinity": "ServiceSpec.sessionAffinity",
    "v1.ServiceType": "ServiceSpec.type",
    "v1.TaintEffect": "Taint.effect Toleration.effect",
    "v1.TolerationOperator": "Toleration.operator",
    "v1.NodeInclusionPolicy": "TopologySpreadConstraint.nodeAffinityPolicy TopologySpreadConstraint.nodeTaintsPolicy",
    "v1.UnsatisfiableConstraintAction": "TopologySpreadConstraint.whenUnsatisfiable",
    "v1.VolumeBindingMode": "StorageClass.volumeBindingMode",
    "v1.AddressType": "EndpointSlice.addressType",
    "v1.DeletionPropagation": "DeleteOptions.propagationPolicy",
    "v1.LabelSelectorOperator": "LabelSelectorRequirement.operator",
    "v1.ManagedFieldsOperationType": "ManagedFieldsEntry.operation",
    "v1.PathType": "HTTPIngressPath.pathType",
    "v1.PolicyType": "NetworkPolicySpec.policyTypes",
    "v1.UnhealthyPodEvictionPolicyType": "PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy",
    "v1.CoordinatedLeaseStrategy": "LeaseSpec.strategy",
    "v1.ResourceScope": "CustomResourceDefinitionSpec.scope",
    "v1.ConversionStrategyType": "CustomResourceConversion.strategy",
    "v1.CustomResourceDefinitionConditionType": "CustomResourceDefinitionCondition.type",
}
GO = {place: name for name, places in NAMED.items() for place in places.split()}


def code(kind, schema, field):
    if kind[0] in "[{":
        return kind[0] + code(kind[1:-1], schema, field) + kind[-1]
    group = schema.rsplit(".", 1)[0]
    place = schema.rsplit(".", 1)[1] + "." + field
    if kind == "time" and place in MICRO:
        return "u"
    if kind in CODES:
        return CODES[kind]
    return kind[len(group):] if kind.startswith(group + ".") else kind


def go_name(kind, schema, field):
    if kind.strip("[]{}") != "string":
        return ""
    short = schema.rsplit(".", 1)[1]
    name = GO.get(short + "." + field)
    # The conditions of apiextensions have a type of their own of the same name.
    if name is None and short.endswith("Condition") and field == "status":
        name = GO["*Condition.status"]
    return ":" + name if name else ""


def line(schema, fields):
    out = [schema]
    for field, info in fields.items():
        text = field + "=" + code(info["type"], schema, field) + go_name(info["type"], schema, field)
        if info.get("required"):
            text += "!"
        kind = info.get("listType")
        if kind:
            text += "*" + ("+".join(info["listMapKeys"]) if kind == "map" else {"atomic": "@a", "set": "@s"}[kind])
        if info.get("patchStrategy"):
            text += "~" + info["patchStrategy"] + ("/" + info["patchMergeKey"] if "patchMergeKey" in info else "")
        out.append(text)
    return " ".join(out)


schemas = json.load(open(sys.argv[1]))["schemas"]
for schema in sorted(schemas):
    print(line(schema, schemas[schema]))
