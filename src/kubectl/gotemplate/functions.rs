//! The functions that a Go template can call, and the formatting of values as Go prints them. Counterparts: `text/template/funcs.go`, `fmt`.
//!
//! Left out: `call`, `slice`, `js` and `urlquery`. Of the flags in a `printf` format, `-`, `0` and `+` work; `#` and a blank are ignored.

use super::TemplateValue;
use crate::api::base64;
use crate::api::float;
use crate::api::json;
use crate::api::value::Value;
use std::cmp::Ordering;

/// The names of all functions. The template engine evaluates `and` and `or` itself, because they may leave arguments unevaluated.
pub const NAMES: &[&str] = &[
    "and",
    "or",
    "not",
    "len",
    "index",
    "print",
    "printf",
    "println",
    "html",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "exists",
    "base64decode",
];

/// Calls the template function with this name.
pub fn call<'v>(name: &str, args: &[TemplateValue<'v>]) -> Result<TemplateValue<'v>, String> {
    let wrong = |wanted: &str| Err(format!("wrong number of args for {name}: want {wanted} got {}", args.len()));
    match (name, args) {
        ("not", [one]) => Ok(TemplateValue::Bool(!one.is_true())),
        ("len", [one]) => len(one),
        ("index", [first, keys @ ..]) => keys.iter().try_fold(first.clone(), index),
        ("exists", [first, keys @ ..]) => {
            Ok(TemplateValue::Bool(keys.iter().try_fold(first.clone(), index).is_ok_and(|found| !found.is_nil())))
        }
        ("print", _) => Ok(TemplateValue::Text(print(args))),
        ("println", _) => Ok(TemplateValue::Text(format!("{}\n", args.iter().map(TemplateValue::text).collect::<Vec<_>>().join(" ")))),
        ("printf", [format, rest @ ..]) => Ok(TemplateValue::Text(sprintf(&format.text(), rest))),
        ("html", _) => Ok(TemplateValue::Text(escaped(&print(args)))),
        ("eq", [first, rest @ ..]) if !rest.is_empty() => {
            let mut any = false;
            for one in rest {
                any |= equal(first, one)?;
            }
            Ok(TemplateValue::Bool(any))
        }
        ("ne", [a, b]) => Ok(TemplateValue::Bool(!equal(a, b)?)),
        ("lt", [a, b]) => order(a, b).map(|o| TemplateValue::Bool(o.is_lt())),
        ("le", [a, b]) => order(a, b).map(|o| TemplateValue::Bool(o.is_le())),
        ("gt", [a, b]) => order(a, b).map(|o| TemplateValue::Bool(o.is_gt())),
        ("ge", [a, b]) => order(a, b).map(|o| TemplateValue::Bool(o.is_ge())),
        ("base64decode", [one]) => decode(&one.text()).map(TemplateValue::Text),
        ("eq", [_]) => Err("missing argument for comparison".to_owned()),
        ("not" | "len" | "base64decode", _) => wrong("1"),
        ("ne" | "lt" | "le" | "gt" | "ge", _) => wrong("2"),
        _ => wrong("at least 1"),
    }
}

fn len<'v>(one: &TemplateValue<'v>) -> Result<TemplateValue<'v>, String> {
    match one {
        TemplateValue::Text(text) => Ok(TemplateValue::Int(text.len() as i64)),
        TemplateValue::Data(Value::Str(text)) => Ok(TemplateValue::Int(text.len() as i64)),
        TemplateValue::Data(Value::List(list)) => Ok(TemplateValue::Int(list.len() as i64)),
        TemplateValue::Data(Value::Map(map)) => Ok(TemplateValue::Int(map.len() as i64)),
        other if other.is_nil() => Err("len of nil pointer".to_owned()),
        other => Err(format!("len of type {}", other.type_name())),
    }
}

fn index<'v>(whole: TemplateValue<'v>, key: &TemplateValue<'v>) -> Result<TemplateValue<'v>, String> {
    match (&whole, key) {
        (TemplateValue::Data(Value::Map(map)), key) if key.is_string() => {
            Ok(map.get(&key.text()).map_or(TemplateValue::Nil, TemplateValue::Data))
        }
        (TemplateValue::Data(Value::Map(_)), key) => Err(format!("value has type {}; should be string", key.type_name())),
        (TemplateValue::Data(Value::List(list)), key) => {
            let at = match key {
                TemplateValue::Int(at) => *at,
                other => return Err(format!("cannot index slice/array with type {}", other.type_name())),
            };
            let item = usize::try_from(at).ok().and_then(|at| list.get(at));
            item.map(TemplateValue::Data).ok_or_else(|| format!("index out of range: {at}"))
        }
        (whole, _) if whole.is_nil() => Err("index of untyped nil".to_owned()),
        (whole, _) => Err(format!("can't index item of type {}", whole.type_name())),
    }
}

fn equal(a: &TemplateValue, b: &TemplateValue) -> Result<bool, String> {
    if a.is_nil() || b.is_nil() {
        return Ok(a.is_nil() && b.is_nil());
    }
    for one in [a, b] {
        if let TemplateValue::Data(Value::Map(_) | Value::List(_)) = one {
            return Err(format!("non-comparable type {}: {}", one.text(), one.type_name()));
        }
    }
    match (a, b) {
        (TemplateValue::Data(Value::Bool(x)), y) | (y, TemplateValue::Data(Value::Bool(x))) => match y {
            TemplateValue::Bool(y) | TemplateValue::Data(Value::Bool(y)) => Ok(x == y),
            _ => Err("incompatible types for comparison".to_owned()),
        },
        (TemplateValue::Bool(x), TemplateValue::Bool(y)) => Ok(x == y),
        _ => order(a, b).map(Ordering::is_eq),
    }
}

