//! Help while a person writes a manifest: completion, hover texts, problems, examples, and the comparison with the live object.

use loopscope::api::time::Span;
use loopscope::view::assist::{Completions, Problem, Severity, complete, hover, lint, lint_live};
use loopscope::view::compare::{Mark, Verdict, compare};
use loopscope::view::examples::examples;
use loopscope::view::{FIRST_MANIFEST, Run};

/// Returns the text without the marker `‸`, and the completions at the marker.
fn at_cursor(marked: &str) -> (String, Completions) {
    let at = marked.find('‸').expect("a cursor");
    let text = marked.replace('‸', "");
    let found = complete(&text, at);
    (text, found)
}

fn labels(marked: &str) -> Vec<String> {
    at_cursor(marked).1.items.into_iter().map(|item| item.label).collect()
}

/// Returns the text after the completion with a label has been accepted.
fn take(marked: &str, label: &str) -> String {
    let (mut text, found) = at_cursor(marked);
    let item = found.items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("no {label} in {:?}", found.items));
    text.replace_range(found.from..found.to, &item.apply);
    text
}

fn messages(problems: &[Problem]) -> Vec<(usize, &str)> {
    problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect()
}

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n";

#[test]
fn an_empty_document_begins_with_its_version_and_kind() {
    assert_eq!(labels("‸"), ["apiVersion", "kind", "metadata"]);
    assert_eq!(labels("apiVersion: apps/v1\n‸"), ["kind", "metadata"]);
    assert_eq!(labels(&format!("{FIRST_MANIFEST}---\n‸"))[0], "apiVersion");
    assert_eq!(labels("apiVersion: apps/v1\nkind: ‸"), ["ReplicaSet", "Deployment", "DaemonSet", "StatefulSet", "ControllerRevision"]);
    assert_eq!(labels("kind: Pod\napiVersion: ‸"), ["v1"]);
    assert_eq!(take("kind:‸", "Pod"), "kind: Pod");
    assert!(labels("apiVersion: ‸").contains(&"apps/v1".to_owned()));
}

#[test]
fn fields_that_must_be_given_come_first_and_those_that_are_there_are_left_out() {
    let all = labels(&format!("{DEPLOYMENT}  replicas: 3\n  ‸"));
    assert_eq!(all[..2], ["selector", "template"]);
    assert!(all.contains(&"strategy".to_owned()) && !all.contains(&"replicas".to_owned()));
    let later = labels(&format!("{DEPLOYMENT}  ‸\n  selector:\n    matchLabels:\n      a: b\n"));
    assert_eq!(later[0], "template");
    assert!(!later.contains(&"selector".to_owned()), "a field that stands further down counts");
    assert_eq!(labels("apiVersion: v1\nkind: Pod\n‸")[..2], ["metadata", "spec"]);
    assert_eq!(labels("apiVersion: v1\nkind: Pod\nmetadata:\n  ‸")[..3], ["name", "namespace", "labels"]);
}

#[test]
fn a_choice_is_put_in_with_what_follows_it() {
    assert_eq!(take(&format!("{DEPLOYMENT}  rep‸"), "replicas"), format!("{DEPLOYMENT}  replicas: "));
    assert_eq!(take(&format!("{DEPLOYMENT}  te‸"), "template"), format!("{DEPLOYMENT}  template:\n    "));
    assert_eq!(take(&format!("{DEPLOYMENT}  re‸pl: 3\n"), "replicas"), format!("{DEPLOYMENT}  replicas: 3\n"));
    let pod = "apiVersion: v1\nkind: Pod\nspec:\n";
    assert_eq!(take(&format!("{pod}  ‸"), "containers"), format!("{pod}  containers:\n  - "));
    assert_eq!(take(&format!("{pod}  containers:‸"), "- name"), format!("{pod}  containers:\n  - name: "));
    assert_eq!(take("apiVersion: v1\nkind: Pod\nmetadata: ‸", "name"), "apiVersion: v1\nkind: Pod\nmetadata: \n  name: ");
}

