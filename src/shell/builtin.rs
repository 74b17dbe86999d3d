//! Commands of the terminal that finish at once: `echo`, `printf`, `ls`, `date`, `test` and so on. Also parses the arguments of `watch`, `xargs`, `sleep`.

use super::Env;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use crate::filters;

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
        "echo" => out(echo(args)),
        "printf" => printf(args),
        "ls" => ls(args, env),
        "date" => date(args, now),
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
        "seq" => seq(args),
        "which" | "type" => which(args),
        "test" | "[" => test(name, args),
        "help" => out(help()),
        "set" | "source" | "." | "eval" | "exec" | "read" | "trap" | "jobs" | "fg" | "bg" | "wait" | "cd" => {
            complain(&format!("bash: {name}: not part of this shell; `help' lists what is"), 1)
        }
        _ => return None,
    })
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
            There are variables, $(…), if, for and while. kubectl help tells about kubectl.\n"
}

fn echo(args: &[String]) -> String {
    let (mut newline, mut escapes, mut args) = (true, false, args);
    while let Some((first, rest)) = args.split_first() {
        match first.as_str() {
            "-n" => newline = false,
            "-e" => escapes = true,
            "-E" => {}
            "-ne" | "-en" => (newline, escapes) = (false, true),
            _ => break,
        }
        args = rest;
    }
    let text = args.join(" ");
    let mut text = if escapes { unescape(&text) } else { text };
    if newline {
        text.push('\n');
    }
    text
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('e') => out.push('\u{1b}'),
            Some('\\') => out.push('\\'),
            Some('"') => out.push('"'),
            other => {
                out.push('\\');
                out.extend(other);
            }
        }
    }
    out
}

/// Formats as `printf` does, with `%s`, `%d` and `%%` and an optional width. The format is repeated until all arguments are used.
fn printf(args: &[String]) -> CommandResult {
    let Some((format, values)) = args.split_first() else {
        return complain("printf: usage: printf format [arguments]", 2);
    };
    let format = unescape(format);
    let mut out = String::new();
    let mut values = values.iter();
    loop {
        let left = values.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let spec: String = chars.clone().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
            let kind = chars.nth(spec.len());
            let text = match kind {
                Some('%') => "%".to_owned(),
                Some('s' | 'd' | 'i') => {
                    let missing = if kind == Some('s') { "" } else { "0" };
                    values.next().map_or(missing, |value| value.as_str()).to_owned()
                }
                _ => return complain(&format!("printf: `%{spec}{}': only %s, %d and %% are part of this printf", kind.unwrap_or(' ')), 1),
            };
            let width: usize = spec.trim_start_matches(['-', '0']).parse::<usize>().unwrap_or(0).min(500);
            out.push_str(&if spec.starts_with('-') { format!("{text:<width$}") } else { format!("{text:>width$}") });
        }
        if values.len() == 0 || values.len() == left {
            return CommandResult { out, ..CommandResult::default() };
        }
    }
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

/// Formats the virtual time as `date` does, or by a `+FORMAT`.
fn date(args: &[String], now: Time) -> CommandResult {
    let stamp = now.rfc1123();
    let part = |n: usize| stamp.split([' ', ',']).filter(|part| !part.is_empty()).nth(n).unwrap_or("").to_owned();
    let day = part(1);
    let text = match args.iter().find(|arg| *arg != "-u" && *arg != "--utc") {
        None => format!("{} {} {:>2} {} UTC {}", part(0), part(2), day.trim_start_matches('0'), part(4), part(3)),
        Some(format) => {
            let Some(format) = format.strip_prefix('+') else { return complain(&format!("date: invalid date ‘{format}’"), 1) };
            let iso = now.rfc3339();
            let piece = |from: usize, to: usize| iso.get(from..to).unwrap_or("").to_owned();
            let mut text = String::new();
            let mut chars = format.chars();
            while let Some(c) = chars.next() {
                if c != '%' {
                    text.push(c);
                    continue;
                }
                text.push_str(&match chars.next() {
                    Some('s') => now.unix().to_string(),
                    Some('F') => piece(0, 10),
                    Some('T') => piece(11, 19),
                    Some('Y') => piece(0, 4),
                    Some('m') => piece(5, 7),
                    Some('d') => piece(8, 10),
                    Some('H') => piece(11, 13),
                    Some('M') => piece(14, 16),
                    Some('S') => piece(17, 19),
                    Some('Z') => "UTC".to_owned(),
                    Some(c) => c.to_string(),
                    None => String::new(),
                });
            }
            text
        }
    };
    CommandResult { out: text + "\n", ..CommandResult::default() }
}

