//! The status of one container. Counterpart: `core/v1.ContainerStatus`.

use crate::api::kind::is_default;
use crate::api::meta::{mix, unmix};
use crate::api::sha256;
use crate::api::time::Time;
use arcstr::ArcStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// The last observed state of a container. [`super::Pod`] adds `imageID`, `resources` and `volumeMounts` when a pod is encoded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// The container's name.
    pub name: ArcStr,
    /// The container's image, as the spec or the runtime names it.
    pub image: ArcStr,
    /// The form of `imageID`.
    #[serde(rename = "imageID", skip_serializing, deserialize_with = "image_id")]
    pub image_id: ImageId,
    /// The container's state.
    pub state: ContainerState,
    /// The container's state before its last restart; `None` if it never restarted.
    #[serde(with = "last_state")]
    pub last_state: Option<Box<ContainerState>>,
    /// True if the container passes its readiness probe.
    pub ready: bool,
    /// True if the container has passed its startup probe.
    pub started: bool,
    /// The number of the container's restarts.
    #[serde(with = "crate::api::kind::format::small_count")]
    pub restart_count: u32,
    /// The number by which the simulated runtime identifies the container, 0 for none; encoded as 64 hexadecimal digits.
    #[serde(rename = "containerID", with = "id_text", skip_serializing_if = "is_default")]
    pub container: u64,
}

/// The form in which a container's status identifies its image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageId {
    /// The image has not been resolved yet.
    #[default]
    Unknown,
    /// By its name, as the fake runtime of the recordings does.
    Name,
    /// By its digest, as containerd does.
    Digest,
}

impl ContainerStatus {
    /// Returns the text that identifies the container's image. Images have no content here, so a digest is made from the name.
    pub(super) fn image_id(&self) -> ArcStr {
        match self.image_id {
            ImageId::Unknown => ArcStr::default(),
            ImageId::Digest if !self.image.contains("@sha256:") => {
                let tag = self.image.rfind(':').filter(|at| !self.image[*at..].contains('/'));
                format!("{}@sha256:{}", &self.image[..tag.unwrap_or(self.image.len())], sha256::hex(self.image.as_bytes())).into()
            }
            ImageId::Name | ImageId::Digest => self.image.clone(),
        }
    }
}

/// The state of a container.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", from = "StateFields")]
pub enum ContainerState {
    /// The container does not run yet, or waits for a restart.
    Waiting {
        /// The reason for waiting, in one word.
        #[serde(skip_serializing_if = "is_default")]
        reason: ArcStr,
        /// A message about the reason, for people.
        #[serde(skip_serializing_if = "is_default")]
        message: ArcStr,
    },
    /// The container runs.
    Running {
        /// The time at which the container started.
        started_at: Time,
    },
    /// The container has ended.
    Terminated(Box<Terminated>),
}

impl Default for ContainerState {
    fn default() -> Self {
        ContainerState::Waiting { reason: ArcStr::default(), message: ArcStr::default() }
    }
}

/// The end of a container. Counterpart: `core/v1.ContainerStateTerminated`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Terminated {
    /// The exit code of the container's main process.
    pub exit_code: i32,
    /// The reason for the end, such as `Completed` or `Error`.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// A message about the end, for people.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// The time at which the container started.
    pub started_at: Option<Time>,
    /// The time at which the container ended.
    pub finished_at: Option<Time>,
    /// The number by which the simulated runtime identifies the container, 0 for none.
    #[serde(rename = "containerID", with = "id_text", skip_serializing_if = "is_default")]
    pub container: u64,
}

/// Returns the ID of a container as containerd writes it: `containerd://` and 64 digits made from a number, which can be recovered from them.
pub fn container_id(n: u64) -> String {
    let mut text = String::from("containerd://");
    let mut x = n;
    for _ in 0..4 {
        x = mix(x);
        text.push_str(&format!("{x:016x}"));
    }
    text
}

mod id_text {
    use super::*;

    pub fn serialize<S: Serializer>(container: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&container_id(*container))
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let id = Cow::<str>::deserialize(deserializer)?;
        let digits = id.strip_prefix("containerd://").and_then(|digits| digits.get(..16));
        Ok(digits.and_then(|d| u64::from_str_radix(d, 16).ok()).map_or(0, unmix))
    }
}

/// A container's state as the API writes it: a struct in which at most one field is set.
#[derive(Default, Deserialize)]
#[serde(default)]
struct StateFields {
    waiting: Option<Waiting>,
    running: Option<Running>,
    terminated: Option<Box<Terminated>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Waiting {
    reason: ArcStr,
    message: ArcStr,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Running {
    started_at: Time,
}

impl StateFields {
    fn state(self) -> Option<ContainerState> {
        if let Some(Running { started_at }) = self.running {
            return Some(ContainerState::Running { started_at });
        }
        if let Some(terminated) = self.terminated {
            return Some(ContainerState::Terminated(terminated));
        }
        self.waiting.map(|Waiting { reason, message }| ContainerState::Waiting { reason, message })
    }
}

impl From<StateFields> for ContainerState {
    fn from(fields: StateFields) -> Self {
        fields.state().unwrap_or_default()
    }
}

/// Encodes the state before the last restart: `{}` for a container that was never restarted.
mod last_state {
    use super::*;

    pub fn serialize<S: Serializer>(state: &Option<Box<ContainerState>>, serializer: S) -> Result<S::Ok, S::Error> {
        match state {
            Some(state) => state.serialize(serializer),
            None => serializer.collect_map::<&str, (), _>([]),
        }
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<ContainerState>>, D::Error> {
        Ok(StateFields::deserialize(deserializer)?.state().map(Box::new))
    }
}

fn image_id<'de, D: Deserializer<'de>>(text: D) -> Result<ImageId, D::Error> {
    Ok(match &*Cow::<str>::deserialize(text)? {
        "" => ImageId::Unknown,
        id if id.contains("@sha256:") => ImageId::Digest,
        _ => ImageId::Name,
    })
}
