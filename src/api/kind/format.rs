//! Encodings of single fields that the API does not write as serde would.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Encodes times with microseconds. Counterpart: `metav1.MicroTime`.
pub(super) mod micro_time {
    use super::*;
    use crate::api::time::Time;

    pub fn serialize<S: Serializer>(time: &(impl Copy + Into<Option<Time>>), serializer: S) -> Result<S::Ok, S::Error> {
        (*time).into().map(Time::rfc3339_micro).serialize(serializer)
    }
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// Encodes empty lists as `null`, like Go's nil slices without `omitempty`.
pub(super) mod null_if_empty {
    use super::*;

    pub fn serialize<S: Serializer, T: Serialize>(list: &Vec<T>, serializer: S) -> Result<S::Ok, S::Error> {
        (!list.is_empty()).then_some(list).serialize(serializer)
    }
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or_default())
    }
}

/// Encodes IPv4 addresses, which are kept as numbers, as text; 0 means none.
pub(super) mod ipv4 {
    use super::*;
    use crate::api::kind::pod::{ip_parse, ip_text};
    use std::borrow::Cow;

    pub fn serialize<S: Serializer>(ip: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&ip_text(*ip))
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        Ok(ip_parse(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// Encodes revisions, which are kept as numbers, as decimal text; 0 means none.
pub(super) mod revision {
    use super::*;
    use std::borrow::Cow;

    pub fn serialize<S: Serializer>(revision: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(revision)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        Ok(Cow::<str>::deserialize(deserializer)?.parse().unwrap_or(0))
    }
}

/// Decodes counts into 32 bits: a number that does not fit becomes the nearest one that does.
pub(super) mod small_count {
    use super::*;

    pub fn serialize<S: Serializer>(count: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        count.serialize(serializer)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let count = i64::deserialize(deserializer)?;
        Ok(u32::try_from(count.max(0)).unwrap_or(u32::MAX))
    }
}
