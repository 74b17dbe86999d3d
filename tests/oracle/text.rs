//! Tests the text formats and the field table against recordings of a real cluster.

use loopscope::api::json;
use loopscope::api::quantity::Quantity;
use loopscope::api::schema;
use loopscope::api::selector::Selector;
use loopscope::api::value::{Map, Value};
use loopscope::api::yaml;

fn rows(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/oracle/api/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a copy of the recordings");
    text.lines().map(|line| json::parse(line).expect("a row of JSON")).collect()
}

#[test]
fn quantities_come_out_as_recorded() {
    let rows = rows("quantities.jsonl");
    for row in &rows {
        let text = match row.get("in") {
            Some(Value::Str(s)) => s.to_string(),
            Some(other) => json::to_string(other),
            None => String::new(),
        };
        let got = Quantity::normalize_resource(&text).map_err(|e| format!("Pod in version \"v1\" cannot be handled as a Pod: {e}"));
        let expected = match row.get("out").and_then(Value::as_str) {
            Some(out) => Ok(out.to_string()),
            None => Err(row.get("message").and_then(Value::as_str).unwrap_or("").to_string()),
        };
        assert_eq!(got, expected, "{text}");
    }
    assert!(rows.len() > 40);
}

#[test]
fn selectors_match_what_the_server_matched() {
    for row in rows("selectors.jsonl") {
        let row = row.as_map().expect("a map");
        let text = row.str("selector");
        let expected: Result<Vec<&str>, &str> = match row.int("code") {
            Some(200) => Ok(row.list("matches").iter().filter_map(Value::as_str).collect()),
            _ => Err(row.str("message")),
        };
        let parsed = Selector::parse(text);
        let objects = row.map("objects").expect("objects");
        let got = parsed.as_ref().map_err(String::as_str).map(|selector| {
            let matching = |labels: &Value| selector.matches_map(labels.as_map().unwrap_or(&Map::new()));
            objects.iter().filter(|(_, labels)| matching(labels)).map(|(name, _)| name.as_str()).collect()
        });
        assert_eq!(got, expected, "{text}");
    }
}

#[test]
fn yaml_errors_are_told_as_kubectl_tells_them() {
    let mut seen = 0;
    for row in rows("vectors.jsonl") {
        let manifest = row.at(&["request", "manifest"]).and_then(Value::as_str).unwrap_or("");
        let stderr = row.at(&["kubectl", "stderr"]).and_then(Value::as_str).unwrap_or("");
        let expected = stderr.strip_prefix("error: error parsing STDIN: ").map(str::trim_end);
        let documents = yaml::parse_documents(manifest);
        let got = documents.iter().find_map(|d| d.as_ref().err().map(|e| e.message.as_str()));
        assert_eq!(got, expected, "{manifest}");
        seen += usize::from(expected.is_some());
    }
    assert!(seen >= 9);
}

