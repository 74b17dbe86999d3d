//! JSONPath templates of `-o jsonpath`, `custom-columns`, `--sort-by` and `wait`. Counterpart: `client-go/util/jsonpath`.
//!
//! This parser is our own, because kubectl's dialect is older than RFC 9535 and differs from it: text around braces, `range` and `end`, and its own error
//! messages. Simplification: `..` and `*` visit the fields of an object in the order of their names, where the real client has no order.

use crate::api::value::Value;
use crate::api::{float, json};
use std::cmp::Ordering;

/// A parsed JSONPath template: text and actions in braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    actions: Vec<Vec<Node>>,
    /// Set if a field that does not exist is an error (`--allow-missing-template-keys=false`).
    strict: bool,
}

/// One step of an action.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// Text, a number or a boolean, whatever comes before it.
    Literal(Value),
    /// `range`, `end`, or a word that means nothing.
    Word(String),
    Field(String),
    Slice {
        from: Option<i64>,
        to: Option<i64>,
        step: i64,
        single: bool,
    },
    All,
    Deep,
    Union(Vec<Vec<Node>>),
    /// The items of a list for which the path leads to something, or compares as told with what the other path leads to.
    Filter(Vec<Node>, Option<(String, Vec<Node>)>),
}

type Found<'v> = Vec<&'v Value>;

