//! A subset of `sed`: `s/a/b/g`, `p` and `d`, for all lines, one line, a range of lines or matching lines. Groups in replacements are refused.

use super::Machine;
use super::options::Options;
use super::regex::{Dialect, MatchScope, Regex};

#[derive(Clone, Debug)]
pub struct Sed {
    quiet: bool,
    commands: Vec<Command>,
    line: usize,
}

#[derive(Clone, Debug)]
struct Command {
    place: Place,
    action: Action,
}

#[derive(Clone, Debug)]
enum Place {
    Every,
    Lines(usize, usize),
    Matching(Regex),
}

#[derive(Clone, Debug)]
enum Action {
    Print,
    Delete,
    Replace { regex: Regex, with: String, all: bool, print: bool },
}

pub fn make(args: &[String]) -> Result<(Machine, Vec<String>), String> {
    let options = Options::read(args, "nEr", "e")?;
    let dialect = if options.has('E') || options.has('r') { Dialect::Extended } else { Dialect::Basic };
    let mut scripts: Vec<&str> = options.given.iter().filter(|(c, _)| *c == 'e').map(|(_, s)| s.as_str()).collect();
    let mut files = options.rest.as_slice();
    if scripts.is_empty() {
        let (script, rest) = files.split_first().ok_or("no script: write sed 's/old/new/'")?;
        scripts.push(script);
        files = rest;
    }
    let mut commands = Vec::new();
    for script in scripts {
        let mut rest = script;
        while !rest.trim_start_matches([' ', ';', '\n']).is_empty() {
            let (command, after) = read(rest.trim_start_matches([' ', ';', '\n']), dialect)?;
            commands.push(command);
            rest = after;
        }
    }
    Ok((Machine::Sed(Sed { quiet: options.has('n'), commands, line: 0 }), files.to_vec()))
}

fn read(text: &str, dialect: Dialect) -> Result<(Command, &str), String> {
    let refuse =
        || Err(format!("only s///, p and d are part of this sed; it does not know: {}", text.chars().take(20).collect::<String>()));
    let (place, rest) = place(text, dialect)?;
    let mut chars = rest.trim_start().chars();
    let action = match chars.next() {
        Some('p') => Action::Print,
        Some('d') => Action::Delete,
        Some('s') => {
            let Some(mark) = chars.next() else { return refuse() };
            let (Some((pattern, after)), dialect) = (until(chars.as_str(), mark), dialect) else { return refuse() };
            let Some((with, after)) = until(after, mark) else { return Err("unterminated `s' command".to_owned()) };
            let flags = after.len() - after.trim_start_matches(['g', 'i', 'I', 'p']).len();
            let (flags, after) = after.split_at(flags);
            let mut found = with.match_indices('\\').filter_map(|(at, _)| with[at + 1..].chars().next());
            if found.any(|c| c.is_ascii_digit()) {
                return Err("groups in the replacement (\\1) are not part of this sed".to_owned());
            }
            chars = after.chars();
            let regex = Regex::new(&[&pattern], dialect, flags.contains(['i', 'I']), MatchScope::Anything)?;
            Action::Replace { regex, with, all: flags.contains('g'), print: flags.contains('p') }
        }
        _ => return refuse(),
    };
    let rest = chars.as_str().trim_start();
    if rest.is_empty() || rest.starts_with([';', '\n']) { Ok((Command { place, action }, rest)) } else { refuse() }
}

/// Parses the address before a command (`3`, `3,5`, `3,$` or `/re/`), and returns the rest of the text.
fn place(text: &str, dialect: Dialect) -> Result<(Place, &str), String> {
    if let Some(rest) = text.strip_prefix('/') {
        let (pattern, rest) = until(rest, '/').ok_or("unterminated address regex")?;
        return Ok((Place::Matching(Regex::new(&[&pattern], dialect, false, MatchScope::Anything)?), rest));
    }
    let number = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, rest) = text.split_at(number(text));
    let Ok(first) = digits.parse() else { return Ok((Place::Every, text)) };
    let Some(rest) = rest.strip_prefix(',') else { return Ok((Place::Lines(first, first), rest)) };
    if let Some(rest) = rest.strip_prefix('$') {
        return Ok((Place::Lines(first, usize::MAX), rest));
    }
    let (digits, rest) = rest.split_at(number(rest));
    Ok((Place::Lines(first, digits.parse().map_err(|_| "unexpected `,'")?), rest))
}

/// Splits a text at the first `mark` that is not escaped; `None` if there is none.
fn until(text: &str, mark: char) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == mark {
            return Some((found, chars.as_str()));
        }
        if c == '\\' {
            let next = chars.next()?;
            if next != mark {
                found.push('\\');
            }
            found.push(next);
        } else {
            found.push(c);
        }
    }
    None
}

impl Sed {
    pub fn line(&mut self, line: &str, out: &mut String) {
        self.line += 1;
        let mut text = line.to_owned();
        for command in &self.commands {
            let here = match &command.place {
                Place::Every => true,
                Place::Lines(from, to) => (*from..=(*to).max(*from)).contains(&self.line),
                Place::Matching(regex) => regex.is_match(&text),
            };
            if !here {
                continue;
            }
            match &command.action {
                Action::Delete => return,
                Action::Print => show(&text, out),
                Action::Replace { regex, with, all, print } => {
                    if let Some(new) = replace(&text, regex, with, *all) {
                        text = new;
                        if *print {
                            show(&text, out);
                        }
                    }
                }
            }
        }
        if !self.quiet {
            show(&text, out);
        }
    }
}

fn show(text: &str, out: &mut String) {
    out.push_str(text);
    out.push('\n');
}

/// Returns the text with the first match replaced, or with `all` every match; `None` if there is no match.
fn replace(text: &str, regex: &Regex, with: &str, all: bool) -> Option<String> {
    let mut new = String::new();
    let mut from = 0;
    let mut any = false;
    while let Some((start, end)) = regex.find(text, from) {
        any = true;
        new.push_str(text.get(from..start)?);
        let mut chars = with.chars();
        while let Some(c) = chars.next() {
            match c {
                '&' => new.push_str(text.get(start..end)?),
                '\\' => match chars.next() {
                    Some('n') => new.push('\n'),
                    Some('t') => new.push('\t'),
                    other => new.extend(other),
                },
                c => new.push(c),
            }
        }
        from = end;
        if start == end {
            // After an empty match the next character is copied, so that the search advances.
            match text.get(end..).and_then(|rest| rest.chars().next()) {
                Some(c) => {
                    new.push(c);
                    from += c.len_utf8();
                }
                None => return Some(new),
            }
        }
        if !all {
            break;
        }
    }
    new.push_str(text.get(from..)?);
    any.then_some(new)
}
