//! The built-in functions of `jq`.

use super::evaluate::{Done, Run, compare, is_true, plain, shown};
use super::parse::Expr;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::api::{base64, json};
use crate::filters::regex::{Dialect, MatchScope, Regex};
use crate::map;

/// Returns jq's name for the type of a value.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

/// Returns a value as a number; values of other types count as 0.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Int(n) => *n as f64,
        Value::Float(f) => *f,
        _ => 0.0,
    }
}

fn from_number(f: f64) -> Value {
    let whole = f as i64;
    if whole as f64 == f && whole.unsigned_abs() < 1 << 53 { Value::Int(whole) } else { Value::Float(f) }
}

/// Carries out `+`, `-`, `*`, `/` or `%`.
pub fn calculate(operator: &str, a: &Value, b: &Value) -> Result<Value, String> {
    use Value::{Float, Int, List, Map as Object, Null, Str};
    let wrong = |what: &str| Err(format!("{} and {} cannot be {what}", shown(a), shown(b)));
    match (operator, a, b) {
        ("+", Null, other) | ("+", other, Null) => Ok(other.clone()),
        ("+", Str(a), Str(b)) => Ok(format!("{a}{b}").into()),
        ("+", List(a), List(b)) => Ok(List(a.iter().chain(b).cloned().collect())),
        ("+", Object(a), Object(b)) => {
            let mut sum = a.clone();
            b.iter().for_each(|(key, value)| sum.insert(key.clone(), value.clone()));
            Ok(sum.into())
        }
        ("-", List(a), List(b)) => Ok(List(a.iter().filter(|item| !b.iter().any(|gone| compare(item, gone).is_eq())).cloned().collect())),
        ("/", Str(text), Str(by)) => Ok(List(split(text, by))),
        (operator, Int(a), Int(b)) => {
            let exact = match operator {
                "+" => a.checked_add(*b),
                "-" => a.checked_sub(*b),
                "*" => a.checked_mul(*b),
                "/" if *b != 0 && a.checked_rem(*b) == Some(0) => a.checked_div(*b),
                "%" if *b != 0 => a.checked_rem(*b),
                _ => None,
            };
            match (exact, operator, *b) {
                (Some(n), ..) => Ok(Int(n)),
                (None, "/" | "%", 0) => wrong("divided because the divisor is zero"),
                _ => float(operator, *a as f64, *b as f64),
            }
        }
        ("/" | "%", Int(_) | Float(_), b @ (Int(_) | Float(_))) if number(b) == 0.0 => wrong("divided because the divisor is zero"),
        (operator, a @ (Int(_) | Float(_)), b @ (Int(_) | Float(_))) => float(operator, number(a), number(b)),
        ("+", ..) => wrong("added"),
        ("-", ..) => wrong("subtracted"),
        ("*", ..) => wrong("multiplied"),
        _ => wrong("divided"),
    }
}

fn float(operator: &str, a: f64, b: f64) -> Result<Value, String> {
    Ok(from_number(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => {
            let (a, b) = (a as i64, b as i64);
            a.checked_rem(b).unwrap_or(0) as f64
        }
    }))
}

fn split(text: &str, by: &str) -> Vec<Value> {
    match (text.is_empty(), by.is_empty()) {
        (true, _) => Vec::new(),
        (_, true) => text.chars().map(|c| c.to_string().into()).collect(),
        _ => text.split(by).map(Value::from).collect(),
    }
}