fn seq(args: &[String]) -> CommandResult {
    let numbers: Option<Vec<i32>> = args.iter().map(|arg| arg.parse().ok()).collect();
    let (from, step, to) = match numbers.as_deref() {
        Some([to]) => (1, 1, *to),
        Some([from, to]) => (*from, 1, *to),
        Some([from, step, to]) if *step != 0 => (*from, *step, *to),
        _ => return complain("seq: whole numbers only: seq [FIRST [STEP]] LAST", 1),
    };
    let mut out = String::new();
    let mut n = i64::from(from);
    for _ in 0..10_000 {
        if (step > 0 && n > i64::from(to)) || (step < 0 && n < i64::from(to)) {
            break;
        }
        out.push_str(&format!("{n}\n"));
        n += i64::from(step);
    }
    CommandResult { out, ..CommandResult::default() }
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

/// Evaluates `test` and `[`.
fn test(name: &str, args: &[String]) -> CommandResult {
    let mut words: Vec<&str> = args.iter().map(String::as_str).collect();
    if name == "[" && words.pop() != Some("]") {
        return complain("bash: [: missing `]'", 2);
    }
    let not = words.first() == Some(&"!");
    if not {
        words.remove(0);
    }
    let number = |text: &str| text.parse::<i64>().ok();
    let compare = |a: &str, b: &str, holds: fn(&i64, &i64) -> bool| number(a).zip(number(b)).map(|(a, b)| holds(&a, &b));
    let holds = match words.as_slice() {
        [] => Some(false),
        [word] => Some(!word.is_empty()),
        ["-z", word] => Some(word.is_empty()),
        ["-n", word] => Some(!word.is_empty()),
        [a, "=" | "==", b] => Some(a == b),
        [a, "!=", b] => Some(a != b),
        [a, "-eq", b] => compare(a, b, i64::eq),
        [a, "-ne", b] => compare(a, b, i64::ne),
        [a, "-lt", b] => compare(a, b, i64::lt),
        [a, "-le", b] => compare(a, b, i64::le),
        [a, "-gt", b] => compare(a, b, i64::gt),
        [a, "-ge", b] => compare(a, b, i64::ge),
        _ => return complain(&format!("bash: {name}: only -z, -n, =, != and comparisons of whole numbers are part of this shell"), 2),
    };
    match holds {
        Some(holds) => CommandResult { code: i32::from(holds == not), ..CommandResult::default() },
        None => complain(&format!("bash: {name}: integer expression expected"), 2),
    }
}

/// The longest time that `sleep` and `watch` accept; longer ones are shortened to it.
const LONGEST: Span = Span::secs(365 * 86_400);

/// Parses a time in seconds, or with a unit: `1`, `0.5`, `2m`.
fn span(text: &str) -> Option<Span> {
    let unit = text.chars().next_back()?;
    let (digits, seconds) = match unit {
        's' => (text.strip_suffix('s')?, 1),
        'm' => (text.strip_suffix('m')?, 60),
        'h' => (text.strip_suffix('h')?, 3600),
        'd' => (text.strip_suffix('d')?, 86_400),
        _ => (text, 1),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let number = |text: &str| if text.bytes().all(|b| b.is_ascii_digit()) { Some(text.to_owned()) } else { None };
    let (whole, part) = (number(whole)?, number(part)?);
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let micros: String = format!("{part}000000").chars().take(6).collect();
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(i64::MAX) };
    Some(Span((whole.min(LONGEST.as_secs()) * 1_000_000 + micros.parse::<i64>().ok()?) * seconds).min(LONGEST))
}

/// Returns the duration of a `sleep`: the sum of its arguments.
pub fn sleep(args: &[String]) -> Result<Span, String> {
    if args.is_empty() {
        return Err("missing operand".to_owned());
    }
    let mut sum = 0;
    for arg in args {
        sum = span(arg).ok_or_else(|| format!("invalid time interval ‘{arg}’"))?.0.saturating_add(sum);
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
        period = span(value).ok_or_else(|| format!("failed to parse argument: '{value}'"))?;
        period = period.max(Span::millis(100));
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

/// Returns the commands that `xargs` runs for its input, each as its words.
pub fn xargs(args: &[String], input: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut most, mut mark, mut args) = (usize::MAX, None, args);
    while let Some((first, rest)) = args.split_first().filter(|(first, _)| first.starts_with('-')) {
        args = rest;
        let (letter, value) = first.split_at(first.char_indices().nth(2).map_or(first.len(), |(at, _)| at));
        let value = match (letter, value, args.split_first()) {
            ("-r" | "-t" | "-p" | "--", _, _) => continue,
            ("-n" | "-I" | "-P" | "-L", "", Some((value, rest))) => {
                args = rest;
                value.clone()
            }
            ("-n" | "-I" | "-P" | "-L", value, _) if !value.is_empty() => value.to_owned(),
            _ => return Err(format!("of options only -n, -I and -r are part of this shell, not {first}")),
        };
        match letter {
            "-I" => mark = Some(value),
            "-n" | "-L" => {
                most = value.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("invalid number \"{value}\" for {letter} option"))?
            }
            _ => {}
        }
    }
    let command = if args.is_empty() { vec!["echo".to_owned()] } else { args.to_vec() };
    if let Some(mark) = mark {
        let lines = input.lines().map(str::trim).filter(|line| !line.is_empty());
        return Ok(lines.map(|line| command.iter().map(|word| word.replace(&mark, line)).collect()).collect());
    }
    let words: Vec<String> = input.split_whitespace().map(str::to_owned).collect();
    Ok(words.chunks(most.min(words.len()).max(1)).map(|chunk| command.iter().chain(chunk).cloned().collect()).collect())
}
