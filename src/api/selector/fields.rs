//! Field selectors, and the selection of objects for lists and watches. Counterpart: `k8s.io/apimachinery/pkg/fields`.

use super::Selector;
use crate::api::object::Object;
use crate::api::order::Order;
use arcstr::ArcStr;

/// A field selector in the syntax of `kubectl --field-selector`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldSelector {
    /// The terms, all of which must hold: the path of a field, true if the field must have the value or false if it must not, and the value.
    pub terms: Vec<(ArcStr, bool, ArcStr)>,
}

impl FieldSelector {
    /// Parses a selector such as `metadata.name=x,status.phase!=Running`; a backslash escapes `\`, `,` and `=`.
    pub fn parse(text: &str) -> Result<FieldSelector, String> {
        let mut parts = split_terms(text);
        parts.order();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|p| !p.is_empty()) {
            let Some((key, equal, value)) = split_term(part) else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            terms.push((key.into(), equal, unescape(value)?));
        }
        Ok(FieldSelector { terms })
    }
    /// Returns true if the selector matches fields whose values the function `lookup` returns; a missing field counts as empty.
    pub fn matches_with<'l>(&self, lookup: &dyn Fn(&str) -> Option<&'l str>) -> bool {
        self.terms.iter().all(|(key, equal, value)| (lookup(key).unwrap_or("") == value) == *equal)
    }
}

/// The restrictions that select objects of a kind for a list or watch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Selection {
    /// The namespace of the objects, `""` for all.
    pub namespace: ArcStr,
    /// The label selector, if there is one.
    pub labels: Option<Selector>,
    /// The field selector, if there is one.
    pub fields: Option<FieldSelector>,
}

impl Selection {
    /// Returns true if the selection includes an object.
    pub fn matches(&self, object: &Object) -> bool {
        let fits = |(path, equal, value): &(ArcStr, bool, ArcStr)| (object.selectable_field(path).unwrap_or_default() == *value) == *equal;
        (self.namespace.is_empty() || object.meta.namespace == self.namespace)
            && self.labels.as_ref().is_none_or(|s| s.matches(object.meta.labels.entries()))
            && self.fields.as_ref().is_none_or(|f| f.terms.iter().all(fits))
    }
}

fn split_terms(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (Vec::new(), 0, false);
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    for (i, _) in term.char_indices() {
        let rest = &term[i..];
        for (sign, equal) in [("!=", false), ("==", true), ("=", true)] {
            if let Some(value) = rest.strip_prefix(sign) {
                return Some((&term[..i], equal, value));
            }
        }
    }
    None
}

fn unescape(value: &str) -> Result<ArcStr, String> {
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                Some(c) => {
                    return Err(format!("invalid field selector: invalid escape sequence: \\{c}"));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_string());
                }
            },
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_compared_and_nonsense_is_quoted_back() {
        let selector = FieldSelector::parse("metadata.name=a,status.phase!=Running").unwrap();
        let pod = |phase: &'static str| move |key: &str| Some(if key == "metadata.name" { "a" } else { phase });
        assert!(selector.matches_with(&pod("Pending")));
        assert!(!selector.matches_with(&pod("Running")));
        let error = FieldSelector::parse("foo").unwrap_err();
        assert_eq!(error, "invalid selector: 'foo'; can't understand 'foo'");
    }
}
