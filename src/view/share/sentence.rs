//! Reads typed values from JSON; its errors are sentences for people, because they write share links by hand too.

use crate::api::value::{Value, from_value};
use serde::de::DeserializeOwned;

/// Reads an object; the error is a sentence that names the field.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    if value.as_map().is_none() {
        return Err("it is no object".to_owned());
    }
    from_value(value).map_err(|error| sentence(&error.path(), &error.to_string()))
}

/// Turns serde's message about the value at a path into a sentence. Unknown messages stay as they are.
fn sentence(path: &str, message: &str) -> String {
    let quoted = |start: &str| message.strip_prefix(start).and_then(|rest| rest.split_once('`'));
    if let Some((field, _)) = quoted("unknown field `") {
        let known = path == field || path.ends_with(&format!(".{field}"));
        let place = if path.is_empty() || known { String::new() } else { format!("{path}.") };
        return format!("the field \"{place}{}\" is not known", if known { path } else { field });
    }
    if let Some((field, _)) = quoted("missing field `") {
        return if path.is_empty() { format!("it lacks {field}") } else { format!("{path} lacks {field}") };
    }
    if let Some((name, known)) = quoted("unknown variant `") {
        let known = known.trim_start_matches(", expected one of ").replace('`', "");
        return format!("there is no \"{name}\", only {known}");
    }
    match message.strip_prefix("invalid ").and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((_, expected)) if !path.is_empty() => format!("{path} must be {}", in_words(expected)),
        Some((found, expected)) => {
            let found = found.split_once(": ").map_or(found, |(_, found)| found);
            format!("it has {} where {} belongs", found.replace('`', ""), in_words(expected))
        }
        None => message.to_owned(),
    }
}

/// Translates a type that serde expected into everyday words.
fn in_words(expected: &str) -> &str {
    match expected {
        "i64" | "i32" => "a whole number",
        "u64" | "u32" | "usize" => "a whole number that is not below zero",
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a tuple of size 2" => "a pair of texts",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::sim::{Config, Fault};
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (value, wanted) in [
            (json!({"nodes": {"count": -1}}), "nodes.count must be a whole number that is not below zero"),
            (json!({"nodes": {"cpu": 4}}), "nodes.cpu must be a text"),
            (json!({"nodes": {"labels": ["a", 1]}}), "nodes.labels[1] must be a text"),
            (json!({"nodes": {"pets": 1}}), "the field \"nodes.pets\" is not known"),
            (json!({"pets": 1}), "the field \"pets\" is not known"),
            (json!({"manager": 1}), "manager must be an object"),
            (json!([]), "it is no object"),
        ] {
            assert_eq!(read::<Config>(&value.clone().into()), Err(wanted.to_owned()), "{value}");
        }
        for (value, wanted) in [
            (json!({"fault": "crash-node"}), "it lacks node"),
            (json!({"fault": "crash-node", "node": 1}), "it has integer 1 where a text belongs"),
            (json!({"fault": "registry", "up": true, "down": 1}), "the field \"down\" is not known"),
            (json!({"node": "node-1"}), "it lacks fault"),
        ] {
            assert_eq!(read::<Fault>(&value.clone().into()), Err(wanted.to_owned()), "{value}");
        }
    }
}