/// Formats a value by a format of jq: `@base64`, `@csv` …
pub fn format(name: &str, value: &Value) -> Result<String, String> {
    let text = plain(value);
    let row = |quote: &dyn Fn(&str) -> String, between: &str| -> Result<String, String> {
        let Value::List(items) = value else { return Err(format!("{} cannot be {name}-formatted, only an array can be", shown(value))) };
        let cells: Vec<String> = items
            .iter()
            .map(|item| {
                if let Value::Str(s) = item {
                    quote(s)
                } else if item.is_null() {
                    String::new()
                } else {
                    plain(item)
                }
            })
            .collect();
        Ok(cells.join(between))
    };
    match name {
        "text" => Ok(text),
        "json" => Ok(json::to_string(value)),
        "base64" => Ok(base64::encode(text)),
        "base64d" => {
            let bytes = base64::decode(text.trim()).map_err(|_| format!("{} is not valid base64 data", shown(value)))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        "csv" => row(&|s| format!("\"{}\"", s.replace('"', "\"\"")), ","),
        "tsv" => row(&|s| s.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n"), "\t"),
        "sh" => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
        "uri" => Ok(text
            .bytes()
            .map(|b| if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) { char::from(b).to_string() } else { format!("%{b:02X}") })
            .collect()),
        "html" => Ok(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")),
        other => Err(format!("{other} is not a valid format")),
    }
}

fn list(value: &Value) -> Result<&[Value], String> {
    value.as_list().ok_or_else(|| format!("{} is not an array", shown(value)))
}

fn string(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{} is not a string", shown(value)))
}

fn sorted(mut items: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    items.order_by(|(a, _), (b, _)| compare(a, b));
    items
}

fn contains(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.contains(b.as_str()),
        (Value::List(a), Value::List(b)) => b.iter().all(|b| a.iter().any(|a| contains(a, b))),
        (Value::Map(a), Value::Map(b)) => b.iter().all(|(key, b)| a.get(key).is_some_and(|a| contains(a, b))),
        (a, b) => compare(a, b).is_eq(),
    }
}

/// Calls a function, and calls `then` with every value that it produces.
pub fn call(run: &mut Run, name: &str, arguments: &[Expr], input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
    match (name, arguments) {
        ("empty", []) => Ok(()),
        ("select", [test]) => run.each(test, input, &mut |run, truth| if is_true(&truth) { then(run, input.clone()) } else { Ok(()) }),
        ("recurse", []) => run.each(&Expr::Recurse, input, then),
        ("range", [to]) => count(run, Value::Int(0), to, input, then),
        ("range", [from, to]) => {
            let from = run.one(from, input)?;
            count(run, from, to, input, then)
        }
        ("limit", [most, of]) => {
            let most = run.one(most, input)?.as_int().unwrap_or(0).max(0) as usize;
            run.some(of, input, most)?.into_iter().try_for_each(|value| then(run, value))
        }
        ("first", [of]) => run.some(of, input, 1)?.into_iter().try_for_each(|value| then(run, value)),
        ("error", []) => Err(plain(input)),
        ("error", [message]) => Err(plain(&run.one(message, input)?)),
        (_, []) => {
            let value = plain_function(name, input)?;
            then(run, value)
        }
        _ => {
            let value = with_arguments(run, name, arguments, input)?;
            then(run, value)
        }
    }
}

fn count(run: &mut Run, from: Value, to: &Expr, input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
    let to = run.one(to, input)?;
    let (from, to) = (from.as_int().unwrap_or(0), number(&to));
    let mut at = from;
    while (at as f64) < to {
        then(run, Value::Int(at))?;
        at += 1;
    }
    Ok(())
}

/// Calls a function without arguments, which returns one value.
fn plain_function(name: &str, input: &Value) -> Result<Value, String> {
    Ok(match name {
        "not" => (!is_true(input)).into(),
        "length" => match input {
            Value::Null => 0.into(),
            Value::Str(text) => (text.chars().count() as i64).into(),
            Value::List(items) => (items.len() as i64).into(),
            Value::Map(map) => (map.len() as i64).into(),
            n @ (Value::Int(_) | Value::Float(_)) => from_number(number(n).abs()),
            Value::Bool(_) => return Err(format!("{} has no length", shown(input))),
        },
        "keys" | "keys_unsorted" => match input {
            Value::Map(map) => Value::List(map.iter().map(|(key, _)| Value::Str(key.clone())).collect()),
            Value::List(items) => Value::List((0..items.len() as i64).map(Value::Int).collect()),
            other => return Err(format!("{} has no keys", shown(other))),
        },
        "values" => input.clone(),
        "type" => type_name(input).into(),
        "tostring" => plain(input).into(),
        "tojson" => json::to_string(input).into(),
        "fromjson" => json::parse(string(input)?).map_err(|why| format!("{why} (while parsing '{}')", plain(input)))?,
        "tonumber" => match input {
            Value::Str(text) => text
                .parse()
                .map(Value::Int)
                .ok()
                .or_else(|| crate::api::float::parse(text).map(from_number))
                .ok_or_else(|| format!("Cannot parse '{text}' as JSON"))?,
            number => number.clone(),
        },
        "add" => {
            let items: Vec<Value> = match input {
                Value::Map(map) => map.iter().map(|(_, value)| value.clone()).collect(),
                other => list(other)?.to_vec(),
            };
            items.iter().try_fold(Value::Null, |sum, item| calculate("+", &sum, item))?
        }
        "first" => list(input)?.first().cloned().unwrap_or_default(),
        "last" => list(input)?.last().cloned().unwrap_or_default(),
        "any" => list(input)?.iter().any(is_true).into(),
        "all" => list(input)?.iter().all(is_true).into(),
        "reverse" => match input {
            Value::Str(text) => text.chars().rev().collect::<String>().into(),
            other => Value::List(list(other)?.iter().rev().cloned().collect()),
        },
        "sort" | "unique" | "min" | "max" => by(name, list(input)?.iter().map(|v| (v.clone(), v.clone())).collect()),
        "flatten" => {
            let mut flat = Vec::new();
            flatten(list(input)?, &mut flat);
            Value::List(flat)
        }
        "to_entries" => match input {
            Value::Map(map) => Value::List(map.iter().map(|(key, value)| map! { "key" => key, "value" => value.clone() }.into()).collect()),
            other => return Err(format!("{} has no keys", shown(other))),
        },
        "from_entries" => {
            let mut object = Map::new();
            for entry in list(input)? {
                let of = |names: [&str; 3]| names.iter().find_map(|name| entry.get(name).filter(|v| !v.is_null()).cloned());
                let key = of(["key", "k", "name"]).unwrap_or_default();
                object.insert(plain(&key), of(["value", "v", "Value"]).unwrap_or_default());
            }
            object.into()
        }
        "ascii_downcase" => string(input)?.to_ascii_lowercase().into(),
        "ascii_upcase" => string(input)?.to_ascii_uppercase().into(),
        "trim" => string(input)?.trim().into(),
        "floor" => from_number(number(input).floor()),
        "ceil" => from_number(number(input).ceil()),
        "round" => from_number(number(input).round()),
        "abs" => from_number(number(input).abs()),
        "strings" | "numbers" | "arrays" | "objects" | "booleans" | "nulls" => {
            return Err(format!("{name} is not part of this playground; use select(type == …)"));
        }
        other => return Err(format!("{other}/0 is not defined")),
    })
}

fn flatten(items: &[Value], flat: &mut Vec<Value>) {
    for item in items {
        match item {
            Value::List(inner) => flatten(inner, flat),
            other => flat.push(other.clone()),
        }
    }
}

/// Sorts, groups or selects values by their keys; each item is a key and its value.
fn by(name: &str, items: Vec<(Value, Value)>) -> Value {
    let items = sorted(items);
    match name {
        "min" | "min_by" => items.into_iter().next().map(|(_, v)| v).unwrap_or_default(),
        "max" | "max_by" => items.into_iter().next_back().map(|(_, v)| v).unwrap_or_default(),
        "sort" | "sort_by" => Value::List(items.into_iter().map(|(_, v)| v).collect()),
        _ => {
            let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
            for (key, value) in items {
                match groups.last_mut() {
                    Some((last, group)) if compare(last, &key).is_eq() => group.push(value),
                    _ => groups.push((key, vec![value])),
                }
            }
            let unique = name.starts_with("unique");
            let pick = |group: Vec<Value>| if unique { group.into_iter().next().unwrap_or_default() } else { Value::List(group) };
            Value::List(groups.into_iter().map(|(_, group)| pick(group)).collect())
        }
    }
}

/// Calls a function with arguments that returns one value.
fn with_arguments(run: &mut Run, name: &str, arguments: &[Expr], input: &Value) -> Result<Value, String> {
    let first = &arguments[0];
    if let "map" | "map_values" | "any" | "all" | "sort_by" | "group_by" | "unique_by" | "min_by" | "max_by" | "with_entries" | "del" = name
    {
        return over_items(run, name, first, input);
    }
    let argument = run.one(first, input)?;
    Ok(match (name, arguments.len()) {
        ("has", 1) => match (input, &argument) {
            (Value::Map(map), Value::Str(key)) => map.has(key).into(),
            (Value::List(items), Value::Int(at)) => usize::try_from(*at).is_ok_and(|at| at < items.len()).into(),
            _ => return Err(format!("Cannot check whether {} has a {} key", type_name(input), type_name(&argument))),
        },
        ("contains", 1) => contains(input, &argument).into(),
        ("inside", 1) => contains(&argument, input).into(),
        ("startswith", 1) => string(input)?.starts_with(string(&argument)?).into(),
        ("endswith", 1) => string(input)?.ends_with(string(&argument)?).into(),
        ("ltrimstr", 1) => string(input)?.strip_prefix(string(&argument)?).unwrap_or(string(input)?).into(),
        ("rtrimstr", 1) => string(input)?.strip_suffix(string(&argument)?).unwrap_or(string(input)?).into(),
        ("split", 1) => Value::List(split(string(input)?, string(&argument)?)),
        ("join", 1) => {
            let parts: Vec<String> = list(input)?.iter().map(|v| if v.is_null() { String::new() } else { plain(v) }).collect();
            parts.join(string(&argument)?).into()
        }
        ("index", 1) => string(input)?.find(string(&argument)?).map_or(Value::Null, |at| (at as i64).into()),
        ("test", 1) => regex(string(&argument)?)?.is_match(string(input)?).into(),
        ("sub" | "gsub", 2) => {
            let to = plain(&run.one(&arguments[1], input)?);
            let (text, pattern) = (string(input)?, regex(string(&argument)?)?);
            let (mut out, mut at) = (String::new(), 0);
            while let Some((from, end)) = pattern.find(text, at) {
                out.push_str(text.get(at..from).unwrap_or(""));
                out.push_str(&to);
                let next = if end > from { end } else { end + text.get(end..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8) };
                out.push_str(text.get(end..next.min(text.len())).unwrap_or(""));
                at = next;
                if name == "sub" || at > text.len() {
                    break;
                }
            }
            out.push_str(text.get(at..).unwrap_or(""));
            out.into()
        }
        (other, count) => return Err(format!("{other}/{count} is not defined")),
    })
}

fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(&[pattern], Dialect::Extended, false, MatchScope::Anything)
        .map_err(|why| format!("{pattern} (at offset 0) is not a valid regex: {why}"))
}