#[test]
fn lists_are_completed_item_by_item() {
    let pod = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n";
    assert_eq!(labels(&format!("{pod}    ‸")), ["- name"]);
    let inside = labels(&format!("{pod}  - name: a\n    ‸"));
    assert!(inside.contains(&"image".to_owned()) && !inside.contains(&"name".to_owned()));
    assert_eq!(labels(&format!("{pod}  - ‸"))[0], "name");
    assert!(labels(&format!("{pod}  - name: a\n  ‸")).contains(&"- name".to_owned()), "another container can be begun");
    assert!(labels(&format!("{pod}  - name: a\n  - ‸")).contains(&"name".to_owned()), "the new item has no name yet");
    let ports = labels(&format!("{pod}  - name: a\n    ports:\n    - ‸"));
    assert_eq!(ports[0], "containerPort");
    assert_eq!(
        labels(&format!("{pod}  - name: a\n    resources:\n      requests:\n        cpu: 1\n        ‸")),
        ["memory", "ephemeral-storage"]
    );
}

#[test]
fn values_are_offered_where_there_are_few() {
    let container = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n";
    assert_eq!(labels(&format!("{container}    imagePullPolicy: ‸")), ["Always", "IfNotPresent", "Never"]);
    assert_eq!(take(&format!("{container}    imagePullPolicy: Al‸ # x"), "Always"), format!("{container}    imagePullPolicy: Always # x"));
    assert_eq!(labels(&format!("{container}    stdin: ‸")), ["true", "false"]);
    assert!(labels(&format!("{container}    image: ‸")).is_empty());
    assert!(labels(&format!("{container}    image: x # ‸")).is_empty(), "not inside a comment");
    assert!(labels(&format!("{container}    command:\n    - sh\n    - |\n      echo ‸")).is_empty(), "not inside a block of text");
    let info = at_cursor(&format!("{DEPLOYMENT}  ‸")).1.items.into_iter().find(|item| item.label == "replicas").unwrap();
    assert_eq!(info.detail, "integer");
    assert!(!info.info.is_empty());
}

#[test]
fn hovering_tells_what_a_field_is_for() {
    let at = FIRST_MANIFEST.find("replicas").unwrap();
    let found = hover(FIRST_MANIFEST, at + 2).unwrap();
    assert_eq!((found.title.as_str(), found.detail.as_str(), found.from, found.to), ("spec.replicas", "integer", at, at + 8));
    assert!(!found.help.is_empty());
    let image = hover(FIRST_MANIFEST, FIRST_MANIFEST.find("image").unwrap()).unwrap();
    assert_eq!(image.title, "spec.template.spec.containers[].image");
    assert!(hover(FIRST_MANIFEST, FIRST_MANIFEST.find("containers").unwrap()).unwrap().detail.ends_with("[]Container, required"));
    assert_eq!(hover(FIRST_MANIFEST, FIRST_MANIFEST.find("sacred").unwrap()), None);
    assert!(hover(FIRST_MANIFEST, FIRST_MANIFEST.find("kind").unwrap()).is_some_and(|found| found.help.contains("CamelCase")));
}

#[test]
fn every_problem_stands_at_its_own_line() {
    assert_eq!(lint(FIRST_MANIFEST), []);
    let wrong = FIRST_MANIFEST.replace("replicas: 3", "replicas: -1").replace("image:", "imag:");
    assert_eq!(messages(&lint(&wrong)), [(17, "unknown field \"spec.template.spec.containers[0].imag\"")]);
    let negative = FIRST_MANIFEST.replace("replicas: 3", "replicas: -1");
    let problems = lint(&negative);
    assert_eq!(messages(&problems), [(6, "spec.replicas: Invalid value: -1: must be greater than or equal to 0")]);
    assert_eq!(&negative[problems[0].from..problems[0].to], "replicas: -1");
    let text = FIRST_MANIFEST.replace("replicas: 3", "replicas: many");
    assert_eq!(lint(&text)[0].line, 6);
    assert!(lint(&text)[0].message.contains("cannot unmarshal string into Go struct field"), "{:?}", lint(&text));
    let mismatch = FIRST_MANIFEST.replace("        app: my-app", "        app: other");
    assert_eq!(lint(&mismatch)[0].line, 12);
    let twice = FIRST_MANIFEST.replace("metadata:\n  name: my-app", "metadata:\n  name: x\n  name: my-app");
    assert_eq!(messages(&lint(&twice)), [(5, "key \"name\" already set in map; the last one counts")]);
    assert_eq!(lint(&twice)[0].severity, Severity::Warning);
}

