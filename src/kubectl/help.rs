//! `kubectl help`, `--help` and `kubectl options`. Counterparts: `spf13/cobra`'s help and `kubectl/pkg/util/templates`.
//!
//! Sections, names, usage lines and defaults are the real client's; the sentences are our own. Options come from the tables that the parser reads, so a
//! help page never names a flag that the command does not accept.

use super::create_kinds::SUBCOMMANDS;
use super::errors::Stop;
use super::flags::{Flag, GLOBAL, HelpRequest, NONE, Takes};
use super::{Cx, Run, dispatch, field_manager};
use crate::api::content;
use crate::api::order::Order;

const OPTIONS: &str = "Use \"kubectl options\" for a list of global command-line options (applies to all commands).";

/// The help text of flags that are accepted only because the real client has them.
const UNUSED: &str = "Of no use here.";

/// Commands that do nothing without a subcommand.
const GROUPS: &[&str] = &["auth", "config", "create secret", "create service", "rollout", "set", "top"];

/// Runs `kubectl help COMMAND`.
pub fn help(cx: &mut Cx, words: &[String]) -> Run {
    if words.iter().any(|word| is_help(word)) || words.is_empty() {
        overview(cx);
        return Ok(());
    }
    let known = pages().any(|page| page.path == words.join(" "));
    if !known {
        return Err(Stop::raw(format!("Unknown help topic {words:?}\n").replace('"', "`")));
    }
    let mut asked = words.to_vec();
    asked.push("--help".to_owned());
    dispatch(cx, &asked)
}

/// Runs `kubectl options`.
pub fn options(cx: &mut Cx, _: &[String]) -> Run {
    cx.println("The following options can be passed to any command:\n");
    let mut flags: Vec<Flag> = GLOBAL.iter().copied().filter(|flag| flag.long != "help").collect();
    flags.order_by_key(|flag| flag.long);
    write_flags(cx, "", &flags);
    Ok(())
}

/// Prints the overview if no command is given, or the help page of a command group without a subcommand. Returns `None` if there is a command to run.
pub fn group(cx: &mut Cx, words: &[String]) -> Option<Run> {
    let at = words.iter().position(|word| is_help(word)).unwrap_or(words.len());
    let path = words.get(..at)?.join(" ").replace("create svc", "create service");
    if path.is_empty() {
        overview(cx);
        return Some(Ok(()));
    }
    if !GROUPS.contains(&path.as_str()) {
        return None;
    }
    let is_asked = at < words.len();
    let to_stdout = is_asked || path == "rollout";
    let before = std::mem::take(&mut cx.output);
    page(cx, &HelpRequest { command: path, flags: Vec::new() });
    let text = std::mem::replace(&mut cx.output, before).stdout();
    if to_stdout {
        cx.print(&text)
    } else {
        cx.output.err(&text)
    }
    // A missing subcommand is an error; `--help` is none.
    Some(if is_asked { Ok(()) } else { Err(Stop::exit(1)) })
}

/// Prints the help page of a command with its flags.
pub fn page(cx: &mut Cx, request: &HelpRequest) {
    let path = request.command.as_str();
    let found = pages().find(|page| page.path == path).unwrap_or(Page { group: "", path: "", usage: "", body: "" });
    let lines = || found.body.lines().filter(|line| !line.starts_with("--") && !line.starts_with('@'));
    cx.println(format!("{}.\n", found.summary()));
    let mut text = lines().skip(1).filter(|line| !line.starts_with("  ")).peekable();
    while let Some(line) = text.next() {
        // The items of a list stand together.
        let more = line.starts_with(" *") && text.peek().is_some_and(|next| next.starts_with(" *"));
        cx.println(format!(" {line}{}", if more { "" } else { "\n" }));
    }
    let own = found.body.lines().find_map(|line| line.strip_prefix("@ "));
    let aliases = own.map_or_else(|| aliases(path), str::to_owned);
    if !aliases.is_empty() {
        cx.println(format!("Aliases:\n{aliases}\n"));
    }
    let examples: Vec<&str> = lines().filter(|line| line.starts_with("  ")).collect();
    if !examples.is_empty() {
        cx.println(format!("Examples:\n{}\n", examples.join("\n")));
    }
    let below: Vec<(&str, &str)> = subcommands(path).map(|(name, page)| (name, page.summary())).collect();
    if !below.is_empty() {
        cx.println("Available Commands:");
        list(cx, &below);
    }
    let mut flags = request.flags.clone();
    // It is deprecated and hidden.
    flags.retain(|flag| flag.long != "record");
    flags.order_by_key(|flag| flag.long);
    flags.dedup_by_key(|flag| flag.long);
    if !flags.is_empty() {
        cx.println("Options:");
        write_flags(cx, path, &flags);
    }
    let usage = if found.usage.is_empty() { String::new() } else { format!(" {}", found.usage) };
    let options = if usage.contains("[options]") { "" } else { " [options]" };
    cx.println(format!("Usage:\n  kubectl {path}{usage}{options}\n"));
    if !below.is_empty() {
        cx.println(format!("Use \"kubectl {path} <command> --help\" for more information about a given command."));
    }
    cx.println(OPTIONS);
}

