//! The pod-template-hash: FNV-1a over a dump of the template. Counterpart: `ComputeHash` in `pkg/controller` and `k8s.io/utils/dump`.
//!
//! The dump is what go-spew's `%#v` prints of the Go struct: every field in order, with its type, even if it is empty. So the hash equals Kubernetes' own.
//! For templates with retired volume types, claim templates in volumes or quantities beyond 15 digits, the hash is deterministic but differs from
//! Kubernetes'.
//!
//! FNV-1a is written out here because `std` promises no particular hash, and the result must equal that of Go's `hash/fnv`.

use super::layout;
use crate::api::json;
use crate::api::kind::template::PodTemplate;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use std::fmt::{self, Write};

/// Returns the hash of a pod template, as labels and names contain it. `collisions` is the Deployment's `collisionCount` and changes the hash.
pub fn of(template: &PodTemplate, collisions: Option<i32>) -> ArcStr {
    let mut sum = Sum(0x811c_9dc5);
    // Writing into the sum cannot fail.
    let _ = sum.field("PodTemplateSpec", Some(&template.to_map().into()));
    if let Some(n) = collisions {
        sum.feed(&u64::from(n as u32).to_le_bytes());
    }
    // As in `rand.SafeEncodeString`: an alphabet without vowels, so that no hash spells a word.
    let mut text = String::new();
    for digit in sum.0.to_string().bytes() {
        text.push(char::from(b"456789bcdf"[usize::from(digit.wrapping_sub(b'0')) % 10]));
    }
    text.into()
}

/// A running 32-bit FNV-1a sum.
struct Sum(u32);

impl Write for Sum {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.feed(text.as_bytes());
        Ok(())
    }
}

impl Sum {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
    /// Adds a value to the dump, preceded by its Go type in parentheses; `None` stands for a field that is not set.
    fn field(&mut self, type_: &str, value: Option<&Value>) -> fmt::Result {
        let value = value.filter(|v| !v.is_null());
        let name = type_.trim_start_matches(['*', '[', ']']);
        let stars = &type_[..type_.len() - name.len()];
        match name {
            "s" => write!(self, "({stars}string)")?,
            "b" => write!(self, "({stars}bool)")?,
            "i" => write!(self, "({stars}int32)")?,
            "l" => write!(self, "({stars}int64)")?,
            "m" => self.write_str("(map[string]string)")?,
            "q" => self.write_str("(v1.ResourceList)")?,
            _ if name.contains('.') => write!(self, "({stars}{name})")?,
            _ => write!(self, "({stars}v1.{name})")?,
        }
        match (type_.strip_prefix('*'), value) {
            (Some(_), None) => self.write_str("<nil>"),
            (Some(inner), Some(_)) => self.plain(inner, value),
            (None, _) => self.plain(type_, value),
        }
    }
    fn plain(&mut self, type_: &str, value: Option<&Value>) -> fmt::Result {
        if let Some(item) = type_.strip_prefix("[]") {
            return self.list(item, value.and_then(Value::as_list).unwrap_or(&[]));
        }
        match type_ {
            "b" => self.write_str(if value.and_then(Value::as_bool) == Some(true) { "true" } else { "false" }),
            "i" | "l" => write!(self, "{}", value.and_then(Value::as_int).unwrap_or(0)),
            "m" | "q" => self.map(type_, value.and_then(Value::as_map)),
            "Time" => self.write_str("{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"),
            "intstr.IntOrString" => match value {
                Some(Value::Str(s)) => write!(self, "{{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string){s}}}"),
                other => {
                    write!(self, "{{Type:(intstr.Type)0 IntVal:(int32){} StrVal:(string)}}", other.and_then(Value::as_int).unwrap_or(0))
                }
            },
            "resource.Quantity" => self.quantity(value),
            _ => match layout::fields(type_) {
                Some(fields) => self.structure(fields, value.and_then(Value::as_map)),
                None => self.scalar(value),
            },
        }
    }
    fn structure(&mut self, fields: &str, value: Option<&Map>) -> fmt::Result {
        let empty = Map::new();
        let value = value.unwrap_or(&empty);
        for (i, field) in fields.split(',').enumerate() {
            self.write_str(if i == 0 { "{" } else { " " })?;
            let (name, type_) = field.split_once(' ').unwrap_or((field, "s"));
            if let Some(embedded) = name.strip_prefix('^') {
                write!(self, "{embedded}:(v1.{type_})")?;
                self.structure(layout::fields(type_).unwrap_or_default(), Some(value))?;
                continue;
            }
            let (name, key) = match name.split_once('=') {
                Some((name, key)) => (name, ArcStr::from(key)),
                None => (name, json_name(name)),
            };
            write!(self, "{name}:")?;
            self.field(type_, value.get(&key))?;
        }
        self.write_str("}")
    }
    fn list(&mut self, item: &str, list: &[Value]) -> fmt::Result {
        if list.is_empty() {
            return self.write_str("<nil>");
        }
        for (i, value) in list.iter().enumerate() {
            self.write_str(if i == 0 { "[" } else { " " })?;
            self.plain(item, Some(value))?;
        }
        self.write_str("]")
    }
    fn map(&mut self, type_: &str, map: Option<&Map>) -> fmt::Result {
        let Some(map) = map.filter(|m| !m.is_empty()) else { return self.write_str("<nil>") };
        let mut entries: Vec<_> = map.iter().collect();
        entries.order_by(|a, b| a.0.cmp(b.0));
        for (i, (key, value)) in entries.into_iter().enumerate() {
            write!(self, "{}{key}:", if i == 0 { "map[" } else { " " })?;
            if type_ == "q" { self.quantity(Some(value))? } else { self.scalar(Some(value))? }
        }
        self.write_str("]")
    }
    fn scalar(&mut self, value: Option<&Value>) -> fmt::Result {
        match value {
            None => Ok(()),
            Some(Value::Str(s)) => self.write_str(s),
            Some(other) => self.write_str(&json::to_string(other)),
        }
    }
    fn quantity(&mut self, value: Option<&Value>) -> fmt::Result {
        let text = match value {
            None => String::new(),
            Some(Value::Str(s)) => s.to_string(),
            Some(other) => json::to_string(other),
        };
        let (amount, scale, format, as_written) = parse_quantity(&text);
        write!(
            self,
            "{{i:(resource.int64Amount){{value:(int64){amount} scale:(resource.Scale){scale}}} d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}}"
        )?;
        write!(self, " s:(string){} Format:(resource.Format){format}}}", if as_written { &text } else { "" })
    }
}

