//! Share states that earlier versions of the page wrote: each opens as the same run, is written again in the same way, and its link can be unpacked.
//!
//! The files in `tests/page/old_runs` were written before the share state had serde types: `.json` by the page's own writer of that time, `.link` from
//! the JSON by the browser's `CompressionStream`. For a new input, such as a new fault, add a pair of files and an `old!` row; never change the old ones.

use loopscope::view::Run;
use loopscope::view::share::{Share, link};
use serde_json::Value;

struct Old {
    name: &'static str,
    json: &'static str,
    link: &'static str,
    steps: u64,
    hash: u64,
}

macro_rules! old {
    ($name:literal, $steps:literal, $hash:literal) => {
        Old {
            name: $name,
            json: include_str!(concat!("old_runs/", $name, ".json")).trim_ascii_end(),
            link: include_str!(concat!("old_runs/", $name, ".link")).trim_ascii_end(),
            steps: $steps,
            hash: $hash,
        }
    };
}

/// The states, each with the number of steps and the trace hash of its run at the shared moment.
const OLD: &[Old] = &[
    old!("first_visit", 8, 0x5d3c8c60ab6a1cde),
    old!("everything_a_person_does", 1096, 0x1a2dbce282c69c06),
    old!("looking_back", 479, 0x5420f10a2ff93406),
    old!("forked", 394, 0xaf797345439658f0),
    old!("every_setting", 860, 0xe053ecfbadef5404),
    old!("every_fault", 1080, 0xd3e8ecd51bbe0c63),
    old!("terminal", 183, 0xbe6ab2a72302bcba),
];

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn an_old_state_opens_to_the_same_run() {
    let mut differences = Vec::new();
    for Old { name, json, steps, hash, .. } in OLD {
        let run = Run::from_share(Share::read(json).expect(name));
        if (run.cluster().steps, run.cluster().hash) != (*steps, *hash) {
            differences.push(format!("old!({name:?}, {}, {:#x})", run.cluster().steps, run.cluster().hash));
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn an_old_state_is_written_the_same_way_again() {
    for Old { name, json, .. } in OLD {
        let written = Share::read(json).expect(name).write();
        assert_eq!(parse(&written), parse(json), "{name}");
        // The old writer escaped this one character, as Go does.
        assert_eq!(written, json.replace("\\u2028", "\u{2028}"), "{name}");
    }
}

#[test]
fn an_old_link_unpacks_to_its_state() {
    for Old { name, json, link, .. } in OLD {
        assert_eq!(link::unpack(link).as_deref(), Ok(*json), "{name}");
        assert_eq!(link::unpack(&link::pack(json)).as_deref(), Ok(*json), "{name}");
    }
}

#[test]
fn a_new_link_is_hardly_longer_than_an_old_one() {
    for Old { name, json, link, .. } in OLD {
        let new = link::pack(json);
        assert!(new.len() <= link.len() + link.len() / 20 + 8, "{name}: {} instead of {} letters", new.len(), link.len());
    }
}

#[test]
fn every_fault_is_in_an_old_state_and_in_the_types_of_the_engine() {
    let error = Share::read(r#"{"v":1,"commands":[{"do":{"fault":"flood"}}]}"#).expect_err("there is no such fault");
    let (_, names) = error.split_once("only ").expect("a list of names");
    for name in names.split(", ") {
        let written = format!("\"fault\":\"{name}\"");
        assert!(OLD.iter().any(|old| old.json.contains(&written)), "no state in tests/page/old_runs has the fault {name}");
        let types = include_str!("../../static/engine/engine.d.ts");
        assert!(types.contains(&format!("\"{name}\"")), "static/engine/engine.d.ts does not name the fault {name}");
    }
}