/// Compares two values. In Go the numbers of a document are floats, so they cannot be compared with an integer of the template.
fn order(a: &TemplateValue, b: &TemplateValue) -> Result<Ordering, String> {
    let incompatible = || "incompatible types for comparison".to_owned();
    match (a, b) {
        (a, b) if a.is_string() && b.is_string() => Ok(a.text().cmp(&b.text())),
        (TemplateValue::Int(a), TemplateValue::Int(b)) => Ok(a.cmp(b)),
        (TemplateValue::Int(_), _) | (_, TemplateValue::Int(_)) => Err(incompatible()),
        (a, b) => match (a.float(), b.float()) {
            (Some(a), Some(b)) => Ok(a.partial_cmp(&b).unwrap_or(Ordering::Equal)),
            _ => Err(incompatible()),
        },
    }
}

/// Joins values as `fmt.Sprint` does: with a blank between two values of which neither is a string.
fn print(args: &[TemplateValue]) -> String {
    let mut out = String::new();
    let mut before: Option<&TemplateValue> = None;
    for one in args {
        if before.is_some_and(|before| !before.is_string() && !one.is_string()) {
            out.push(' ');
        }
        out.push_str(&one.text());
        before = Some(one);
    }
    out
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn sprintf(format: &str, args: &[TemplateValue]) -> String {
    let (mut out, mut chars, mut args) = (String::new(), format.chars().peekable(), args.iter());
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let (mut flags, mut width, mut precision) = (String::new(), String::new(), None);
        while let Some(flag) = chars.next_if(|c| "-+# 0".contains(*c)) {
            flags.push(flag);
        }
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            width.push(digit);
        }
        if chars.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            precision = Some(digits.parse::<usize>().unwrap_or(0).min(100));
        }
        let Some(verb) = chars.next() else {
            out.push_str("%!(NOVERB)");
            break;
        };
        if verb == '%' {
            out.push('%');
            continue;
        }
        let Some(arg) = args.next() else {
            out.push_str(&format!("%!{verb}(MISSING)"));
            continue;
        };
        let body = verb_text(verb, arg, precision, flags.contains('+'));
        let missing = width.parse::<usize>().unwrap_or(0).min(1000).saturating_sub(body.chars().count());
        match (flags.contains('-'), flags.contains('0') && !arg.is_string()) {
            (true, _) => out.extend(body.chars().chain(std::iter::repeat_n(' ', missing))),
            (false, true) => out.extend(std::iter::repeat_n('0', missing).chain(body.chars())),
            (false, false) => out.extend(std::iter::repeat_n(' ', missing).chain(body.chars())),
        }
    }
    let extra: Vec<String> = args.map(|arg| format!("{}={}", arg.type_name(), arg.text())).collect();
    if !extra.is_empty() {
        out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
    out
}

fn verb_text(verb: char, arg: &TemplateValue, precision: Option<usize>, plus: bool) -> String {
    let wrong = || format!("%!{verb}({}={})", arg.type_name(), arg.text());
    let signed = |text: String| if plus && !text.starts_with('-') { format!("+{text}") } else { text };
    let is_tree = matches!(arg, TemplateValue::Data(Value::Map(_) | Value::List(_)));
    match verb {
        'v' if arg.is_nil() => "<nil>".to_owned(),
        'v' => arg.text(),
        _ if arg.is_nil() => format!("%!{verb}(<nil>)"),
        's' if arg.is_string() => match precision {
            Some(n) => arg.text().chars().take(n).collect(),
            None => arg.text(),
        },
        's' if is_tree => arg.text(),
        'q' if arg.is_string() => json::to_string(&arg.text().into()),
        'T' => arg.type_name().to_owned(),
        't' => match arg {
            TemplateValue::Bool(b) | TemplateValue::Data(Value::Bool(b)) => b.to_string(),
            _ => wrong(),
        },
        'd' | 'x' | 'X' => match (arg, verb) {
            (TemplateValue::Int(n), 'd') => signed(n.to_string()),
            (TemplateValue::Int(n), 'x') => format!("{n:x}"),
            (TemplateValue::Int(n), _) => format!("{n:X}"),
            _ => wrong(),
        },
        'f' | 'F' if !matches!(arg, TemplateValue::Int(_)) => {
            arg.float().map_or_else(wrong, |f| signed(format!("{f:.0$}", precision.unwrap_or(6))))
        }
        'g' if !matches!(arg, TemplateValue::Int(_)) && arg.float().is_some() => arg.text(),
        _ => wrong(),
    }
}

/// Formats a value of the document as Go's `%v` does.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => float::general(*n as f64),
        Value::Float(f) => float::general(*f),
        Value::Str(s) => s.to_string(),
        Value::List(l) => format!("[{}]", l.iter().map(value_text).collect::<Vec<_>>().join(" ")),
        Value::Map(m) => format!("map[{}]", m.iter().map(|(k, v)| format!("{k}:{}", value_text(v))).collect::<Vec<_>>().join(" ")),
    }
}

fn decode(text: &str) -> Result<String, String> {
    let bytes = base64::decode(text).map_err(|at| format!("illegal base64 data at input byte {at}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
