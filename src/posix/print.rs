//! Programs whose output follows from their arguments: `echo`, `printf`, `seq`, `date`, and the commands of `xargs`; and the durations that `sleep` accepts.

use crate::api::time::{Span, Time};

/// Returns the output of `echo` with these arguments.
pub fn echo(args: &[String]) -> String {
    let (mut newline, mut escapes, mut from) = (true, false, 0);
    for arg in args {
        match arg.as_str() {
            "-n" => newline = false,
            "-e" => escapes = true,
            "-en" | "-ne" => (newline, escapes) = (false, true),
            "-E" => escapes = false,
            _ => break,
        }
        from += 1;
    }
    let text = args.get(from..).unwrap_or(&[]).join(" ");
    let mut text = if escapes { unescape(&text) } else { text };
    if newline {
        text.push('\n');
    }
    text
}

/// Replaces escape sequences such as `\n` and `\t` by their characters.
pub fn unescape(text: &str) -> String {
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
            Some('0') => out.push('\0'),
            Some('e') => out.push('\u{1b}'),
            Some('\\') => out.push('\\'),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

/// Returns the output of `printf` with these arguments, or an error message.
pub fn printf(args: &[String]) -> Result<String, String> {
    let Some((format, values)) = args.split_first() else { return Err("usage: printf format [arguments]".to_owned()) };
    let mut out = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        one_printf(format, &mut values, &mut out);
        if values.len() == 0 || values.len() == before || out.len() > 1 << 20 {
            return Ok(out);
        }
    }
}

fn one_printf(format: &str, values: &mut std::slice::Iter<String>, out: &mut String) {
    let text = unescape(format);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = String::new();
        while let Some(d) = chars.next_if(|d| d.is_ascii_digit() || matches!(d, '-' | '+' | '.' | ' ' | '#')) {
            spec.push(d);
        }
        let kind = chars.next().unwrap_or('%');
        if kind == '%' {
            out.push('%');
            continue;
        }
        let value = values.next().map_or("", String::as_str);
        let number = || value.trim().parse::<i64>().unwrap_or(0);
        let shown = match kind {
            'd' | 'i' | 'u' => number().to_string(),
            'x' => format!("{:x}", number()),
            'X' => format!("{:X}", number()),
            'o' => format!("{:o}", number()),
            'c' => value.chars().take(1).collect(),
            'b' => unescape(value),
            'f' => fixed(value, spec.split_once('.').and_then(|(_, n)| n.parse().ok()).unwrap_or(6)),
            _ => match spec.split_once('.').and_then(|(_, n)| n.parse::<usize>().ok()) {
                Some(limit) => value.chars().take(limit).collect(),
                None => value.to_owned(),
            },
        };
        let (left, zero) = (spec.starts_with('-'), spec.starts_with('0') && kind != 's');
        let width: usize =
            spec.trim_start_matches(['-', '+', ' ', '#']).split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0).min(1_000);
        let pad = width.saturating_sub(shown.chars().count());
        match (left, zero) {
            (true, _) => *out += &format!("{shown}{}", " ".repeat(pad)),
            (_, true) => *out += &format!("{}{shown}", "0".repeat(pad)),
            _ => *out += &format!("{}{shown}", " ".repeat(pad)),
        }
    }
}

/// Formats a decimal number with `digits` digits after the point, without floating-point arithmetic.
fn fixed(value: &str, digits: usize) -> String {
    let (whole, fraction) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    let whole = if whole.is_empty() || whole.parse::<i64>().is_err() { "0" } else { whole };
    let fraction: String = fraction.chars().filter(char::is_ascii_digit).chain(std::iter::repeat('0')).take(digits.min(60)).collect();
    if digits == 0 { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// Returns the output of `seq` with these arguments, of at most 100,000 numbers, or an error message.
pub fn seq(args: &[String]) -> Result<String, String> {
    let (mut separator, mut numbers) = ("\n", Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-s" => separator = rest.next().map_or("\n", String::as_str),
            arg => numbers.push(arg.parse::<i64>().map_err(|_| format!("invalid argument '{arg}'"))?),
        }
    }
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] if *step != 0 => (*first, *step, *last),
        _ => return Err("missing operand".to_owned()),
    };
    let mut shown = Vec::new();
    let mut next = Some(first);
    while let Some(n) = next.filter(|n| if step > 0 { *n <= last } else { *n >= last })
        && shown.len() < 100_000
    {
        shown.push(n.to_string());
        next = n.checked_add(step);
    }
    let text = shown.join(separator);
    Ok(if text.is_empty() { text } else { text + "\n" })
}

/// Parses a duration as `sleep` does: seconds with an optional fraction and unit, or `infinity`.
pub fn duration(text: &str) -> Option<Span> {
    if matches!(text, "inf" | "infinity") {
        return Some(Span::secs(1_000_000_000));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale: i64 = match unit {
        "" | "s" => 1_000_000,
        "ms" => 1_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse::<i64>().unwrap_or(i64::MAX).min(1_000_000_000) };
    let millionths: i64 = format!("{fraction:0<6}").get(..6).and_then(|digits| digits.parse().ok()).unwrap_or(0);
    Some(Span(whole.saturating_mul(scale).saturating_add(millionths.saturating_mul(scale) / 1_000_000).min(Span::secs(1_000_000_000).0)))
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// Returns the output of `date` for a format such as `+%H:%M`.
pub fn date(now: Time, format: &str) -> String {
    let (year, month, day, hour, minute, second) = now.civil();
    let weekday = (now.unix().div_euclid(86_400) + 4).rem_euclid(7) as usize;
    let month_name = MONTHS[(month as usize).clamp(1, 12) - 1];
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('Y') => out += &year.to_string(),
            Some('m') => out += &format!("{month:02}"),
            Some('d') => out += &format!("{day:02}"),
            Some('e') => out += &format!("{day:2}"),
            Some('H') => out += &format!("{hour:02}"),
            Some('I') => out += &format!("{:02}", (hour + 11) % 12 + 1),
            Some('M') => out += &format!("{minute:02}"),
            Some('S') => out += &format!("{second:02}"),
            Some('N') => out += &format!("{:09}", now.0.rem_euclid(1_000_000) * 1_000),
            Some('s') => out += &now.unix().to_string(),
            Some('F') => out += &format!("{year}-{month:02}-{day:02}"),
            Some('T') => out += &format!("{hour:02}:{minute:02}:{second:02}"),
            Some('R') => out += &format!("{hour:02}:{minute:02}"),
            Some('a') => out += DAYS[weekday].get(..3).unwrap_or(""),
            Some('A') => out += DAYS[weekday],
            Some('b' | 'h') => out += month_name.get(..3).unwrap_or(""),
            Some('B') => out += month_name,
            Some('y') => out += &format!("{:02}", year.rem_euclid(100)),
            Some('p') => out += if hour < 12 { "AM" } else { "PM" },
            Some('Z') => out += "UTC",
            Some('z') => out += "+0000",
            Some('D') => out += &format!("{month:02}/{day:02}/{:02}", year.rem_euclid(100)),
            Some('n') => out.push('\n'),
            Some('%') => out.push('%'),
            Some(other) => out.extend(['%', other]),
            None => out.push('%'),
        }
    }
    out
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
