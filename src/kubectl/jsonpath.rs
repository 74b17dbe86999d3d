//! JSONPath templates of `-o jsonpath`, `custom-columns` and `wait`. Counterpart: `client-go/util/jsonpath`.
//!
//! Simplification: no scripts, and filters compare one path with one value.
//!
//! This parser is our own, because kubectl's dialect is older than RFC 9535 and differs from it: text around braces, `range` and `end`, and its own error
//! messages.

use crate::api::json;
use crate::api::value::Value;

/// A parsed JSONPath template: text and paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Path(Vec<Pick>),
    Range(Vec<Pick>, Vec<Part>),
}

/// One step of a path, such as a field or an index.
#[derive(Clone, Debug, PartialEq)]
enum Pick {
    Field(String),
    Slice(Option<i64>, Option<i64>),
    Index(i64),
    All,
    Deep,
    Any(Vec<Pick>),
    Filter(Vec<Pick>, &'static str, Value),
}

impl Template {
    /// Parses a template such as `{range .items[*]}{.metadata.name}{"\n"}{end}`.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut open: Vec<(Vec<Pick>, Vec<Part>)> = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, after) = rest.split_at(at);
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            let (action, after) = action(after.get(1..).unwrap_or(""))?;
            match action.trim() {
                "end" => {
                    let (path, outer) = open.pop().ok_or("not in range, nothing to end")?;
                    let body = std::mem::replace(&mut parts, outer);
                    parts.push(Part::Range(path, body));
                }
                word if word.starts_with("range ") => open.push((path(word.trim_start_matches("range "))?, std::mem::take(&mut parts))),
                word => words(word, &mut parts)?,
            }
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        if open.is_empty() { Ok(Template(parts)) } else { Err("not in range, nothing to end".to_owned()) }
    }
    /// Parses a single path, with or without braces and the leading dot.
    pub fn path(text: &str) -> Result<Template, String> {
        let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
        let dotted = if inner.starts_with(['.', '[', '$']) { inner.to_owned() } else { format!(".{inner}") };
        Ok(Template(vec![Part::Path(path(&dotted)?)]))
    }
    /// Returns the text that the template prints for a tree.
    pub fn print(&self, root: &Value) -> Result<String, String> {
        let mut out = String::new();
        print(&self.0, root, &mut out)?;
        Ok(out)
    }
    /// Returns all values that the paths of the template find in a tree.
    pub fn find<'v>(&self, root: &'v Value) -> Result<Vec<&'v Value>, String> {
        let mut found = Vec::new();
        for part in &self.0 {
            if let Part::Path(picks) = part {
                found.extend(follow(picks, root)?);
            }
        }
        Ok(found)
    }
}

/// Formats a value as a JSONPath template prints it.
pub fn show(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_string(),
        Value::Null => String::new(),
        other => json::to_string_html(other),
    }
}

fn print(parts: &[Part], root: &Value, out: &mut String) -> Result<(), String> {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Path(picks) => out.push_str(&follow(picks, root)?.into_iter().map(show).collect::<Vec<_>>().join(" ")),
            Part::Range(picks, body) => {
                for item in follow(picks, root)? {
                    print(body, item, out)?;
                }
            }
        }
    }
    Ok(())
}

fn follow<'v>(picks: &[Pick], root: &'v Value) -> Result<Vec<&'v Value>, String> {
    let mut found = vec![root];
    for pick in picks {
        let mut next = Vec::new();
        for value in found {
            step(pick, value, &mut next)?;
        }
        found = next;
    }
    Ok(found)
}

fn step<'v>(pick: &Pick, value: &'v Value, out: &mut Vec<&'v Value>) -> Result<(), String> {
    let list = || value.as_list().unwrap_or_default();
    match pick {
        Pick::Field(name) => out.extend(value.get(name)),
        Pick::All => match value {
            Value::Map(m) => out.extend(m.iter().map(|(_, v)| v)),
            _ => out.extend(list()),
        },
        Pick::Index(i) => {
            let Value::List(all) = value else { return Ok(()) };
            let len = all.len() as i64;
            let at = if *i < 0 { i + len } else { *i };
            match usize::try_from(at).ok().and_then(|at| all.get(at)) {
                Some(item) => out.push(item),
                None => return Err(format!("array index out of bounds: index {i}, length {len}")),
            }
        }
        Pick::Slice(from, to) => {
            let len = list().len() as i64;
            let place = |n: i64| (if n < 0 { n + len } else { n }).clamp(0, len) as usize;
            let (from, to) = (place(from.unwrap_or(0)), place(to.unwrap_or(len)));
            out.extend(list().get(from..to.max(from)).unwrap_or_default());
        }
        Pick::Deep => descend(value, out),
        Pick::Any(picks) => picks.iter().try_for_each(|pick| step(pick, value, out))?,
        Pick::Filter(path, sign, wanted) => {
            for item in list() {
                let found = follow(path, item).unwrap_or_default();
                if found.first().map_or(*sign == "!=" && !wanted.is_null(), |found| holds(found, sign, wanted)) {
                    out.push(item);
                }
            }
        }
    }
    Ok(())
}

fn descend<'v>(value: &'v Value, out: &mut Vec<&'v Value>) {
    out.push(value);
    match value {
        Value::Map(m) => m.iter().for_each(|(_, v)| descend(v, out)),
        Value::List(l) => l.iter().for_each(|v| descend(v, out)),
        _ => {}
    }
}

fn holds(found: &Value, sign: &str, wanted: &Value) -> bool {
    let order = match (found, wanted) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (a, b) => show(a).cmp(&show(b)),
    };
    match sign {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        // A filter without a comparison matches if the field exists.
        _ => true,
    }
}