/// Returns the names of a subcommand of `create` that has several, joined.
fn aliases(path: &str) -> String {
    let made = path.strip_prefix("create ").and_then(|kind| SUBCOMMANDS.iter().find(|(names, _)| names.len() > 1 && names.contains(&kind)));
    made.map(|(names, _)| names.join(", ")).unwrap_or_default()
}

/// Returns the subcommands of a command: the last word of each, and its help page.
pub fn subcommands(path: &str) -> impl Iterator<Item = (&'static str, Page)> {
    pages().filter_map(move |page| {
        let rest = if path.is_empty() { page.path } else { page.path.strip_prefix(path)?.strip_prefix(' ')? };
        (!rest.contains(' ') && rest != "*").then_some((rest, page))
    })
}

fn is_help(word: &str) -> bool {
    matches!(word, "-h" | "--help" | "--help=true")
}

/// The help page of a command.
pub struct Page {
    group: &'static str,
    path: &'static str,
    usage: &'static str,
    body: &'static str,
}

impl Page {
    fn summary(&self) -> &'static str {
        self.body.lines().next().unwrap_or_default()
    }
}

/// Returns all help pages, in the order of the overview. The file has `# GROUP`, then for each command `= COMMAND | USAGE`, a summary, more lines,
/// examples (indented by two spaces), `@` with all names of a command that has several, and lines on its flags.
fn pages() -> impl Iterator<Item = Page> {
    content::text("kubectl_help.txt").split("\n# ").flat_map(|part| {
        let (group, rest) = part.split_once("\n= ").unwrap_or((part, ""));
        rest.split("\n= ").map(move |page| {
            let (head, body) = page.split_once('\n').unwrap_or((page, ""));
            let (path, usage) = head.split_once(" | ").unwrap_or((head, ""));
            Page { group: group.trim_start_matches("# "), path, usage, body }
        })
    })
}

fn overview(cx: &mut Cx) {
    cx.println(
        "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/\n",
    );
    let commands: Vec<(&str, Page)> = subcommands("").collect();
    let mut rest = commands.as_slice();
    while let Some((_, first)) = rest.first() {
        let (group, others) = rest.split_at(rest.iter().take_while(|(_, page)| page.group == first.group).count());
        if others.is_empty() {
            cx.println("Subcommands provided by plugins:\n");
        }
        cx.println(format!("{}:", first.group));
        let rows: Vec<(&str, &str)> = group.iter().map(|(name, page)| (*name, page.summary())).collect();
        list_in(cx, &rows, 13);
        rest = others;
    }
    cx.println("Usage:\n  kubectl [flags] [options]\n");
    cx.println("Use \"kubectl <command> --help\" for more information about a given command.");
    cx.println(OPTIONS);
}

fn list(cx: &mut Cx, rows: &[(&str, &str)]) {
    let longest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    list_in(cx, rows, longest.max(11));
}

fn list_in(cx: &mut Cx, rows: &[(&str, &str)], width: usize) {
    for (name, summary) in rows {
        cx.println(format!("  {name:width$}   {summary}"));
    }
    cx.println("");
}

fn write_flags(cx: &mut Cx, path: &str, flags: &[Flag]) {
    for flag in flags {
        let (default, text) = meaning(path, flag);
        let short = if flag.short == NONE { String::new() } else { format!("-{}, ", flag.short) };
        cx.println(format!("    {short}--{}={default}:\n\t{text}\n", flag.long));
    }
}

