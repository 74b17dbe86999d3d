//! Serializes trees with serde: a [`Value`] into any format, and any type that derives `Serialize` into a [`Value`].

use super::{Error, Map, Value};
use arcstr::ArcStr;
use serde::ser::{self, Error as _, Serialize, SerializeMap, Serializer};
use std::cell::Cell;

/// Encodes anything that serde can serialize as a tree.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    value.serialize(TreeSerializer)
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(i) => serializer.serialize_i64(*i),
            Value::Float(f) => serializer.serialize_f64(*f),
            Value::Str(s) => serializer.serialize_newtype_struct(TREE, &Tree(|| self.clone(), s.as_str())),
            Value::List(list) => serializer.serialize_newtype_struct(TREE, &Tree(|| self.clone(), list)),
            Value::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(TREE, &Tree(|| Value::Map(self.clone()), &Entries(self)))
    }
}

struct Entries<'a>(&'a Map);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

/// The name of the newtype that wraps a part of a tree for serializers. All serializers but [`TreeSerializer`] ignore it.
const TREE: &str = "$loopscope::Tree";

/// A part of a tree that is being serialized: a function that copies the part, sharing its strings, and the part itself, to be serialized entry by entry.
/// Serde cannot pass on a value as it is, so the copy goes through [`COPY`]. Without it, every comparison of two versions of a Deployment would copy the pod
/// template string by string.
struct Tree<'a, C: Fn() -> Value, T: Serialize + ?Sized>(C, &'a T);

thread_local! {
    /// The hand-over of a copy from [`Tree`] to [`TreeSerializer`], which asks for it.
    static COPY: Cell<SharedCopy> = const { Cell::new(SharedCopy::Nothing) };
}

#[derive(Default)]
enum SharedCopy {
    #[default]
    Nothing,
    Wanted,
    Given(Value),
}

impl<C: Fn() -> Value, T: Serialize + ?Sized> Serialize for Tree<'_, C, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match COPY.take() {
            SharedCopy::Wanted => {
                COPY.set(SharedCopy::Given((self.0)()));
                serializer.serialize_unit()
            }
            _ => self.1.serialize(serializer),
        }
    }
}

impl From<&Value> for serde_json::Value {
    fn from(value: &Value) -> Self {
        // Only a number that JSON cannot express fails, and becomes null.
        serde_json::to_value(value).unwrap_or_default()
    }
}

/// A serde serializer whose result is a tree.
pub struct TreeSerializer;

macro_rules! integers {
    ($($method:ident $type:ty)*) => {
        $( fn $method(self, n: $type) -> Result<Value, Error> {
            Ok(Value::Int(n.into()))
        } )*
    };
}

impl Serializer for TreeSerializer {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = ListSerializer;
    type SerializeTuple = ListSerializer;
    type SerializeTupleStruct = ListSerializer;
    type SerializeTupleVariant = Variant<ListSerializer>;
    type SerializeMap = MapSerializer;
    type SerializeStruct = MapSerializer;
    type SerializeStructVariant = Variant<MapSerializer>;

    integers! { serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64 serialize_u8 u8 serialize_u16 u16 serialize_u32 u32 }