fn over_items(run: &mut Run, name: &str, filter: &Expr, input: &Value) -> Result<Value, String> {
    match (name, input) {
        ("del", _) => Ok(without(run, filter, input)?),
        ("with_entries", _) => {
            let entries = plain_function("to_entries", input)?;
            let changed = over_items(run, "map", filter, &entries)?;
            plain_function("from_entries", &changed)
        }
        ("map_values", Value::Map(map)) => {
            let mut changed = Map::new();
            for (key, value) in map.iter() {
                if let Some(value) = run.some(filter, value, 1)?.pop() {
                    changed.insert(key.clone(), value);
                }
            }
            Ok(changed.into())
        }
        _ => {
            let items: Vec<Value> = match input {
                Value::Map(map) => map.iter().map(|(_, value)| value.clone()).collect(),
                other => other.as_list().ok_or_else(|| format!("Cannot iterate over {}", shown(other)))?.to_vec(),
            };
            let mut results: Vec<(Value, Value)> = Vec::new();
            for item in items {
                match name {
                    "map" => results.extend(run.all(filter, &item)?.into_iter().map(|value| (value, Value::Null))),
                    "any" | "all" => results.extend(run.all(filter, &item)?.into_iter().map(|value| (value, Value::Null))),
                    _ => {
                        let key = Value::List(run.all(filter, &item)?);
                        results.push((key, item));
                    }
                }
            }
            Ok(match name {
                "map" | "map_values" => Value::List(results.into_iter().map(|(value, _)| value).collect()),
                "any" => results.iter().any(|(value, _)| is_true(value)).into(),
                "all" => results.iter().all(|(value, _)| is_true(value)).into(),
                name => by(name, results),
            })
        }
    }
}