impl Template {
    /// Parses a template such as `{range .items[*]}{.metadata.name}{"\n"}{end}`.
    pub fn parse(text: &str) -> Result<Template, String> {
        let (mut actions, mut rest) = (Vec::new(), text);
        loop {
            let (before, after) = rest.split_once('{').map_or((rest, None), |(before, after)| (before, Some(after)));
            if !before.is_empty() {
                actions.push(vec![Node::Literal(before.into())]);
            }
            let Some(after) = after else { return Ok(Template { actions, strict: false }) };
            let (action, after) = action(after)?;
            actions.push(action);
            rest = after;
        }
    }
    /// Parses a single path, with or without braces and the leading dot. Counterpart: `RelaxedJSONPathExpression`.
    pub fn path(text: &str) -> Result<Template, String> {
        let inner = text.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(text);
        let inner = inner.strip_prefix('.').unwrap_or(inner);
        if inner.is_empty() || inner.contains(['{', '}']) {
            return Err(
                "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'".to_owned()
            );
        }
        Template::parse(&format!("{{.{inner}}}"))
    }
    /// Returns the template in a form that takes a missing field for an error if `strict` is set.
    pub fn with_strictness(self, strict: bool) -> Template {
        Template { strict, ..self }
    }
    /// Returns the text that the template prints for a tree.
    pub fn print(&self, root: &Value) -> Result<String, String> {
        Ok(self.results(root)?.iter().map(|found| found.iter().map(|v| show(v)).collect::<Vec<_>>().join(" ")).collect())
    }
    /// Returns all values that the template finds in a tree.
    pub fn find<'v>(&'v self, root: &'v Value) -> Result<Found<'v>, String> {
        Ok(self.results(root)?.concat())
    }
    /// Returns the values that each action of the template finds in a tree.
    pub fn results<'v>(&'v self, root: &'v Value) -> Result<Vec<Found<'v>>, String> {
        let mut all = Vec::new();
        self.run(0, root, false, &mut all)?;
        Ok(all)
    }
    /// Runs the actions from a place on; inside of a range up to its `end`, whose place is returned.
    fn run<'v>(&'v self, from: usize, root: &'v Value, in_range: bool, all: &mut Vec<Found<'v>>) -> Result<Option<usize>, String> {
        let mut at = from;
        while let Some(action) = self.actions.get(at) {
            match action.split_first() {
                Some((Node::Word(word), _)) if word == "end" => {
                    return if in_range { Ok(Some(at)) } else { Err("not in range, nothing to end".to_owned()) };
                }
                Some((Node::Word(word), path)) if word == "range" => {
                    let mut end = None;
                    let items = self.follow(path, vec![root])?;
                    for item in &items {
                        end = self.run(at + 1, item, true, all)?;
                    }
                    at = if items.is_empty() { self.end_of_range(at) } else { end }.unwrap_or(at);
                }
                _ => all.push(self.follow(action, vec![root])?),
            }
            at += 1;
        }
        Ok(None)
    }
    /// Returns the place of the `end` of the range that begins at a place.
    fn end_of_range(&self, begin: usize) -> Option<usize> {
        let mut open = 0;
        (begin..self.actions.len()).find(|at| {
            match self.actions.get(*at).and_then(|action| action.first()) {
                Some(Node::Word(word)) if word == "range" => open += 1,
                Some(Node::Word(word)) if word == "end" => open -= 1,
                _ => {}
            }
            open == 0
        })
    }
    fn follow<'v>(&self, nodes: &'v [Node], input: Found<'v>) -> Result<Found<'v>, String> {
        nodes.iter().try_fold(input, |found, node| self.step(node, found))
    }
    fn step<'v>(&self, node: &'v Node, input: Found<'v>) -> Result<Found<'v>, String> {
        let mut out = Vec::new();
        match node {
            Node::Literal(value @ Value::Str(_)) => out.push(value),
            Node::Literal(value) => out.extend(input.iter().map(|_| value)),
            Node::Word(word) => return Err(format!("unrecognized identifier {word}")),
            Node::Field(name) => {
                out.extend(input.iter().filter_map(|value| value.get(name)));
                if out.is_empty() && !input.is_empty() && self.strict {
                    return Err(format!("{name} is not found"));
                }
            }
            Node::All => input.into_iter().for_each(|value| out.extend(children(value))),
            Node::Deep => input.into_iter().for_each(|value| descend(value, &mut out)),
            Node::Slice { from, to, step, single } => {
                for value in input.into_iter().filter(|value| !value.is_null()) {
                    let Value::List(items) = value else { return Err(format!("{} is not array or slice", type_name(value))) };
                    let Some(part) = slice(items, *from, *to, *single)? else { return Ok(out) };
                    if *step <= 0 {
                        return Err("step must be > 0".to_owned());
                    }
                    out.extend(part.iter().step_by(usize::try_from(*step).unwrap_or(usize::MAX)));
                }
            }
            Node::Union(paths) => {
                for path in paths {
                    out.extend(self.follow(path, input.clone())?);
                }
            }
            Node::Filter(path, comparison) => {
                for value in input {
                    let Value::List(items) = value else {
                        return Err(format!("{} is not array or slice and cannot be filtered", show(value)));
                    };
                    for item in items {
                        if self.holds(item, path, comparison.as_ref())? {
                            out.push(item);
                        }
                    }
                }
            }
        }
        Ok(out)
    }
    fn holds(&self, item: &Value, path: &[Node], comparison: Option<&(String, Vec<Node>)>) -> Result<bool, String> {
        let left = self.follow(path, vec![item]);
        let Some((sign, other)) = comparison else { return Ok(left.is_ok_and(|left| !left.is_empty())) };
        match (left?.as_slice(), self.follow(other, vec![item])?.as_slice()) {
            ([], _) | ([_], []) => Ok(false),
            ([left], [right]) => compare(left, sign, right),
            _ => Err("can only compare one element at a time".to_owned()),
        }
    }
}

/// Formats a value as a JSONPath template prints it.
pub fn show(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_string(),
        other => json::to_string_html(other),
    }
}

/// Returns Go's name for the type of a value.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Map(_) => "map[string]interface {}",
        Value::Str(_) => "string",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        _ => "float64",
    }
}

fn children(value: &Value) -> Found<'_> {
    match value {
        Value::Map(map) => map.iter().map(|(_, value)| value).collect(),
        other => other.as_list().unwrap_or_default().iter().collect(),
    }
}

/// Adds a value and all that is in it, as far as these have something in themselves.
fn descend<'v>(value: &'v Value, out: &mut Found<'v>) {
    let inner = children(value);
    if !inner.is_empty() {
        out.push(value);
        inner.into_iter().for_each(|value| descend(value, out));
    }
}

