//! Tokens that continue a list where its last page ended. Counterpart: `apiserver/pkg/storage/continue.go`.

use crate::api::base64;
use crate::api::json;
use crate::api::meta::Key;
use crate::api::value::Value;

const VERSION: &str = "meta.k8s.io/v1";
const NOT_VALID: &str = "continue key is not valid";

/// Formats a continue token from the revision of the list and the key of its last object. In a list of one namespace the key is only the name.
pub fn write(revision: u64, last: &Key, namespace: &str) -> String {
    let start = if namespace.is_empty() && !last.namespace.is_empty() {
        format!("{}/{}", last.namespace, last.name)
    } else {
        last.name.to_string()
    };
    let text = format!("{{\"v\":{VERSION:?},\"rv\":{revision},\"start\":\"{start}\\u0000\"}}");
    base64::encode(text).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// Parses a continue token into the revision of the list (0 for the newest) and the key to begin at.
pub fn read(token: &str, namespace: &str) -> Result<(u64, Key), String> {
    let foreign = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
    let illegal = token.find(foreign).or((token.len() % 4 == 1).then_some(token.len().saturating_sub(1)));
    if let Some(at) = illegal {
        return Err(format!("{NOT_VALID}: illegal base64 data at input byte {at}"));
    }
    let mut padded = token.replace('-', "+").replace('_', "/");
    while !padded.len().is_multiple_of(4) {
        padded.push('=');
    }
    let bytes = base64::decode(&padded).unwrap_or_default();
    let content = json::parse(&String::from_utf8_lossy(&bytes)).map_err(|problem| format!("{NOT_VALID}: {problem}"))?;
    let Value::Map(content) = content else {
        let kind = content.json_type();
        return Err(format!("{NOT_VALID}: json: cannot unmarshal {kind} into Go value of type storage.continueToken"));
    };
    if content.str("v") != VERSION {
        return Err(format!("{NOT_VALID}: server does not recognize this encoded version {}", content.str("v")));
    }
    let revision = content.int("rv").unwrap_or(0);
    if revision == 0 {
        return Err(format!("{NOT_VALID}: incorrect encoded start resourceVersion (version {VERSION})"));
    }
    // A negative revision asks for the newest one.
    let revision = u64::try_from(revision).unwrap_or(0);
    let start = content.str("start");
    if start.is_empty() {
        return Err(format!("{NOT_VALID}: encoded start key empty (version {VERSION})"));
    }
    if start.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(format!("{NOT_VALID}: {start}"));
    }
    let (place, name) = start.split_once('/').unwrap_or((namespace, start));
    Ok((revision, Key::new(place, name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_continues_after_the_last_object() {
        let token = write(7, &Key::new("default", "web"), "");
        assert_eq!(read(&token, ""), Ok((7, Key::new("default", "web\0"))));
        let token = write(7, &Key::new("default", "web"), "default");
        assert_eq!(read(&token, "default"), Ok((7, Key::new("default", "web\0"))));
    }

    #[test]
    fn a_malformed_token_is_refused_in_the_words_of_the_real_server() {
        for (token, problem) in [
            ("a b", "continue key is not valid: illegal base64 data at input byte 1"),
            ("e30", "continue key is not valid: server does not recognize this encoded version "),
            ("W10", "continue key is not valid: json: cannot unmarshal array into Go value of type storage.continueToken"),
        ] {
            assert_eq!(read(token, ""), Err(problem.to_owned()), "{token}");
        }
    }
}