/// Splits a text at the brace that closes an action: returns the action and the rest.
fn action(text: &str) -> Result<(&str, &str), String> {
    let (mut quote, mut depth) = (None, 0);
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            (None, '}') if depth > 0 => return Err("unterminated array".to_owned()),
            (None, '}') => return Ok((text.get(..i).unwrap_or(""), text.get(i + 1..).unwrap_or(""))),
            _ => {}
        }
    }
    Err(if quote.is_some() { "unterminated quoted string" } else { "unclosed action" }.to_owned())
}

/// Parses an action, which is a quoted string or a path, and adds it to the parts of the template.
fn words(text: &str, parts: &mut Vec<Part>) -> Result<(), String> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            let plain = inner.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\'", "'");
            parts.push(Part::Text(plain));
            return Ok(());
        }
    }
    parts.push(Part::Path(path(text)?));
    Ok(())
}

fn path(text: &str) -> Result<Vec<Pick>, String> {
    let mut picks = Vec::new();
    let mut rest = text.trim().trim_start_matches(['$', '@']);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("..") {
            picks.push(Pick::Deep);
            rest = after;
            if !rest.starts_with('[') {
                rest = field(rest, &mut picks);
            }
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = if after.starts_with('[') || after.is_empty() { after } else { field(after, &mut picks) };
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = closing(after).ok_or("unterminated array")?;
            picks.push(bracket(after.get(..end).unwrap_or("").trim())?);
            rest = after.get(end + 1..).unwrap_or("");
        } else {
            return Err(format!("unrecognized character in action: {}", json::to_string(&rest.chars().take(1).collect::<String>().into())));
        }
    }
    Ok(picks)
}

/// Reads the name of a field, adds it to the path, and returns the rest of the text; `\.` is a dot in the name.
fn field<'t>(text: &'t str, picks: &mut Vec<Pick>) -> &'t str {
    let (mut name, mut escaped, mut end) = (String::new(), false, text.len());
    for (i, c) in text.char_indices() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '.' | '[' | ' ' if !escaped => {
                end = i;
                break;
            }
            c => name.push(c),
        }
        escaped = false;
    }
    picks.push(if name == "*" { Pick::All } else { Pick::Field(name) });
    text.get(end..).unwrap_or("")
}

fn closing(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0);
    text.char_indices().find_map(|(i, c)| {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(i),
            (None, ']') => depth -= 1,
            _ => {}
        }
        None
    })
}

fn bracket(text: &str) -> Result<Pick, String> {
    if let Some(filter) = text.strip_prefix("?(").and_then(|t| t.strip_suffix(')')) {
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if let Some((left, right)) = filter.split_once(sign) {
                return Ok(Pick::Filter(path(left)?, sign, literal(right.trim())));
            }
        }
        return Ok(Pick::Filter(path(filter)?, "", Value::Null));
    }
    if text == "*" {
        return Ok(Pick::All);
    }
    if text.contains(',') {
        return Ok(Pick::Any(text.split(',').map(|part| bracket(part.trim())).collect::<Result<_, _>>()?));
    }
    if let Value::Str(name) = literal(text)
        && text.starts_with(['\'', '"'])
    {
        return Ok(Pick::Field(name.to_string()));
    }
    let bad = || format!("invalid array index {text}");
    let number = |part: &str| if part.is_empty() { Ok(None) } else { part.parse::<i64>().map(Some).map_err(|_| bad()) };
    match text.split_once(':') {
        Some((from, to)) => Ok(Pick::Slice(number(from)?, number(to.split(':').next().unwrap_or(""))?)),
        None => number(text)?.map(Pick::Index).ok_or_else(bad),
    }
}

fn literal(text: &str) -> Value {
    let quoted = ['"', '\''].iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q));
    match (quoted, text) {
        (Some(inner), _) => inner.into(),
        (None, "true" | "false") => Value::Bool(text == "true"),
        (None, text) => text.parse::<i64>().map_or_else(|_| text.into(), Value::Int),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_print_what_they_find() {
        let root = json::parse(r#"{"items":[{"name":"a","n":1,"tags":["x","y"],"k.d":"v"},{"name":"b","n":2}],"kind":"List"}"#).unwrap();
        for (template, printed) in [
            ("{.kind}", "List"),
            ("{.items[*].name}", "a b"),
            ("{range .items[*]}{.name}{\"\\t\"}{.n}{\"\\n\"}{end}", "a\t1\nb\t2\n"),
            ("{.items[?(@.name==\"b\")].n}", "2"),
            ("{.items[?(@.n>1)].name}", "b"),
            ("{.items[0].tags}", "[\"x\",\"y\"]"),
            ("{.items[-1].name} is last", "b is last"),
            ("{.items[0:1].name}", "a"),
            ("{.items[0]['name','n']}", "a 1"),
            ("{.items[0].k\\.d}", "v"),
            ("{..name}", "a b"),
            ("{.items[0].nope}", ""),
        ] {
            assert_eq!(Template::parse(template).and_then(|t| t.print(&root)).as_deref(), Ok(printed), "{template}");
        }
        assert_eq!(Template::parse("{.items[0}"), Err("unterminated array".to_owned()));
        assert_eq!(Template::parse("{.items").map(|_| ()), Err("unclosed action".to_owned()));
        let beyond = Template::parse("{.items[5].name}").and_then(|t| t.print(&root));
        assert_eq!(beyond, Err("array index out of bounds: index 5, length 2".to_owned()));
    }
}
