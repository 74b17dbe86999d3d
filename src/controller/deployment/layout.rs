//! The layout of Go's `PodTemplateSpec`: the order and the types of its fields as of Kubernetes v1.36, which the template hash depends on.
//!
//! Notation: fields are separated by `,`; each is a Go name and a type. `=x` after the name gives the JSON name where it does not follow from the Go
//! name, `^` marks an embedded struct. Types: `s` string, `b` bool, `i` int32, `l` int64, `m` map[string]string, `q` a map of quantities; `*` and
//! `[]` as in Go; other types belong to package v1 unless they name a package. A type that has no entry here is a named string type.

/// The fields of each struct, by the struct's name.
pub const STRUCTS: &[(&str, &str)] = &[
    ("PodTemplateSpec", "ObjectMeta=metadata ObjectMeta,Spec PodSpec"),
    (
        "ObjectMeta",
        "Name s,GenerateName s,Namespace s,SelfLink s,UID types.UID,ResourceVersion s,Generation l,CreationTimestamp Time,DeletionTimestamp *Time,\
         DeletionGracePeriodSeconds *l,Labels m,Annotations m,OwnerReferences []OwnerReference,Finalizers []s,ManagedFields []ManagedFieldsEntry",
    ),
    (
        "PodSpec",
        "Volumes []Volume,InitContainers []Container,Containers []Container,EphemeralContainers []EphemeralContainer,RestartPolicy RestartPolicy,\
         TerminationGracePeriodSeconds *l,ActiveDeadlineSeconds *l,DNSPolicy DNSPolicy,NodeSelector m,ServiceAccountName s,\
         DeprecatedServiceAccount=serviceAccount s,AutomountServiceAccountToken *b,NodeName s,HostNetwork b,HostPID b,HostIPC b,ShareProcessNamespace *b,\
         SecurityContext *PodSecurityContext,ImagePullSecrets []LocalObjectReference,Hostname s,Subdomain s,Affinity *Affinity,SchedulerName s,\
         Tolerations []Toleration,HostAliases []HostAlias,PriorityClassName s,Priority *i,DNSConfig *PodDNSConfig,ReadinessGates []PodReadinessGate,\
         RuntimeClassName *s,EnableServiceLinks *b,PreemptionPolicy *PreemptionPolicy,Overhead q,TopologySpreadConstraints []TopologySpreadConstraint,\
         SetHostnameAsFQDN *b,OS *PodOS,HostUsers *b,SchedulingGates []PodSchedulingGate,ResourceClaims []PodResourceClaim,\
         Resources *ResourceRequirements,HostnameOverride *s,SchedulingGroup *PodSchedulingGroup",
    ),
    (
        "Container",
        "Name s,Image s,Command []s,Args []s,WorkingDir s,Ports []ContainerPort,EnvFrom []EnvFromSource,Env []EnvVar,Resources ResourceRequirements,\
         ResizePolicy []ContainerResizePolicy,RestartPolicy *ContainerRestartPolicy,RestartPolicyRules []ContainerRestartRule,VolumeMounts []VolumeMount,\
         VolumeDevices []VolumeDevice,LivenessProbe *Probe,ReadinessProbe *Probe,StartupProbe *Probe,Lifecycle *Lifecycle,TerminationMessagePath s,\
         TerminationMessagePolicy TerminationMessagePolicy,ImagePullPolicy PullPolicy,SecurityContext *SecurityContext,Stdin b,StdinOnce b,TTY b",
    ),
    ("ContainerPort", "Name s,HostPort i,ContainerPort i,Protocol Protocol,HostIP s"),
    ("ContainerResizePolicy", "ResourceName ResourceName,RestartPolicy ResourceResizeRestartPolicy"),
    ("ContainerRestartRule", "Action ContainerRestartRuleAction,ExitCodes *ContainerRestartRuleOnExitCodes"),
    ("ContainerRestartRuleOnExitCodes", "Operator ContainerRestartRuleOnExitCodesOperator,Values []i"),
    ("ResourceRequirements", "Limits q,Requests q,Claims []ResourceClaim"),
    ("ResourceClaim", "Name s,Request s"),
    ("EnvVar", "Name s,Value s,ValueFrom *EnvVarSource"),
    (
        "EnvVarSource",
        "FieldRef *ObjectFieldSelector,ResourceFieldRef *ResourceFieldSelector,ConfigMapKeyRef *ConfigMapKeySelector,SecretKeyRef *SecretKeySelector,\
         FileKeyRef *FileKeySelector",
    ),
    ("ObjectFieldSelector", "APIVersion s,FieldPath s"),
    ("ResourceFieldSelector", "ContainerName s,Resource s,Divisor resource.Quantity"),
    ("ConfigMapKeySelector", "^LocalObjectReference LocalObjectReference,Key s,Optional *b"),
    ("SecretKeySelector", "^LocalObjectReference LocalObjectReference,Key s,Optional *b"),
    ("FileKeySelector", "VolumeName s,Path s,Key s,Optional *b"),
    ("EnvFromSource", "Prefix s,ConfigMapRef *ConfigMapEnvSource,SecretRef *SecretEnvSource"),
    ("ConfigMapEnvSource", "^LocalObjectReference LocalObjectReference,Optional *b"),
    ("SecretEnvSource", "^LocalObjectReference LocalObjectReference,Optional *b"),
    ("LocalObjectReference", "Name s"),
    (
        "VolumeMount",
        "Name s,ReadOnly b,RecursiveReadOnly *RecursiveReadOnlyMode,MountPath s,SubPath s,MountPropagation *MountPropagationMode,SubPathExpr s",
    ),
    ("VolumeDevice", "Name s,DevicePath s"),
    (
        "Probe",
        "^ProbeHandler ProbeHandler,InitialDelaySeconds i,TimeoutSeconds i,PeriodSeconds i,SuccessThreshold i,FailureThreshold i,\
         TerminationGracePeriodSeconds *l",
    ),
    ("ProbeHandler", "Exec *ExecAction,HTTPGet *HTTPGetAction,TCPSocket *TCPSocketAction,GRPC *GRPCAction"),
    ("Lifecycle", "PostStart *LifecycleHandler,PreStop *LifecycleHandler,StopSignal *Signal"),
    ("LifecycleHandler", "Exec *ExecAction,HTTPGet *HTTPGetAction,TCPSocket *TCPSocketAction,Sleep *SleepAction"),
    ("SleepAction", "Seconds l"),
    ("ExecAction", "Command []s"),
    ("HTTPGetAction", "Path s,Port intstr.IntOrString,Host s,Scheme URIScheme,HTTPHeaders []HTTPHeader"),
    ("HTTPHeader", "Name s,Value s"),
    ("TCPSocketAction", "Port intstr.IntOrString,Host s"),
    ("GRPCAction", "Port i,Service *s"),
    (
        "PodSecurityContext",
        "SELinuxOptions *SELinuxOptions,WindowsOptions *WindowsSecurityContextOptions,RunAsUser *l,RunAsGroup *l,RunAsNonRoot *b,SupplementalGroups []l,\
         SupplementalGroupsPolicy *SupplementalGroupsPolicy,FSGroup *l,Sysctls []Sysctl,FSGroupChangePolicy *PodFSGroupChangePolicy,\
         SeccompProfile *SeccompProfile,AppArmorProfile *AppArmorProfile,SELinuxChangePolicy *PodSELinuxChangePolicy",
    ),
    (
        "SecurityContext",
        "Capabilities *Capabilities,Privileged *b,SELinuxOptions *SELinuxOptions,WindowsOptions *WindowsSecurityContextOptions,RunAsUser *l,RunAsGroup *l,\
         RunAsNonRoot *b,ReadOnlyRootFilesystem *b,AllowPrivilegeEscalation *b,ProcMount *ProcMountType,SeccompProfile *SeccompProfile,\
         AppArmorProfile *AppArmorProfile",
    ),
    ("Capabilities", "Add []Capability,Drop []Capability"),
    ("SELinuxOptions", "User s,Role s,Type s,Level s"),
    ("SeccompProfile", "Type SeccompProfileType,LocalhostProfile *s"),
    ("AppArmorProfile", "Type AppArmorProfileType,LocalhostProfile *s"),
    ("WindowsSecurityContextOptions", "GMSACredentialSpecName *s,GMSACredentialSpec *s,RunAsUserName *s,HostProcess *b"),
    ("Sysctl", "Name s,Value s"),
    ("Toleration", "Key s,Operator TolerationOperator,Value s,Effect TaintEffect,TolerationSeconds *l"),
    ("HostAlias", "IP s,Hostnames []s"),
    ("PodDNSConfig", "Nameservers []s,Searches []s,Options []PodDNSConfigOption"),
    ("PodDNSConfigOption", "Name s,Value *s"),
    ("PodReadinessGate", "ConditionType PodConditionType"),
    ("PodOS", "Name OSName"),
    ("PodSchedulingGate", "Name s"),
    ("PodSchedulingGroup", "PodGroupName *s"),
    ("PodResourceClaim", "Name s,ResourceClaimName *s,ResourceClaimTemplateName *s"),
    (
        "TopologySpreadConstraint",
        "MaxSkew i,TopologyKey s,WhenUnsatisfiable UnsatisfiableConstraintAction,LabelSelector *LabelSelector,MinDomains *i,\
         NodeAffinityPolicy *NodeInclusionPolicy,NodeTaintsPolicy *NodeInclusionPolicy,MatchLabelKeys []s",
    ),
    ("LabelSelector", "MatchLabels m,MatchExpressions []LabelSelectorRequirement"),
    ("LabelSelectorRequirement", "Key s,Operator LabelSelectorOperator,Values []s"),
    ("Affinity", "NodeAffinity *NodeAffinity,PodAffinity *PodAffinity,PodAntiAffinity *PodAntiAffinity"),
    (
        "NodeAffinity",
        "RequiredDuringSchedulingIgnoredDuringExecution *NodeSelector,PreferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm",
    ),
    ("NodeSelector", "NodeSelectorTerms []NodeSelectorTerm"),
    ("NodeSelectorTerm", "MatchExpressions []NodeSelectorRequirement,MatchFields []NodeSelectorRequirement"),
    ("NodeSelectorRequirement", "Key s,Operator NodeSelectorOperator,Values []s"),
    ("PreferredSchedulingTerm", "Weight i,Preference NodeSelectorTerm"),
    (
        "PodAffinity",
        "RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm,PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm",
    ),
    (
        "PodAntiAffinity",
        "RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm,PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm",
    ),
    ("WeightedPodAffinityTerm", "Weight i,PodAffinityTerm PodAffinityTerm"),
    (
        "PodAffinityTerm",
        "LabelSelector *LabelSelector,Namespaces []s,TopologyKey s,NamespaceSelector *LabelSelector,MatchLabelKeys []s,MismatchLabelKeys []s",
    ),
    ("Volume", "Name s,^VolumeSource VolumeSource"),
    (
        "VolumeSource",
        "HostPath *HostPathVolumeSource,EmptyDir *EmptyDirVolumeSource,GCEPersistentDisk *GCEPersistentDiskVolumeSource,\
         AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource,GitRepo *GitRepoVolumeSource,Secret *SecretVolumeSource,NFS *NFSVolumeSource,\
         ISCSI *ISCSIVolumeSource,Glusterfs *GlusterfsVolumeSource,PersistentVolumeClaim *PersistentVolumeClaimVolumeSource,RBD *RBDVolumeSource,\
         FlexVolume *FlexVolumeSource,Cinder *CinderVolumeSource,CephFS=cephfs *CephFSVolumeSource,Flocker *FlockerVolumeSource,\
         DownwardAPI *DownwardAPIVolumeSource,FC *FCVolumeSource,AzureFile *AzureFileVolumeSource,ConfigMap *ConfigMapVolumeSource,\
         VsphereVolume *VsphereVirtualDiskVolumeSource,Quobyte *QuobyteVolumeSource,AzureDisk *AzureDiskVolumeSource,\
         PhotonPersistentDisk *PhotonPersistentDiskVolumeSource,Projected *ProjectedVolumeSource,PortworxVolume *PortworxVolumeSource,\
         ScaleIO *ScaleIOVolumeSource,StorageOS=storageos *StorageOSVolumeSource,CSI *CSIVolumeSource,Ephemeral *EphemeralVolumeSource,\
         Image *ImageVolumeSource",
    ),
    ("HostPathVolumeSource", "Path s,Type *HostPathType"),
    ("EmptyDirVolumeSource", "Medium StorageMedium,SizeLimit *resource.Quantity"),
    ("SecretVolumeSource", "SecretName s,Items []KeyToPath,DefaultMode *i,Optional *b"),
    ("ConfigMapVolumeSource", "^LocalObjectReference LocalObjectReference,Items []KeyToPath,DefaultMode *i,Optional *b"),
    ("KeyToPath", "Key s,Path s,Mode *i"),
    ("NFSVolumeSource", "Server s,Path s,ReadOnly b"),
    ("PersistentVolumeClaimVolumeSource", "ClaimName s,ReadOnly b"),
    ("DownwardAPIVolumeSource", "Items []DownwardAPIVolumeFile,DefaultMode *i"),
    ("DownwardAPIVolumeFile", "Path s,FieldRef *ObjectFieldSelector,ResourceFieldRef *ResourceFieldSelector,Mode *i"),
    ("ProjectedVolumeSource", "Sources []VolumeProjection,DefaultMode *i"),
    (
        "VolumeProjection",
        "Secret *SecretProjection,DownwardAPI *DownwardAPIProjection,ConfigMap *ConfigMapProjection,ServiceAccountToken *ServiceAccountTokenProjection,\
         ClusterTrustBundle *ClusterTrustBundleProjection,PodCertificate *PodCertificateProjection",
    ),
    ("SecretProjection", "^LocalObjectReference LocalObjectReference,Items []KeyToPath,Optional *b"),
    ("ConfigMapProjection", "^LocalObjectReference LocalObjectReference,Items []KeyToPath,Optional *b"),
    ("DownwardAPIProjection", "Items []DownwardAPIVolumeFile"),
    ("ServiceAccountTokenProjection", "Audience s,ExpirationSeconds *l,Path s"),
    ("CSIVolumeSource", "Driver s,ReadOnly *b,FSType *s,VolumeAttributes m,NodePublishSecretRef *LocalObjectReference"),
    ("ImageVolumeSource", "Reference s,PullPolicy PullPolicy"),
];