#[test]
fn problems_of_the_second_document_are_found_there() {
    let two =
        format!("{FIRST_MANIFEST}---\napiVersion: v1\nkind: Service\nmetadata:\n  name: s\nspec:\n  ports:\n  - port: 0\n  bogus: 1\n");
    let lines = FIRST_MANIFEST.lines().count();
    assert_eq!(messages(&lint(&two)), [(lines + 9, "unknown field \"spec.bogus\"")]);
    let fixed = two.replace("  bogus: 1\n", "");
    assert_eq!(lint(&fixed)[0].line, lines + 8);
    assert!(lint(&fixed)[0].message.starts_with("spec.ports[0].port: Invalid value: 0"));
    let port = example("Deployment and Service").replace("targetPort: http", "targetPort: true");
    assert_eq!(lint(&port).iter().map(|problem| problem.line).collect::<Vec<_>>(), [31], "{:?}", lint(&port));
    let broken = format!("{FIRST_MANIFEST}---\nkind: [\n");
    assert!(lint(&broken).len() == 1 && lint(&broken)[0].line > lines, "{:?}", lint(&broken));
}

#[test]
fn what_is_no_manifest_at_all_is_told_so() {
    assert_eq!(messages(&lint("a: b: c")), [(1, "mapping values are not allowed in this context")]);
    assert_eq!(messages(&lint("kind: Pod\n")), [(1, "apiVersion not set")]);
    assert_eq!(messages(&lint("apiVersion: v1\nkind: Pood\n")), [(2, "no matches for kind \"Pood\" in version \"v1\"")]);
    assert_eq!(lint(""), []);
    assert_eq!(lint("# only a comment\n---\n"), []);
    let absent = lint("apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata:\n  name: r\n");
    assert_eq!((absent.len(), absent[0].line), (1, 2));
}

#[test]
fn what_only_the_cluster_can_refuse_is_marked_too() {
    let mut run = Run::first_visit();
    settle(&mut run);
    let other = FIRST_MANIFEST.replace("app: my-app", "app: other");
    assert_eq!(lint(&other), [], "by itself it is right");
    let problems = lint_live(&other, run.session.cluster());
    assert_eq!(problems[0].line, 7);
    assert!(
        problems[0].message.starts_with("spec.selector: Invalid value: ") && problems[0].message.ends_with("field is immutable"),
        "{problems:?}"
    );
    let nowhere = FIRST_MANIFEST.replace("  name: my-app", "  name: my-app\n  namespace: nowhere");
    assert_eq!(messages(&lint_live(&nowhere, run.session.cluster())), [(3, "namespaces \"nowhere\" not found")]);
    for example in examples() {
        assert_eq!(lint_live(example.manifest(), run.session.cluster()), [], "{}", example.title);
    }
}

fn settle(run: &mut Run) {
    let until = run.now() + Span::secs(120);
    while !run.is_converged() && run.now() < until {
        run.advance(run.now() + Span::secs(1), 100_000);
    }
}

#[test]
fn every_example_is_taken_and_shows_what_it_says() {
    for (i, example) in examples().iter().enumerate() {
        let mut run = Run::first_visit();
        settle(&mut run);
        run.apply(example.manifest());
        run.advance(run.now() + Span::secs(60), 1_000_000);
        let frame = loopscope::view::frame(&run, &Default::default(), &Default::default());
        let answer = frame.answer.expect("an answer");
        assert_eq!(answer.exit, Some(0), "{}: {}", example.title, answer.stderr);
        // In these examples some pods never become ready, or end; in all others every pod becomes ready.
        let apart = [
            "Crash loop",
            "Image that is not there",
            "Pod that fits nowhere",
            "Pods that keep apart",
            "Pod that makes others give way",
            "Job in five pieces",
            "A Job every minute",
        ];
        let stays_apart = apart.contains(&example.title);
        if !stays_apart {
            settle(&mut run);
            let frame = loopscope::view::frame(&run, &Default::default(), &Default::default());
            assert_eq!(frame.cluster.ready, frame.cluster.pods, "{}", example.title);
        }
        assert!(i > 0 || answer.stdout.contains("unchanged"));
    }
    assert_eq!(examples()[0].manifest(), FIRST_MANIFEST);
}