/// Returns a quantity's amount, its power of ten, its format, and whether Go's `ParseQuantity` keeps the string because a quick check takes it for canonical.
fn parse_quantity(text: &str) -> (i64, i32, &'static str, bool) {
    if text.is_empty() {
        return (0, 0, "", false);
    }
    if text == "0" {
        return (0, 0, "DecimalSI", true);
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let unsigned = number.trim_start_matches(['+', '-']).trim_start_matches('0');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let whole = if whole.is_empty() { "0" } else { whole };
    let shifted = format!("{whole}{fraction}");
    let value: i64 = shifted.parse().unwrap_or(0);
    let sign = if number.starts_with('-') { -1 } else { 1 };
    if let Some(i) = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].iter().position(|s| *s == suffix) {
        return (sign * value.saturating_mul(1 << (10 * (i + 1))), 0, "BinarySI", value & 7 != 0);
    }
    let si = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].iter().position(|s| *s == suffix);
    let (exponent, format) = match si {
        Some(i) => (3 * i as i32 - 9, "DecimalSI"),
        None => (suffix.get(1..).and_then(|e| e.parse().ok()).unwrap_or(0), "DecimalExponent"),
    };
    let scale = exponent - fraction.len() as i32;
    (sign * value, scale, format, scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0'))
}

/// Derives the JSON name from the Go name: `DNSPolicy` is `dnsPolicy`, `HostPID` is `hostPID`, `TTY` is `tty`.
fn json_name(name: &str) -> ArcStr {
    let capitals = name.bytes().take_while(u8::is_ascii_uppercase).count();
    let lower = if capitals > 1 && capitals < name.len() { capitals - 1 } else { capitals };
    let letter = |(i, c): (usize, char)| if i < lower { c.to_ascii_lowercase() } else { c };
    name.chars().enumerate().map(letter).collect::<String>().into()
}
