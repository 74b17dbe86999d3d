//! Tokens in the form of a real JWT. Nobody signs them, and no server here checks them.

use super::base64;
use super::json;
use super::value::Map;
use crate::map;

/// Returns a token that makes these claims.
pub fn unsigned(claims: Map) -> String {
    let part = |text: &str| base64::encode(text.as_bytes()).replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned();
    let head = map! { "alg" => "RS256", "kid" => "loopscope" };
    let [head, claims] = [head, claims].map(|map| part(&json::to_string(&map.into())));
    format!("{head}.{claims}.{}", part("this playground signs nothing"))
}