/// Returns the part of a list that `[from:to]` or the `single` index `[from]` means; `None` if that is no item. Counterpart: `evalArray`.
fn slice(items: &[Value], from: Option<i64>, to: Option<i64>, single: bool) -> Result<Option<&[Value]>, String> {
    let length = items.len() as i64;
    let begin = from.unwrap_or(0);
    let end = if single { begin.saturating_add(1) } else { to.unwrap_or(length) };
    let begin = if begin < 0 { begin.saturating_add(length) } else { begin };
    let end = if end < 0 || (end == 0 && single) { end.saturating_add(length) } else { end };
    let beyond = |index: i64| Err(format!("array index out of bounds: index {index}, length {length}"));
    if begin == end {
        return Ok(None);
    }
    if begin >= length || begin < 0 {
        return beyond(begin);
    }
    if end > length || end < 0 {
        return beyond(end - 1);
    }
    match items.get(begin as usize..end as usize) {
        Some(part) => Ok(Some(part)),
        None => Err(format!("starting index {begin} is greater than ending index {end}")),
    }
}

/// Compares two values as Go's templates do. Counterpart: `third_party/forked/golang/template`.
fn compare(left: &Value, sign: &str, right: &Value) -> Result<bool, String> {
    let equality = matches!(sign, "==" | "!=");
    let order = match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Less),
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) if equality => a.cmp(b),
        (Value::Map(_) | Value::List(_) | Value::Null, _)
        | (_, Value::Map(_) | Value::List(_) | Value::Null)
        | (Value::Bool(_), Value::Bool(_)) => {
            return Err("invalid type for comparison".to_owned());
        }
        _ => return Err("incompatible types for comparison".to_owned()),
    };
    Ok(match sign {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        other => return Err(format!("unrecognized filter operator {other}")),
    })
}

/// Parses an action up to the brace that closes it. Returns its steps and the rest of the text. Counterpart: `Parser.parseInsideAction`.
fn action(text: &str) -> Result<(Vec<Node>, &str), String> {
    let (mut nodes, mut rest) = (Vec::new(), text);
    loop {
        if let Some(after) = rest.strip_prefix("[?(") {
            rest = filter(after, &mut nodes)?;
            continue;
        }
        if let Some(after) = rest.strip_prefix("..") {
            if nodes.last() == Some(&Node::Deep) {
                return Err("invalid multiple recursive descent".to_owned());
            }
            nodes.push(Node::Deep);
            rest = if after.starts_with(is_word) { field(after, &mut nodes) } else { after };
            continue;
        }
        let mut chars = rest.chars();
        rest = match chars.next() {
            Some('}') => return Ok((nodes, chars.as_str())),
            None | Some('\n' | '\r') => return Err("unclosed action".to_owned()),
            Some(' ' | '@' | '$') => chars.as_str(),
            Some('[') => array(chars.as_str(), &mut nodes)?,
            Some(quote @ ('"' | '\'')) => quoted(chars.as_str(), quote, &mut nodes)?,
            Some('.') => field(chars.as_str(), &mut nodes),
            Some(c) if c == '+' || c == '-' || c.is_ascii_digit() => read_number(rest, &mut nodes)?,
            Some(c) if is_word(c) => {
                let (word, after) = rest.split_at(rest.find(is_terminator).unwrap_or(rest.len()));
                nodes.push(match word {
                    "true" | "false" => Node::Literal(Value::Bool(word == "true")),
                    word => Node::Word(word.to_owned()),
                });
                after
            }
            Some(c) => return Err(format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(c))),
        };
    }
}

/// Parses a text as the inner part of an action.
fn inner_action(text: &str) -> Result<Vec<Node>, String> {
    action(&format!("{text}}}")).map(|(nodes, _)| nodes)
}

/// Returns true for what a word consists of. Simplification: all characters beyond ASCII count as letters.
fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii()
}

