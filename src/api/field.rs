//! Field paths and validation errors, in the API server's words. Counterpart: `k8s.io/apimachinery/pkg/util/validation/field`.

use super::json;
use super::value::Value;
use std::fmt;

/// The path of a field in an object, written as the API server writes it: `spec.containers[0].resources.requests[cpu]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(String);

impl Path {
    /// Creates the path of a top-level field, or of the object itself if `first` is empty.
    pub fn new(first: &str) -> Self {
        Path(first.to_owned())
    }
    /// Returns the path of a named field below this one.
    pub fn child(&self, name: &str) -> Self {
        if self.0.is_empty() { Path(name.to_owned()) } else { Path(format!("{}.{name}", self.0)) }
    }
    /// Returns the path of an element of this list.
    pub fn index(&self, i: usize) -> Self {
        Path(format!("{}[{i}]", self.0))
    }
    /// Returns the path of an entry of this map.
    pub fn key(&self, key: &str) -> Self {
        Path(format!("{}[{key}]", self.0))
    }
    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The type of a field error, named as in `metav1.CauseType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldErrorKind {
    /// The value names something that does not exist: `FieldValueNotFound`.
    NotFound,
    /// The field is required: `FieldValueRequired`.
    Required,
    /// The value occurs already: `FieldValueDuplicate`.
    Duplicate,
    /// The value is malformed or out of range: `FieldValueInvalid`.
    Invalid,
    /// The value is none of the supported ones: `FieldValueNotSupported`.
    NotSupported,
    /// The field may not be set here: `FieldValueForbidden`.
    Forbidden,
    /// The value is too long: `FieldValueTooLong`.
    TooLong,
    /// The list has too many items: `FieldValueTooMany`.
    TooMany,
    /// The value has the wrong type: `FieldValueTypeInvalid`.
    TypeInvalid,
}

impl FieldErrorKind {
    /// Returns the `reason` of the error's cause in a `Status`.
    pub fn reason(self) -> &'static str {
        match self {
            FieldErrorKind::NotFound => "FieldValueNotFound",
            FieldErrorKind::Required => "FieldValueRequired",
            FieldErrorKind::Duplicate => "FieldValueDuplicate",
            FieldErrorKind::Invalid => "FieldValueInvalid",
            FieldErrorKind::NotSupported => "FieldValueNotSupported",
            FieldErrorKind::Forbidden => "FieldValueForbidden",
            FieldErrorKind::TooLong => "FieldValueTooLong",
            FieldErrorKind::TooMany => "FieldValueTooMany",
            FieldErrorKind::TypeInvalid => "FieldValueTypeInvalid",
        }
    }
}

/// A validation error of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The type of the error.
    pub kind: FieldErrorKind,
    /// The path of the field that is wrong.
    pub field: Path,
    /// The message in the API server's words, without the path: `Invalid value: -1: must be greater than or equal to 0`.
    pub message: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// The validation errors found so far, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors(pub Vec<FieldError>);

impl Errors {
    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn push(&mut self, kind: FieldErrorKind, field: &Path, message: String) {
        self.0.push(FieldError { kind, field: field.clone(), message });
    }
    /// Returns a value as the API server shows it: a text in quotes, anything else as JSON. Counterpart: `ErrorBody`.
    fn shown(value: &Value) -> String {
        value.as_str().map_or_else(|| json::to_string_html(value), quoted)
    }
    /// Adds the error `Required value[: detail]`.
    pub fn required(&mut self, field: &Path, detail: &str) {
        let message = if detail.is_empty() { "Required value".to_owned() } else { format!("Required value: {detail}") };
        self.push(FieldErrorKind::Required, field, message);
    }
    /// Adds the error `Invalid value: V: detail`.
    pub fn invalid(&mut self, field: &Path, value: impl Into<Value>, detail: &str) {
        self.invalid_text(field, &Self::shown(&value.into()), detail);
    }
    /// Adds the error `Invalid value: V: detail`, with `value` inserted as it is, for values that Go does not print as JSON.
    pub fn invalid_text(&mut self, field: &Path, value: &str, detail: &str) {
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        self.push(FieldErrorKind::Invalid, field, format!("Invalid value: {value}{detail}"));
    }
    /// Adds the error `Invalid value: detail`, without the value.
    pub fn invalid_without_value(&mut self, field: &Path, detail: &str) {
        self.push(FieldErrorKind::Invalid, field, format!("Invalid value: {detail}"));
    }
    /// Adds one error `Invalid value` for each problem found with a value.
    pub fn invalid_each(&mut self, field: &Path, value: impl Into<Value>, problems: Vec<String>) {
        if !problems.is_empty() {
            let text = Self::shown(&value.into());
            for problem in problems {
                self.invalid_text(field, &text, &problem);
            }
        }
    }
    /// Adds the error `Unsupported value: "V": supported values: "A", "B"`, in the given order, which should be the server's (it sorts only some lists).
    pub fn not_supported(&mut self, field: &Path, value: impl Into<Value>, supported: &[&str]) {
        let list = supported.iter().map(|s| format!("\"{s}\"")).collect::<Vec<_>>().join(", ");
        let message = format!("Unsupported value: {}: supported values: {list}", Self::shown(&value.into()));
        self.push(FieldErrorKind::NotSupported, field, message);
    }
    /// Adds the error `Duplicate value: V`.
    pub fn duplicate(&mut self, field: &Path, value: impl Into<Value>) {
        self.push(FieldErrorKind::Duplicate, field, format!("Duplicate value: {}", Self::shown(&value.into())));
    }
    /// Adds the error `Duplicate value: V[: detail]`, with `value` inserted as it is.
    pub fn duplicate_text(&mut self, field: &Path, value: &str, detail: &str) {
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        self.push(FieldErrorKind::Duplicate, field, format!("Duplicate value: {value}{detail}"));
    }
    /// Adds the error `Forbidden: detail`.
    pub fn forbidden(&mut self, field: &Path, detail: &str) {
        self.push(FieldErrorKind::Forbidden, field, format!("Forbidden: {detail}"));
    }
    /// Adds the error `Not found: V`.
    pub fn not_found(&mut self, field: &Path, value: impl Into<Value>) {
        self.push(FieldErrorKind::NotFound, field, format!("Not found: {}", Self::shown(&value.into())));
    }
    /// Adds an error of any type with a complete message.
    pub fn other(&mut self, kind: FieldErrorKind, field: &Path, message: String) {
        self.push(kind, field, message);
    }
    /// Adds the error `Too long: may not be more than N bytes`.
    pub fn too_long(&mut self, field: &Path, max: usize) {
        self.push(FieldErrorKind::TooLong, field, format!("Too long: may not be more than {max} bytes"));
    }
    /// Adds the error `Too many: N: must have at most M items`.
    pub fn too_many(&mut self, field: &Path, actual: usize, max: usize) {
        let items = if max == 1 { "item" } else { "items" };
        self.push(FieldErrorKind::TooMany, field, format!("Too many: {actual}: must have at most {max} {items}"));
    }
}

/// Writes a text in double quotes as Go's `%q` does: what cannot be printed is escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}');
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\0'..='\u{1f}' | '\u{7f}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            _ if hidden || c.is_control() || (c.is_whitespace() && c != ' ') => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_go_quotes_them() {
        assert_eq!(quoted("<é\u{1}\t\u{a0}\"\\>"), "\"<é\\x01\\t\\u00a0\\\"\\\\>\"");
    }
}