    fn serialize_bool(self, b: bool) -> Result<Value, Error> {
        Ok(Value::Bool(b))
    }
    fn serialize_u64(self, n: u64) -> Result<Value, Error> {
        Ok(i64::try_from(n).map_or(Value::Float(n as f64), Value::Int))
    }
    fn serialize_f32(self, f: f32) -> Result<Value, Error> {
        Ok(Value::Float(f.into()))
    }
    fn serialize_f64(self, f: f64) -> Result<Value, Error> {
        Ok(Value::Float(f))
    }
    fn serialize_char(self, c: char) -> Result<Value, Error> {
        Ok(c.to_string().into())
    }
    fn serialize_str(self, s: &str) -> Result<Value, Error> {
        Ok(s.into())
    }
    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, Error> {
        Ok(Value::List(bytes.iter().map(|b| Value::Int((*b).into())).collect()))
    }
    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<Value, Error> {
        Ok(variant.into())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<Value, Error> {
        if name != TREE {
            return value.serialize(self);
        }
        COPY.set(SharedCopy::Wanted);
        let plain = value.serialize(self);
        match COPY.take() {
            SharedCopy::Given(copy) => Ok(copy),
            _ => plain,
        }
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        Ok(tagged(variant, to_value(value)?))
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<ListSerializer, Error> {
        Ok(ListSerializer(Vec::with_capacity(len.unwrap_or(0))))
    }
    fn serialize_tuple(self, len: usize) -> Result<ListSerializer, Error> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<ListSerializer, Error> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<ListSerializer>, Error> {
        Ok(Variant { variant, content: self.serialize_seq(Some(len))? })
    }
    fn serialize_map(self, _len: Option<usize>) -> Result<MapSerializer, Error> {
        Ok(MapSerializer::default())
    }
    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<MapSerializer, Error> {
        Ok(MapSerializer::default())
    }
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Variant<MapSerializer>, Error> {
        Ok(Variant { variant, content: MapSerializer::default() })
    }
}

fn tagged(variant: &'static str, content: Value) -> Value {
    crate::map! { variant => content }.into()
}

pub struct ListSerializer(Vec<Value>);

impl ser::SerializeSeq for ListSerializer {
    type Ok = Value;
    type Error = Error;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        self.0.push(to_value(item)?);
        Ok(())
    }
    fn end(self) -> Result<Value, Error> {
        Ok(Value::List(self.0))
    }
}
impl ser::SerializeTuple for ListSerializer {
    type Ok = Value;
    type Error = Error;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        ser::SerializeSeq::serialize_element(self, item)
    }
    fn end(self) -> Result<Value, Error> {
        ser::SerializeSeq::end(self)
    }
}
impl ser::SerializeTupleStruct for ListSerializer {
    type Ok = Value;
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        ser::SerializeSeq::serialize_element(self, item)
    }
    fn end(self) -> Result<Value, Error> {
        ser::SerializeSeq::end(self)
    }
}

#[derive(Default)]
pub struct MapSerializer {
    map: Map,
    /// The key of the map's next value.
    key: ArcStr,
}

impl SerializeMap for MapSerializer {
    type Ok = Value;
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = match to_value(key)? {
            Value::Str(key) => key,
            key @ (Value::Int(_) | Value::Bool(_)) => key.plain_text().into(),
            _ => return Err(Error::custom("the key of a map must be a string")),
        };
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.map.put(std::mem::take(&mut self.key), to_value(value)?);
        Ok(())
    }
    fn end(self) -> Result<Value, Error> {
        Ok(Value::Map(self.map))
    }
}
impl ser::SerializeStruct for MapSerializer {
    type Ok = Value;
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.map.put(key.into(), to_value(value)?);
        Ok(())
    }
    fn end(self) -> Result<Value, Error> {
        Ok(Value::Map(self.map))
    }
}

/// The content of an enum's variant, which will be stored under the variant's name.
pub struct Variant<S> {
    variant: &'static str,
    content: S,
}

impl ser::SerializeTupleVariant for Variant<ListSerializer> {
    type Ok = Value;
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        ser::SerializeSeq::serialize_element(&mut self.content, item)
    }
    fn end(self) -> Result<Value, Error> {
        Ok(tagged(self.variant, ser::SerializeSeq::end(self.content)?))
    }
}
impl ser::SerializeStructVariant for Variant<MapSerializer> {
    type Ok = Value;
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        ser::SerializeStruct::serialize_field(&mut self.content, key, value)
    }
    fn end(self) -> Result<Value, Error> {
        Ok(tagged(self.variant, SerializeMap::end(self.content)?))
    }
}
