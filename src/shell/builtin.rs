//! Commands of the terminal that finish at once: `echo`, `printf`, `ls`, `date`, `test` and so on. Also parses the arguments of `watch` and `sleep`.

use super::Env;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use crate::filters;
use crate::posix::print::{self, duration};
use crate::posix::{Found, test};

/// The result of a builtin command.
#[derive(Default)]
pub struct CommandResult {
    /// The text on standard output.
    pub out: String,
    /// The text on standard error.
    pub err: String,
    /// The exit code of the command.
    pub code: i32,
    /// The variables that the command sets; `None` unsets one.
    pub set: Vec<(String, Option<String>)>,
}

/// The names of all commands of the terminal that are not filters.
pub const NAMES: &[&str] = &[
    "alias", "break", "clear", "continue", "date", "echo", "env", "exit", "export", "false", "help", "history", "k", "kubectl", "ls",
    "printf", "pwd", "seq", "sleep", "tee", "test", "true", "unset", "watch", "which", "xargs",
];

const HOME: &str = "/home/you";

/// Runs a builtin command; `None` if there is none of that name.
pub fn run(name: &str, args: &[String], env: &Env, now: Time) -> Option<CommandResult> {
    let out = |out: String| CommandResult { out, ..CommandResult::default() };
    let lines = |lines: Vec<String>| out(lines.iter().map(|line| format!("{line}\n")).collect());
    Some(match name {
        "true" | ":" => CommandResult::default(),
        "false" => CommandResult { code: 1, ..CommandResult::default() },
        "pwd" => out(format!("{HOME}\n")),
        "echo" => out(print::echo(args)),
        "printf" => said(name, print::printf(args)),
        "ls" => ls(args, env),
        "date" => {
            let format = args.iter().find_map(|arg| arg.strip_prefix('+')).unwrap_or("%a %b %e %T UTC %Y");
            out(print::date(now, format) + "\n")
        }
        "history" => lines(env.history.iter().enumerate().map(|(n, line)| format!("{:5}  {line}", n + 1)).collect()),
        "env" | "export" if args.is_empty() => lines(env.variables.iter().map(|(name, value)| format!("{name}={value}")).collect()),
        "export" => {
            let set = args.iter().filter_map(|arg| arg.split_once('=')).map(|(name, value)| (name.to_owned(), Some(value.to_owned())));
            CommandResult { set: set.collect(), ..CommandResult::default() }
        }
        "unset" => CommandResult { set: args.iter().map(|name| (name.clone(), None)).collect(), ..CommandResult::default() },
        "alias" if args.iter().all(|arg| arg == "k=kubectl") => out("alias k='kubectl'\n".repeat(usize::from(args.is_empty()))),
        "alias" => complain("alias: k=kubectl is there; other aliases are not part of this shell", 1),
        "complete" => CommandResult::default(),
        "seq" => said(name, print::seq(args)),
        "which" | "type" => which(args),
        "test" | "[" | "[[" => {
            let files = |path: &str| {
                let file = env.files.iter().find(|(known, _)| known == path.strip_prefix("./").unwrap_or(path));
                file.map(|(_, text)| (Found::File(!text.is_empty()), true))
                    .or(matches!(path, "." | HOME).then_some((Found::Directory, true)))
            };
            match test(name, args, &files) {
                Ok(holds) => CommandResult { code: i32::from(!holds), ..CommandResult::default() },
                Err(why) => complain(&format!("bash: {name}: {why}"), 2),
            }
        }
        "help" => out(help()),
        "time" | "select" | "set" | "source" | "." | "eval" | "exec" | "read" | "trap" | "jobs" | "fg" | "bg" | "wait" | "cd" => {
            complain(&format!("bash: {name}: not part of this shell; `help' lists what is"), 1)
        }
        _ => return None,
    })
}

fn said(name: &str, printed: Result<String, String>) -> CommandResult {
    match printed {
        Ok(out) => CommandResult { out, ..CommandResult::default() },
        Err(why) => complain(&format!("{name}: {why}"), 1),
    }
}