/// Carries out `del`: returns a value without the places that a path names. Paths consist of names, indexes and `[]`.
fn without(run: &mut Run, path: &Expr, input: &Value) -> Result<Value, String> {
    let mut value = input.clone();
    for path in paths(run, path, input)? {
        remove(&mut value, &path);
    }
    Ok(value)
}

fn paths(run: &mut Run, expr: &Expr, input: &Value) -> Result<Vec<Vec<Value>>, String> {
    match expr {
        Expr::Identity => Ok(vec![Vec::new()]),
        Expr::Comma(a, b) => {
            let mut all = paths(run, a, input)?;
            all.extend(paths(run, b, input)?);
            Ok(all)
        }
        Expr::Try(inner) => Ok(paths(run, inner, input).unwrap_or_default()),
        Expr::Index(of, key) => {
            let key = run.one(key, input)?;
            let longer = |mut path: Vec<Value>| {
                path.push(key.clone());
                path
            };
            Ok(paths(run, of, input)?.into_iter().map(longer).collect())
        }
        Expr::Iterate(of) => {
            let mut all = Vec::new();
            for path in paths(run, of, input)? {
                let place = path.iter().try_fold(input, |at, key| match key {
                    Value::Str(key) => at.get(key),
                    Value::Int(n) => at.as_list()?.get(usize::try_from(*n).ok()?),
                    _ => None,
                });
                // The last element is removed first, so that no removal moves another.
                let keys: Vec<Value> = match place {
                    Some(Value::List(items)) => (0..items.len() as i64).rev().map(Value::Int).collect(),
                    Some(Value::Map(map)) => map.iter().map(|(key, _)| Value::Str(key.clone())).collect(),
                    _ => Vec::new(),
                };
                all.extend(keys.into_iter().map(|key| path.iter().cloned().chain([key]).collect()));
            }
            Ok(all)
        }
        _ => Err("del takes only paths such as .a.b or .a[]".to_owned()),
    }
}

fn remove(value: &mut Value, path: &[Value]) {
    let Some((key, rest)) = path.split_first() else {
        *value = Value::Null;
        return;
    };
    match (value, key) {
        (Value::Map(map), Value::Str(key)) if rest.is_empty() => map.remove(key),
        (Value::Map(map), Value::Str(key)) => {
            if let Some(inner) = map.get_mut(key) {
                remove(inner, rest);
            }
        }
        (Value::List(items), Value::Int(at)) => {
            let Some(at) = usize::try_from(*at).ok().filter(|at| *at < items.len()) else { return };
            if rest.is_empty() {
                items.remove(at);
            } else {
                remove(&mut items[at], rest);
            }
        }
        _ => {}
    }
}