fn is_terminator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

/// Reads the name of a field, in which `\.` is a dot, and returns the rest of the text.
fn field<'t>(text: &'t str, nodes: &mut Vec<Node>) -> &'t str {
    let mut escaped = false;
    let ends = |c: char| {
        let ends = !escaped && is_terminator(c);
        escaped = !escaped && c == '\\';
        ends
    };
    let (name, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
    nodes.push(if name == "*" { Node::All } else { Node::Field(name.replace('\\', "")) });
    rest
}

/// Reads a number and returns what follows it.
fn read_number<'t>(text: &'t str, nodes: &mut Vec<Node>) -> Result<&'t str, String> {
    let digits = text.trim_start_matches(['+', '-']).trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let (number, rest) = text.split_at(text.len() - digits.len());
    let value = number.parse().map(Value::Int).ok().or_else(|| float::parse(number).map(Value::Float));
    nodes.push(Node::Literal(value.ok_or_else(|| format!("cannot parse number {number}"))?));
    Ok(rest)
}

/// Reads a quoted text and returns what follows it.
fn quoted<'t>(text: &'t str, quote: char, nodes: &mut Vec<Node>) -> Result<&'t str, String> {
    let (mut plain, mut chars) = (String::new(), text.chars());
    loop {
        match chars.next() {
            None | Some('\n') => return Err("unterminated quoted string".to_owned()),
            Some(c) if c == quote => break,
            Some('\\') => plain.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(c @ ('\\' | '"' | '\'')) => c,
                _ => return Err(format!("unquote string {quote}{text} error invalid syntax")),
            }),
            Some(c) => plain.push(c),
        }
    }
    nodes.push(Node::Literal(plain.into()));
    Ok(chars.as_str())
}

/// Reads what stands in brackets, up to the closing one: indexes, names in single quotes, or several of these.
fn array<'t>(text: &'t str, nodes: &mut Vec<Node>) -> Result<&'t str, String> {
    let (inner, rest) = text.split_once(']').filter(|(inner, _)| !inner.contains('\n')).ok_or("unterminated array")?;
    let inner = if inner == "*" { ":" } else { inner };
    if inner.contains(',') {
        let paths = inner.split(',').map(|part| inner_action(&format!("[{}]", part.trim_matches(' ')))).collect::<Result<_, _>>()?;
        nodes.push(Node::Union(paths));
        return Ok(rest);
    }
    if let Some(name) = inner.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')).filter(|name| !name.contains('\'')) {
        nodes.extend(inner_action(&format!(".{name}"))?);
        return Ok(rest);
    }
    let parts: Vec<&str> = inner.split(':').collect();
    let is_index = |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|b| b.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_index) {
        return Err(format!("invalid array index {inner}"));
    }
    let number = |place: usize| match parts.get(place) {
        None | Some(&"") => Ok(None),
        Some(part) => part.parse::<i64>().map(Some).map_err(|_| format!("array index {part} is not a number")),
    };
    nodes.push(Node::Slice { from: number(0)?, to: number(1)?, step: number(2)?.unwrap_or(1), single: parts.len() == 1 });
    Ok(rest)
}