#[test]
fn every_file_with_an_example_is_listed() {
    let folder = std::fs::read_dir("static/content/examples").expect("a folder");
    for path in folder.map(|entry| entry.expect("an entry").path()) {
        let text = std::fs::read_to_string(&path).expect("a text");
        assert!(examples().iter().any(|example| example.manifest() == text), "{} is in no line of examples.txt", path.display());
    }
}

/// Returns the manifest of an example.
fn example(title: &str) -> &'static str {
    examples().iter().find(|example| example.title == title).map(|example| example.manifest()).expect("the example")
}

#[test]
fn a_manifest_is_compared_with_what_is_live_and_nothing_is_touched() {
    let mut run = Run::first_visit();
    settle(&mut run);
    let cluster = run.session.cluster();
    let revision = cluster.api.store.revision();
    assert_eq!(compare(FIRST_MANIFEST, cluster)[0].verdict, Verdict::Same);
    let text = format!("{}---\n{}", FIRST_MANIFEST.replace("replicas: 3", "replicas: 5"), example("Namespace with things in it"));
    let found = compare(&text, cluster);
    let titles: Vec<_> = found.iter().map(|one| (one.title.as_str(), one.verdict.clone())).collect();
    let wanted = [
        ("ReplicaSet my-app", Verdict::Changed),
        ("Namespace team-a", Verdict::New),
        ("ConfigMap settings in team-a", Verdict::New),
        ("Deployment web in team-a", Verdict::New),
    ];
    assert_eq!(titles, wanted);
    let marked = |mark: Mark| found[0].lines.iter().filter(|line| line.mark == mark).map(|line| line.text.trim()).collect::<Vec<_>>();
    assert_eq!(marked(Mark::Removed), ["replicas: 3"]);
    assert_eq!(marked(Mark::Added), ["replicas: 5"]);
    let refused = compare(&FIRST_MANIFEST.replace("replicas: 3", "replicas: -1"), cluster);
    assert!(matches!(&refused[0].verdict, Verdict::Refused(words) if words.contains("must be greater than or equal to 0")), "{refused:?}");
    assert!(matches!(compare("a: [", cluster)[0].verdict, Verdict::Refused(_)));
    assert_eq!(compare("", cluster), []);
    assert_eq!(run.session.cluster().api.store.revision(), revision);
}

#[test]
fn no_text_however_broken_stops_the_help() {
    // A small generator of its own, so that a failure can be repeated.
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let pieces = [
        "", "\n", "  ", "- ", ":", ": ", "#", "'", "\"", "{", "}", "[", "]", "|", ">", "&a ", "*a", "---\n", "\t", "é", "💥", "null", "-1",
        "\u{0}", "metadata", "spec:\n",
    ];
    for round in 0..4_000 {
        let mut text: Vec<char> = examples()[round % examples().len()].manifest().chars().collect();
        for _ in 0..=draw(4) {
            let (from, length) = (draw(text.len()), draw(12));
            let to = (from + length).min(text.len());
            text.splice(from..to, pieces[draw(pieces.len())].chars());
        }
        let text: String = text.into_iter().collect();
        let at = (0..=draw(text.len() + 1).min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let found = complete(&text, at);
        assert!(found.from <= found.to && text.is_char_boundary(found.from) && text.is_char_boundary(found.to), "{text:?} at {at}");
        assert!(found.items.is_empty() || found.from <= at && at <= found.to, "{text:?} at {at}: {} to {}", found.from, found.to);
        let hovered = hover(&text, at);
        assert!(hovered.is_none_or(|word| text.get(word.from..word.to).is_some()));
        for problem in lint(&text) {
            assert!(text.get(problem.from..problem.to).is_some(), "{text:?}: {problem:?}");
        }
    }
}
