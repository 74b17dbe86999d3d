//! Round trips of trees through serde.

use super::{Map, Value, from_value, to_value};
use crate::api::random::Rng;
use crate::map;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

fn text(rng: &mut Rng) -> ArcStr {
    let letters = ["a", "Z", "0", "\"", "\\", "\n", "é", "\u{1F600}", " ", "\u{0}"];
    (0..rng.below(6)).map(|_| letters[rng.below(letters.len() as u64) as usize]).collect::<String>().into()
}

fn tree(rng: &mut Rng, depth: u32) -> Value {
    match rng.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => Value::Bool(rng.below(2) == 1),
        2 => Value::Int([0, -1, 7, i64::MAX, i64::MIN][rng.below(5) as usize]),
        3 => Value::Float([0.0, -1.0, 2.5, 1e300, 0.1][rng.below(5) as usize]),
        4 => Value::Str(text(rng)),
        5 => Value::List((0..rng.below(5)).map(|_| tree(rng, depth - 1)).collect()),
        _ => Value::Map((0..rng.below(5)).map(|_| (text(rng), tree(rng, depth - 1))).collect()),
    }
}

#[test]
fn a_random_tree_survives_json_and_back() {
    let mut rng = Rng::new(1, 1);
    for _ in 0..2_000 {
        let value = tree(&mut rng, 4);
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{json}");
        assert_eq!(Value::from(serde_json::Value::from(&value)), value, "{json}");
        assert_eq!(to_value(&value).unwrap(), value, "{json}");
        assert_eq!(from_value::<Value>(&value).unwrap(), value, "{json}");
    }
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Everything {
    on: bool,
    small: i8,
    big: u64,
    share: f64,
    name: ArcStr,
    maybe: Option<i32>,
    items: Vec<Choice>,
    by_number: BTreeMap<u16, String>,
    pair: (i32, String),
    tree: Value,
    map: Map,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Choice {
    Nothing,
    One(i32),
    Two(i32, bool),
    Named { key: ArcStr },
}

#[test]
fn a_struct_becomes_the_tree_that_json_would_show_and_comes_back() {
    let value = Everything {
        on: true,
        small: -3,
        big: 1 << 60,
        share: 2.0,
        name: "web".into(),
        maybe: Some(5),
        items: vec![Choice::Nothing, Choice::One(1), Choice::Two(2, true), Choice::Named { key: "k".into() }],
        by_number: [(80, "http".to_owned())].into(),
        pair: (1, "one".to_owned()),
        tree: vec![Value::Null, 1.into()].into(),
        map: map! { "a" => Value::Null },
        other: [("extra".to_owned(), Value::Float(1.5))].into(),
    };
    let tree = to_value(&value).unwrap();
    assert_eq!(serde_json::to_value(&value).unwrap(), serde_json::Value::from(&tree));
    assert_eq!(from_value::<Everything>(&tree).unwrap(), value);
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Counted {
    count: i32,
    names: Vec<String>,
    kept: Map,
}

#[test]
fn null_in_place_of_a_field_counts_as_absent() {
    let tree: Value = map! { "count" => Value::Null, "names" => Value::Null, "kept" => map! { "a" => Value::Null } }.into();
    assert_eq!(from_value::<Counted>(&tree).unwrap(), Counted { kept: map! { "a" => Value::Null }, ..Counted::default() });
}

#[test]
fn a_tree_that_does_not_fit_says_why() {
    let tree: Value = map! { "count" => "three" }.into();
    assert_eq!(from_value::<Counted>(&tree).unwrap_err().to_string(), "invalid type: string \"three\", expected i32");
    let tree: Value = map! { "count" => i64::MAX }.into();
    assert_eq!(from_value::<Counted>(&tree).unwrap_err().to_string(), "invalid value: integer `9223372036854775807`, expected i32");
}
