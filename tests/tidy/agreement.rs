//! The rules about what two files must say alike: names of files in comments, tables of files, colours, and the lines of the loop's diagram.

use super::{check, files, is_source};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// Returns the names of Rust files that a text has between backticks.
fn rust_files_named(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('\n').flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted.filter(|name| name.ends_with(".rs") && !name.contains(|c: char| !c.is_alphanumeric() && !"_-./".contains(c)))
}

/// Finds names of Rust files that no file has. A name may leave out folders at its beginning.
fn names_files_that_exist(_: &str, text: &str) -> Vec<String> {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    let all = ALL.get_or_init(|| files().into_iter().map(|(path, _)| format!("/{path}")).collect());
    let gone = rust_files_named(text).filter(|name| {
        let end = format!("/{}", name.trim_start_matches("../"));
        !all.iter().any(|path| path.ends_with(&end))
    });
    gone.map(|name| format!("names `{name}`, which is not there")).collect()
}

#[test]
fn every_rust_file_that_a_text_names_is_there() {
    check(
        |path| path.ends_with(".md") && path != "CHANGELOG.md" || path.ends_with(".rs") && !path.starts_with("tests/tidy/"),
        names_files_that_exist,
    );
    assert!(names_files_that_exist("a.md", "`tests/tidy/main.rs`, `tidy/main.rs`, `../main.rs`, `a b.rs`").is_empty());
    assert_eq!(names_files_that_exist("a.md", "`src/nowhere.rs`").len(), 1);
}

/// Modules whose kinds and controllers a table in the code lists; the tables in their comments have only the other files.
const LISTED_ELSEWHERE: &[&str] = &["src/api/kind/mod.rs", "src/controller/mod.rs"];

/// Finds modules that their parent's table of files leaves out, if it has such a table.
fn its_table_has_every_file(path: &str, text: &str) -> Vec<String> {
    let comment: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
    if !comment.contains("| --- |") || LISTED_ELSEWHERE.contains(&path) {
        return vec![];
    }
    let modules = text.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    let left_out =
        modules.filter(|name| *name != "tests" && !comment.contains(&format!("`{name}`")) && !comment.contains(&format!("`{name}.rs`")));
    left_out.map(|name| format!("its table leaves `{name}` out")).collect()
}

#[test]
fn every_table_of_files_is_whole() {
    check(is_source, its_table_has_every_file);
    let table = "//! | file | what |\n//! | --- | --- |\n//! | `a` | one |\n\n";
    assert!(its_table_has_every_file("src/b/mod.rs", &format!("{table}pub mod a;\n")).is_empty());
    assert_eq!(its_table_has_every_file("src/b/mod.rs", &format!("{table}pub mod a;\nmod c;\n")).len(), 1);
}

/// Returns the lines of a style sheet that define the tokens on `:root`, each as name and value.
fn tokens(sheet: &str) -> Vec<(&str, &str)> {
    let root = sheet.split_once(":root {").expect("tokens").1.split_once('}').expect("an end").0;
    root.lines().filter_map(|line| line.trim().strip_suffix(';')?.split_once(": ")).filter(|(name, _)| name.starts_with("--")).collect()
}

#[test]
fn the_page_for_course_authors_has_the_colours_of_the_page() {
    let (page, authors) = (read("static/style/tokens.css"), read("static/embed-page.css"));
    let known = tokens(&page);
    assert!(!tokens(&authors).is_empty());
    for token in tokens(&authors) {
        assert!(known.contains(&token), "static/embed-page.css has {token:?}, which static/style/tokens.css has not");
    }
}

/// Returns the SVG path through the corners of a line in a diagram's geometry, in its direction or against it.
fn line_of_diagram(geometry: &str, line: &str, backwards: bool) -> String {
    let corners = geometry.split_once(&format!("{line}: &[")).expect(line).1.split_once(']').expect("an end").0;
    let mut corners: Vec<String> = corners.split("), ").map(|corner| corner.replace(['(', ')', ','], "")).collect();
    if backwards {
        corners.reverse();
    }
    format!("M{}", corners.join("L"))
}

#[test]
fn messages_that_have_arrived_glow_along_the_lines_of_the_diagrams() {
    let (lines, sheet) = (read("src/ui/loops/diagram/lines.rs"), read("static/style/loop.css"));
    for (class, diagram) in [("narrow", "NARROW"), ("wide", "WIDE")] {
        let geometry = lines.split_once(&format!("static {diagram}: Geometry")).expect(diagram).1;
        let messages = [
            ("request", "request", false),
            ("answer", "request", true),
            ("watch", "watch", false),
            ("ask", "ask", false),
            ("reply", "ask", true),
        ];
        for (message, line, backwards) in messages {
            let rule = sheet.split_once(&format!(".{class} .spark.on-{message} {{")).expect(message).1.split_once('}').expect("an end").0;
            let wanted = format!("offset-path: path(\"{}\");", line_of_diagram(geometry, line, backwards));
            assert_eq!(rule.trim(), wanted, "{class} {message}");
        }
    }
}