/// Reads a filter up to `)]`. A `)` inside of the first quoted text does not end it.
fn filter<'t>(text: &'t str, nodes: &mut Vec<Node>) -> Result<&'t str, String> {
    let (mut quote, mut closed, mut before) = (None, false, ' ');
    let end = text.find(|c: char| {
        match c {
            '"' | '\'' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) && before != '\\' => closed = true,
            _ => {}
        }
        before = c;
        c == '\n' || (c == ')' && quote.is_some() == closed)
    });
    let (inner, rest) = text.split_at(end.ok_or("unterminated filter")?);
    let rest = rest.strip_prefix(')').ok_or("unterminated filter")?.strip_prefix(']').ok_or("unclosed array expect ]")?;
    let is_sign = |c: char| "!<>=".contains(c);
    let (left, other) = inner.split_at(inner.find(is_sign).unwrap_or(inner.len()));
    let (sign, right) = other.split_at(other.find(|c| !is_sign(c)).unwrap_or(other.len()));
    nodes.push(if left.is_empty() || right.is_empty() {
        Node::Filter(inner_action(inner)?, None)
    } else {
        Node::Filter(inner_action(left)?, Some((sign.to_owned(), inner_action(right)?)))
    });
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(template: &str) -> String {
        let root = json::parse(
            r#"{"items":[{"name":"a","n":1,"f":1.5,"on":true,"tags":["x","y"],"k.d":"v","deep":{"x":1}},{"name":"b","n":2,"nil":null}],"kind":"List"}"#,
        );
        Template::parse(template).and_then(|t| t.print(&root.unwrap())).unwrap_or_else(|why| why)
    }

    #[test]
    fn templates_print_what_they_find() {
        for (template, expected) in [
            ("{.kind}", "List"),
            ("{.items[*].name}", "a b"),
            ("{range .items[*]}{.name}{\"\\t\"}{.n}{\"\\n\"}{end}", "a\t1\nb\t2\n"),
            ("{range .items[*]}{range .tags[*]}<{@}>{end}{.name} {end}.", "<x><y>a b ."),
            ("{range .nope[*]}{.name}{end}none", "none"),
            ("{.items[?(@.name==\"b\")].n}", "2"),
            ("{.items[?(@.n>1)].name}", "b"),
            ("{.items[?(@.n>=@.n)].name}", "a b"),
            ("{.items[?(@.f<2.5)].name}", "a"),
            ("{.items[?(@.on==true)].name}", "a"),
            ("{.items[?(@.tags)].name}", "a"),
            // A field that is not there is neither equal nor unequal.
            ("{.items[?(@.on!=true)].name}", ""),
            ("{.items[0].tags}", "[\"x\",\"y\"]"),
            ("{.items[-1].name} is last", "b is last"),
            ("{.items[0:1].name}", "a"),
            ("{.items[::2].name}", "a"),
            ("{.items[0]['name','n']}", "a 1"),
            ("{.items[*]['name', 'deep.x']}", "a b 1"),
            ("{.items[0].k\\.d}{.items[0]['k\\.d']}", "vv"),
            ("{..name}", "a b"),
            ("{.items[0].nope}", ""),
            ("{.items[1].nil}", "null"),
            ("{5} {true} {'it\\'s'}", "5 true it's"),
        ] {
            assert_eq!(printed(template), expected, "{template}");
        }
    }

    #[test]
    fn mistakes_are_told_in_the_real_clients_words() {
        for (template, expected) in [
            ("{.items[0}", "unterminated array"),
            ("{.items", "unclosed action"),
            ("{.items[5].name}", "array index out of bounds: index 5, length 2"),
            ("{.items[0:5].name}", "array index out of bounds: index 4, length 2"),
            ("{.kind[0]}", "string is not array or slice"),
            ("{.kind[?(@.x)]}", "List is not array or slice and cannot be filtered"),
            ("{.items[?(@.name>1)]}", "incompatible types for comparison"),
            ("{.items[?(@.n=1)]}", "unrecognized filter operator ="),
            ("{.items[?(@.n==1]}", "unterminated filter"),
            ("{.items[\"x\"]}", "invalid array index \"x\""),
            ("{(.kind)}", "unrecognized character in action: U+0028 '('"),
            ("{kind}", "unrecognized identifier kind"),
            ("{end}", "not in range, nothing to end"),
            ("{.items....name}", "invalid multiple recursive descent"),
            ("{\"x}", "unterminated quoted string"),
        ] {
            assert_eq!(printed(template), expected, "{template}");
        }
        let root = Value::Map(crate::map! { "a" => 1 });
        let strict = Template::parse("{.b}").unwrap().with_strictness(true);
        assert_eq!(strict.print(&root), Err("b is not found".to_owned()));
        assert!(Template::path("{.a}{.b}").is_err_and(|why| why.starts_with("unexpected path string")));
    }
}
