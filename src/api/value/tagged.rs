//! Enums whose variant is named by one field of an object, beside the variant's own fields: `{"fault": "crash-node", "node": "node-1"}`.
//!
//! serde's attribute `tag` does the same by way of a copy of the object in a type of its own, and compiles every variant's reader once more for that type. Here
//! an enum derives serde's traits with `remote = "Self"`, and its own impls call [`read`] and [`write()`] with what was derived.

use super::ser::TreeSerializer;
use super::{Error, Map, Value};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};

/// Deserializes an enum whose variant is named by the field `tag`. `derived` is the function that serde derives.
pub fn read<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    tag: &'static str,
    derived: fn(Tagged<'_>) -> Result<T, Error>,
) -> Result<T, D::Error> {
    let mut fields = Map::deserialize(deserializer)?;
    let variant = match fields.take(tag) {
        Some(Value::Str(variant)) => variant,
        Some(other) => return Err(de::Error::custom(other.unexpected(&"a string"))),
        None => return Err(de::Error::missing_field(tag)),
    };
    derived(Tagged { variant: &variant, fields: &Value::Map(fields) }).map_err(de::Error::custom)
}

/// Serializes an enum with the name of its variant in the field `tag`. `derived` is the function that serde derives.
pub fn write<S: Serializer, T>(
    value: &T,
    serializer: S,
    tag: &'static str,
    derived: fn(&T, TreeSerializer) -> Result<Value, Error>,
) -> Result<S::Ok, S::Error> {
    let (variant, mut fields) = match derived(value, TreeSerializer).map_err(ser::Error::custom)? {
        Value::Str(variant) => (variant, Map::new()),
        Value::Map(variants) => match variants.into_iter().next() {
            Some((variant, Value::Map(fields))) => (variant, fields),
            _ => return Err(ser::Error::custom("a variant with fields has names for them")),
        },
        _ => return Err(ser::Error::custom("an enum is a text or an object")),
    };
    fields.insert(tag, variant);
    fields.serialize(serializer)
}

/// A deserializer of an enum, given the name of a variant and its fields.
pub struct Tagged<'de> {
    variant: &'de str,
    fields: &'de Value,
}

impl<'de> Deserializer<'de> for Tagged<'de> {
    type Error = Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum option identifier ignored_any
    }
}

impl<'de> de::EnumAccess<'de> for Tagged<'de> {
    type Error = Error;
    type Variant = Fields<'de>;
    fn variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Fields<'de>), Error> {
        let variant: de::value::StrDeserializer<'de, Error> = de::IntoDeserializer::into_deserializer(self.variant);
        Ok((seed.deserialize(variant)?, Fields(self.fields)))
    }
}

/// A deserializer of a variant's fields.
pub struct Fields<'de>(&'de Value);

impl<'de> de::VariantAccess<'de> for Fields<'de> {
    type Error = Error;
    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }
    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.0)
    }
    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        Err(self.0.unexpected(&visitor))
    }
    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        // A `null` counts as a value here, which only an optional field accepts.
        match self.0 {
            Value::Map(map) => visitor.visit_map(map.entries(false)),
            other => other.deserialize_struct("", fields, visitor),
        }
    }
}