#[test]
fn yaml_is_printed_as_kubectl_prints_it() {
    let folder = format!("{}/tests/oracle/kubectl", env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("a copy of the recordings") {
        let path = entry.expect("a file").path();
        if !path.to_string_lossy().contains("o-yaml") {
            continue;
        }
        let row = json::parse(&std::fs::read_to_string(&path).expect("text")).expect("JSON");
        let printed = row.get("stdout").and_then(Value::as_str).unwrap_or("");
        if printed.is_empty() {
            continue;
        }
        let value = yaml::parse(printed).expect("YAML");
        let emitted = yaml::emit(&value);
        let other = emitted.lines().zip(printed.lines()).find(|(a, b)| a != b);
        assert_eq!(other, None, "{}", path.display());
        assert_eq!(emitted.len(), printed.len(), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 5);
}

/// Returns the answer of the engine's decoder to a row's manifest, and the recorded answer.
fn decoding(row: &Value) -> Option<(String, String)> {
    let manifest = row.at(&["request", "manifest"]).and_then(Value::as_str)?;
    let recorded = row.at(&["response", "message"]).and_then(Value::as_str).unwrap_or("");
    let document = yaml::parse_documents(manifest).into_iter().next()?.ok()?;
    let map = document.value.as_map()?;
    let (group, version) = map.str("apiVersion").split_once('/').unwrap_or(("", map.str("apiVersion")));
    let schema = schema::schema_of(group, version, map.str("kind"))?;
    let duplicates: Vec<String> = document.duplicates_message().into_iter().collect();
    let result = schema::check_with_duplicates(schema.name, map.str("kind"), version, &document.value, &duplicates);
    let refused = recorded.contains("cannot be handled as") && !recorded.contains("is registered for version");
    let recorded = if refused { recorded } else { "" };
    row.get("response")?;
    Some((result.err().map(|e| e.message).unwrap_or_default(), recorded.to_string()))
}

#[test]
fn decoding_errors_are_the_servers() {
    let mut seen = std::collections::BTreeMap::new();
    for row in rows("vectors.jsonl") {
        let Some((got, recorded)) = decoding(&row) else {
            continue;
        };
        assert_eq!(got, recorded, "{:?}", row.get("id"));
        *seen.entry(row.as_map().expect("a map").str("group").to_string()).or_insert(0) += 1;
    }
    println!("{seen:?}");
    assert!(seen["wrong-type"] >= 30 && seen["unknown-field"] >= 25);
}

#[test]
fn the_client_refuses_metadata_of_wrong_types() {
    let mut seen = 0;
    for row in rows("vectors.jsonl") {
        let manifest = row.at(&["request", "manifest"]).and_then(Value::as_str).unwrap_or("");
        let stderr = row.at(&["kubectl", "stderr"]).and_then(Value::as_str).unwrap_or("");
        let Some(Ok(document)) = yaml::parse_documents(manifest).into_iter().next() else {
            continue;
        };
        let got = schema::check_type_meta(&document.value)
            .map_err(|e| format!("error: error validating \"STDIN\": error validating data: {e}; if you choose to ignore these errors, turn validation off with --validate=false\n"))
            .and_then(|()| schema::check_client_metadata(&document.value).map_err(|e| format!("error: unable to decode \"STDIN\": {e}\n")));
        if stderr.contains("error validating data") || stderr.contains("unable to decode") {
            assert_eq!(got, Err(stderr.to_string()));
            seen += 1;
        } else {
            assert_eq!(got, Ok(()), "{manifest}");
        }
    }
    assert!(seen >= 6);
}

#[test]
fn no_text_breaks_the_yaml_reader() {
    let texts = [
        include_str!("../../static/content/examples/deployment.yaml"),
        include_str!("../../static/content/examples/readiness.yaml"),
        "a: &x {b: [1, 'two', \"th\\u0072ee\"], <<: *x}\nc: |+2\n   text\n  more\n\nd: >-\n  folded\n? - key\n: value\n--- !!str\n# end\n...\n",
    ];
    let pieces = [
        ":", "-", "- ", "? ", "!", "!!", "&", "*", "{", "}", "[", "]", ",", "#", "|", ">", "'", "\"", "%", "@", "`", "\\", "\n", "\r\n",
        "\t", " ", "  ", "---", "...", "<<: *a", "&a", "*a", "\u{0}", "\u{feff}", "é", "😀", "!<", "\\x", "\\u12", "0x", "1e999",
    ];
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for round in 0..6_000 {
        let mut letters: Vec<char> = texts[round % texts.len()].chars().collect();
        for _ in 0..=random(6) {
            let at = random(letters.len());
            let until = (at + random(9)).min(letters.len());
            letters.splice(at..until, pieces[random(pieces.len())].chars());
        }
        let text: String = letters.into_iter().collect();
        let lines = text.lines().count() + 2;
        for document in yaml::parse_documents(&text) {
            match document {
                Ok(document) => assert_eq!(yaml::parse(&yaml::emit(&document.value)).as_ref(), Ok(&document.value), "{text:?}"),
                Err(error) => assert!(error.line as usize <= lines, "{error:?} in {text:?}"),
            }
        }
    }
    // Neither depth nor size can be had for free.
    for deep in ["[", "{a: ", "- ", "? ", "a:\n "] {
        drop(yaml::parse_documents(&deep.repeat(20_000)));
    }
    let bomb: String =
        (1..40).map(|n| format!("a{n}: &a{n} [{0}, {0}]\n", if n == 1 { "1".to_owned() } else { format!("*a{}", n - 1) })).collect();
    assert!(yaml::parse(&bomb).is_err(), "aliases of aliases are bounded");
}
