//! Deserializes trees with serde: a [`Value`] from any format, and any type that derives `Deserialize` from a [`Value`].

use super::{Error, Map, Value};
use arcstr::ArcStr;
use serde::de::value::StrDeserializer;
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use std::fmt;

/// Decodes a tree into a `T`. As in Go, a `null` in place of a struct's field counts as no field at all.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    T::deserialize(value)
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(TreeVisitor)? {
            Value::Map(map) => Ok(map),
            other => Err(de::Error::invalid_type(de::Unexpected::Other(other.json_type()), &"an object")),
        }
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }
    fn visit_i64<E>(self, i: i64) -> Result<Value, E> {
        Ok(Value::Int(i))
    }
    fn visit_u64<E>(self, i: u64) -> Result<Value, E> {
        Ok(i64::try_from(i).map_or(Value::Float(i as f64), Value::Int))
    }
    fn visit_f64<E>(self, f: f64) -> Result<Value, E> {
        Ok(Value::Float(f))
    }
    fn visit_str<E>(self, s: &str) -> Result<Value, E> {
        Ok(s.into())
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::with_capacity(items.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }
    fn visit_map<A: de::MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, value)) = entries.next_entry::<ArcStr, Value>()? {
            map.put(key, value);
        }
        Ok(Value::Map(map))
    }
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        // This cannot fail: a tree can hold any JSON.
        Value::deserialize(json).unwrap_or_default()
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Value {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Map {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

/// A key of a map as a deserializer; numbers and booleans are parsed from its text, as in JSON.
struct Key<'de>(&'de str);

impl<'de> IntoDeserializer<'de, Error> for Key<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident)*) => {
        $( fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        } )*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }
    parsed! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i64 deserialize_i16 visit_i64 deserialize_i32 visit_i64 deserialize_i64 visit_i64
        deserialize_u8 visit_u64 deserialize_u16 visit_u64 deserialize_u32 visit_u64 deserialize_u64 visit_u64
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(StrDeserializer::new(self.0))
    }
    serde::forward_to_deserialize_any! {
        f32 f64 i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Hands the entries of a map to a serde visitor.
pub(super) struct Entries<'de> {
    entries: std::slice::Iter<'de, (ArcStr, Value)>,
    /// True to skip entries that are `null`: in place of a struct's field, a `null` counts as no field at all.
    skips_null: bool,
    entry: Option<&'de (ArcStr, Value)>,
}

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = Error;
    fn next_key_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let skips_null = self.skips_null;
        self.entry = self.entries.find(|(_, value)| !(skips_null && value.is_null()));
        self.entry.map(|(key, _)| seed.deserialize(Key(key))).transpose()
    }
    fn next_value_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some((key, value)) = self.entry else { return Err(de::Error::custom("a value without a key")) };
        seed.deserialize(value).map_err(|error| error.under(key.to_string()))
    }
}

/// Hands the items of a list to a serde visitor.
struct Items<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Value>>,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Error;
    fn next_element_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.items.next().map(|(i, item)| seed.deserialize(item).map_err(|error| error.under(format!("[{i}]")))).transpose()
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

impl Map {
    pub(super) fn entries(&self, skips_null: bool) -> Entries<'_> {
        Entries { entries: self.0.iter(), skips_null, entry: None }
    }
}

impl<'de> Deserializer<'de> for &'de Map {
    type Error = Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.entries(false))
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(self.entries(true))
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0.as_slice() {
            [(variant, content)] => visitor.visit_enum(Tagged { variant, content }),
            _ => Err(de::Error::invalid_value(de::Unexpected::Map, &"an object with one key")),
        }
    }
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        identifier
    }
}

/// Defines deserializer methods for types that only one variant of [`Value`] can hold. Offering no other variant keeps the code of every visitor small.
macro_rules! expected {
    ($($method:ident $pattern:pat => $visit:ident($value:expr))*) => {
        $( fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self {
                $pattern => visitor.$visit($value),
                other => Err(other.unexpected(&visitor)),
            }
        } )*
    };
}

impl<'de> Deserializer<'de> for &'de Value {
    type Error = Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Int(i) => visitor.visit_i64(*i),
            Value::Float(f) => visitor.visit_f64(*f),
            Value::Str(s) => visitor.visit_borrowed_str(s),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Map(map) => map.deserialize_any(visitor),
        }
    }
    expected! {
        deserialize_bool Value::Bool(b) => visit_bool(*b)
        deserialize_i8 Value::Int(i) => visit_i64(*i)
        deserialize_i16 Value::Int(i) => visit_i64(*i)
        deserialize_i32 Value::Int(i) => visit_i64(*i)
        deserialize_i64 Value::Int(i) => visit_i64(*i)
        deserialize_u8 Value::Int(i) => visit_i64(*i)
        deserialize_u16 Value::Int(i) => visit_i64(*i)
        deserialize_u32 Value::Int(i) => visit_i64(*i)
        deserialize_u64 Value::Int(i) => visit_i64(*i)
        deserialize_str Value::Str(s) => visit_borrowed_str(s)
        deserialize_string Value::Str(s) => visit_borrowed_str(s)
        deserialize_identifier Value::Str(s) => visit_borrowed_str(s)
    }
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Value::Map(map) => map.deserialize_any(visitor),
            other => Err(other.unexpected(&visitor)),
        }
    }
    /// Deserializes a struct from a map only: as in Go, a list never stands for a struct.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Value::Map(map) => map.deserialize_struct(name, fields, visitor),
            other => Err(other.unexpected(&visitor)),
        }
    }
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::List(list) = self else { return Err(self.unexpected(&visitor)) };
        visitor.visit_seq(Items { items: list.iter().enumerate() })
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Value::Str(variant) => visitor.visit_enum(StrDeserializer::new(variant)),
            Value::Map(map) => map.deserialize_enum(name, variants, visitor),
            other => Err(de::Error::invalid_type(de::Unexpected::Other(other.json_type()), &"a string or an object")),
        }
    }
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
    serde::forward_to_deserialize_any! {
        i128 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
    }
}

impl Value {
    /// Returns the error about a tree of another type than a visitor expects.
    pub(super) fn unexpected(&self, expected: &dyn de::Expected) -> Error {
        let found = match self {
            Value::Null => de::Unexpected::Unit,
            Value::Bool(b) => de::Unexpected::Bool(*b),
            Value::Int(i) => de::Unexpected::Signed(*i),
            Value::Float(f) => de::Unexpected::Float(*f),
            Value::Str(s) => de::Unexpected::Str(s),
            Value::List(_) => de::Unexpected::Seq,
            Value::Map(_) => de::Unexpected::Map,
        };
        de::Error::invalid_type(found, expected)
    }
}

/// A variant of an enum that is encoded as a map with one entry, from its name to its content.
struct Tagged<'de> {
    variant: &'de str,
    content: &'de Value,
}

impl<'de> de::EnumAccess<'de> for Tagged<'de> {
    type Error = Error;
    type Variant = &'de Value;
    fn variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, &'de Value), Error> {
        Ok((seed.deserialize(Key(self.variant))?, self.content))
    }
}

impl<'de> de::VariantAccess<'de> for &'de Value {
    type Error = Error;
    fn unit_variant(self) -> Result<(), Error> {
        Deserialize::deserialize(self)
    }
    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }
    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }
    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", fields, visitor)
    }
}