/// Returns the default and the help text of a flag, from the command's page or the page for all commands (`*`).
fn meaning(path: &str, flag: &Flag) -> (String, &'static str) {
    let on_page = |page: Page| {
        page.body.lines().find_map(|line| {
            let rest = line.strip_prefix("--")?.strip_prefix(flag.long)?;
            match rest.strip_prefix('=') {
                Some(rest) => rest.split_once(' '),
                None => rest.strip_prefix(' ').map(|text| ("", text)),
            }
        })
    };
    let pages = pages().filter(|page| page.path == path || page.path == "*");
    let (default, text) = pages.filter_map(on_page).next().unwrap_or(("", UNUSED));
    let by_type = match flag.takes {
        Takes::Nothing => "false",
        Takes::Int => "0",
        Takes::Duration => "0s",
        Takes::Text | Takes::Maybe(_) => "''",
    };
    let command = path.split(' ').next().unwrap_or(path);
    let default = match (flag.long, command) {
        ("field-manager", "diff") => "'kubectl-client-side-apply'".to_owned(),
        ("field-manager", _) => format!("'{}'", field_manager(command, &[])),
        ("pod-running-timeout", "attach" | "exec" | "port-forward" | "run") => "1m0s".to_owned(),
        _ => (if default.is_empty() { by_type } else { default }).to_owned(),
    };
    (default, text)
}

#[cfg(test)]
mod tests {
    use super::super::complete::flags_of;
    use super::super::tests::World;
    use super::super::{COMMANDS, absent};
    use super::*;

    #[test]
    fn every_command_has_a_page_and_every_flag_a_meaning() {
        let known: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
        for name in &known {
            assert!(pages().any(|page| page.path == *name) || matches!(*name, "help" | "options"), "{name}");
        }
        let mut missing: Vec<&str> = Vec::new();
        for page in pages().filter(|page| page.path != "*") {
            let first = page.path.split(' ').next().unwrap();
            assert!(known.contains(&first) || absent::names().any(|name| name == first), "{}", page.path);
            let bare = flags_of(page.path).into_iter().filter(|flag| meaning(page.path, flag).1 == UNUSED);
            missing.extend(bare.map(|flag| flag.long));
        }
        missing.sort();
        missing.dedup();
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn pages_have_the_real_ones_parts() {
        let mut world = World::new();
        let get = world.run("get --help", "");
        for part in [
            "\nExamples:\n",
            "\nOptions:\n    ",
            "    -A, --all-namespaces=false:\n\t",
            "    -f, --filename=[]:\n",
            "\nUsage:\n  kubectl get [(-o|",
        ] {
            assert!(get.contains(part), "{part}\n{get}");
        }
        assert!(get.ends_with(
            " [flags] [options]\n\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n0"
        ));
        assert_eq!(world.run("help get", ""), get);
        assert_eq!(world.run("get pods -h", ""), get);
        let rollout = world.run("rollout", "");
        assert!(rollout.contains("\nAvailable Commands:\n  history       ") && rollout.ends_with("\n1"), "{rollout}");
        assert_eq!(world.run("rollout --help", ""), rollout.trim_end_matches('1').to_owned() + "0");
        assert!(world.run("create secret", "").contains("\nAvailable Commands:\n  docker-registry   "));
        let create = world.run("create deployment --help", "");
        for part in ["    -r, --replicas=1:\n", "\nAliases:\ndeployment, deploy\n", "    --field-manager='kubectl-create':\n"] {
            assert!(create.contains(part), "{part}\n{create}");
        }
        assert!(!world.run("label --help", "").contains("--record"));
        assert!(
            world
                .run("port-forward --help", "")
                .contains("TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]\n")
        );
        assert!(world.run("options", "").contains("    -n, --namespace='':\n"));
        let overview = world.run("", "");
        assert!(overview.contains("\nDeploy Commands:\n  rollout         "));
        let known = |line: &&str| COMMANDS.iter().any(|(name, _)| line.trim_start().split(' ').next() == Some(*name));
        assert!(overview.lines().filter(known).all(|line| !line.contains("(no")), "{overview}");
        assert!(world.run("help nope", "").contains("Unknown help topic [`nope`]"));
    }
}