fn complain(message: &str, code: i32) -> CommandResult {
    CommandResult { err: format!("{message}\n"), code, ..CommandResult::default() }
}

fn help() -> String {
    let mut text = "This shell runs kubectl (or k) and these commands:\n".to_owned();
    for names in [NAMES, filters::NAMES] {
        text.push_str(&format!("  {}\n", names.join(" ")));
    }
    text + "Commands are joined by |, ;, && and ||; > and < write and read the editor's files, <<EOF takes the lines that follow.\n\
            There are variables, $(…), $((…)), if, for, while and case. kubectl help tells about kubectl.\n"
}

fn ls(args: &[String], env: &Env) -> CommandResult {
    let mut result = CommandResult::default();
    let wanted: Vec<&str> = args.iter().filter(|arg| !arg.starts_with('-')).map(|arg| arg.strip_prefix("./").unwrap_or(arg)).collect();
    let mut names: Vec<&str> = env.files.iter().map(|(name, _)| name.as_str()).collect();
    names.order();
    if !wanted.iter().all(|arg| matches!(*arg, "" | "." | HOME)) {
        for name in wanted.iter().filter(|name| !names.contains(name)) {
            result.err.push_str(&format!("ls: cannot access '{name}': No such file or directory\n"));
            result.code = 2;
        }
        names.retain(|name| wanted.contains(name));
    }
    names.iter().for_each(|name| result.out.extend([*name, "\n"]));
    result
}

fn which(args: &[String]) -> CommandResult {
    let mut result = CommandResult::default();
    for name in args {
        if NAMES.contains(&name.as_str()) || filters::NAMES.contains(&name.as_str()) {
            result.out.push_str(&format!("/usr/bin/{name}\n"));
        } else {
            result.code = 1;
        }
    }
    result
}

/// The longest time that `sleep` and `watch` accept; longer ones are shortened to it.
const LONGEST: Span = Span::secs(365 * 86_400);

/// Returns the duration of a `sleep`: the sum of its arguments.
pub fn sleep(args: &[String]) -> Result<Span, String> {
    if args.is_empty() {
        return Err("missing operand".to_owned());
    }
    let mut sum = 0;
    for arg in args {
        sum = duration(arg).ok_or_else(|| format!("invalid time interval ‘{arg}’"))?.0.saturating_add(sum);
    }
    Ok(Span(sum).min(LONGEST))
}

/// Parses the arguments of `watch` into the interval and the command.
pub fn watch(args: &[String]) -> Result<(Span, String), String> {
    let (mut period, mut args) = (Span::secs(2), args);
    while let Some((first, rest)) = args.split_first().filter(|(first, _)| first.starts_with('-')) {
        args = rest;
        let letters = first.trim_start_matches('-');
        let value = match (letters.strip_prefix("interval").or(letters.strip_prefix('n')), args.split_first()) {
            (Some(""), Some((value, rest))) => {
                args = rest;
                value.as_str()
            }
            (Some(value), _) => value.trim_start_matches('='),
            (None, _) if matches!(letters, "d" | "differences" | "t" | "c" | "x" | "e" | "g") => continue,
            _ => return Err(format!("unrecognized option '{first}'")),
        };
        period = duration(value).ok_or_else(|| format!("failed to parse argument: '{value}'"))?;
        period = period.clamp(Span::millis(100), LONGEST);
    }
    if args.is_empty() { Err("no command: write watch kubectl get pods".to_owned()) } else { Ok((period, args.join(" "))) }
}

/// Returns the header that `watch` prints: interval, command and time, in a row of `width` characters.
pub fn watch_header(title: &str, period: Span, now: Time, width: usize) -> String {
    let left = format!("Every {}.{}s: {}", period.as_secs(), period.0 / 100_000 % 10, title.replace('\n', " "));
    let right = now.rfc3339().replace('T', " ").replace('Z', "");
    let gap = width.saturating_sub(left.chars().count() + right.chars().count());
    if gap == 0 { format!("{left}\n\n") } else { format!("{left}{}{right}\n\n", " ".repeat(gap)) }
}
