//! Evaluates the rules of schemas, which are written in CEL. Counterpart: `cel-go/interpreter`, with the functions that rules of Kubernetes use most.
//!
//! Simplifications: the cost of a rule is not limited, and values of date and duration formats are strings.

use super::cel_parser::{Expr, Node, parse, unescape};
use super::pattern;
use crate::api::float;
use crate::api::value::{Map, Value};

/// Tells why an expression has no value: an error in the API server's words, or `None` if it uses what is not known here.
pub type Failure = Option<String>;

/// Evaluates an expression about a value, which it can compare with the `old` one. An optional old value is a list with at most one item.
pub fn evaluate(text: &str, value: &Value, old: Option<&Value>) -> Result<Value, Failure> {
    let mut scope = Scope(vec![("self".to_owned(), value.clone())]);
    if let Some(old) = old {
        scope.0.push(("oldSelf".to_owned(), old.clone()));
    }
    scope.value(&parse(text).map_err(|_| None)?)
}

fn failure<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Some(message.into()))
}

fn mismatch<T>() -> Result<T, Failure> {
    failure("no such overload")
}

/// The variables that an expression can use, the innermost one last.
struct Scope(Vec<(String, Value)>);

impl Scope {
    fn value(&mut self, expression: &Expr) -> Result<Value, Failure> {
        Ok(match &expression.node {
            Node::Literal(value) => value.clone(),
            Node::Name(name) => self.0.iter().rev().find(|(known, _)| known == name).ok_or(None)?.1.clone(),
            Node::List(items) => items.iter().map(|i| self.value(i)).collect::<Result<Vec<_>, _>>()?.into(),
            Node::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    map.insert(self.value(key)?.as_str().ok_or(None)?, self.value(value)?);
                }
                map.into()
            }
            Node::Field(of, name) => member(&self.value(of)?, &unescape(name))?,
            Node::Index(of, index) => match (self.value(of)?, self.value(index)?) {
                (Value::List(items), Value::Int(i)) => {
                    let found = usize::try_from(i).ok().and_then(|i| items.get(i));
                    found.ok_or_else(|| Some(format!("index out of bounds: {i}")))?.clone()
                }
                (map @ Value::Map(_), Value::Str(key)) => member(&map, &key)?,
                _ => return mismatch(),
            },
            Node::Unary("!", of) => match self.value(of)? {
                Value::Bool(b) => (!b).into(),
                _ => return mismatch(),
            },
            Node::Unary(_, of) => match self.value(of)? {
                Value::Int(i) => i.checked_neg().ok_or_else(|| Some("integer overflow".to_owned()))?.into(),
                Value::Float(f) => Value::Float(-f),
                _ => return mismatch(),
            },
            Node::Binary("||", a, b) => self.either(a, b, true)?,
            Node::Binary("&&", a, b) => self.either(a, b, false)?,
            Node::Binary(operator, a, b) => binary(operator, &self.value(a)?, &self.value(b)?)?,
            Node::If(condition, yes, no) => match self.value(condition)? {
                Value::Bool(true) => self.value(yes)?,
                Value::Bool(false) => self.value(no)?,
                _ => return mismatch(),
            },
            Node::Call(name, receiver, arguments) => self.call(name, receiver.as_deref(), arguments)?,
        })
    }
    /// Evaluates `||` or `&&`: the value `decides` on one side is enough, even if the other side fails.
    fn either(&mut self, a: &Expr, b: &Expr, decides: bool) -> Result<Value, Failure> {
        let a = self.value(a);
        if a == Ok(decides.into()) {
            return a;
        }
        combine(a, self.value(b), decides)
    }
    fn call(&mut self, name: &str, receiver: Option<&Expr>, arguments: &[Expr]) -> Result<Value, Failure> {
        if let ("has", None, [Expr { node: Node::Field(of, field), .. }]) = (name, receiver, arguments) {
            return Ok(self.value(of)?.get(&unescape(field)).is_some().into());
        }
        if let (Some(list), [variable, body]) = (receiver, arguments)
            && let Node::Name(variable) = &variable.node
            && matches!(name, "all" | "exists" | "exists_one" | "existsOne" | "map" | "filter")
        {
            let list = self.value(list)?;
            return self.each(name, &list, variable, body);
        }
        let receiver = receiver.map(|of| self.value(of)).transpose()?;
        let arguments = arguments.iter().map(|a| self.value(a)).collect::<Result<Vec<_>, _>>()?;
        function(name, &receiver.into_iter().chain(arguments).collect::<Vec<_>>())
    }
    fn each(&mut self, name: &str, list: &Value, variable: &str, body: &Expr) -> Result<Value, Failure> {
        let items: Vec<Value> = match list {
            Value::List(items) => items.clone(),
            Value::Map(map) => map.iter().map(|(key, _)| key.into()).collect(),
            _ => return mismatch(),
        };
        let (mut all, mut kept, decides) = (Ok((name == "all").into()), Vec::new(), name == "exists");
        for item in items {
            self.0.push((variable.to_owned(), item.clone()));
            let result = self.value(body);
            self.0.pop();
            match name {
                "all" | "exists" => {
                    all = combine(all, result, decides);
                    if all == Ok(decides.into()) {
                        return all;
                    }
                }
                "map" => kept.push(result?),
                _ if result? == true.into() => kept.push(item),
                _ => {}
            }
        }
        match name {
            "all" | "exists" => all,
            "exists_one" | "existsOne" => Ok((kept.len() == 1).into()),
            _ => Ok(kept.into()),
        }
    }
}

/// Combines the sides of `||` or `&&`, of which the value `decides` is enough.
fn combine(a: Result<Value, Failure>, b: Result<Value, Failure>, decides: bool) -> Result<Value, Failure> {
    let wanted = Value::Bool(decides);
    match (a, b) {
        (_, Ok(b)) if b == wanted => Ok(b),
        (Ok(a), _) if a == wanted => Ok(a),
        (Err(problem), _) | (_, Err(problem)) => Err(problem),
        (Ok(Value::Bool(_)), Ok(Value::Bool(b))) => Ok(b.into()),
        _ => mismatch(),
    }
}

fn member(of: &Value, name: &str) -> Result<Value, Failure> {
    match of {
        Value::Map(map) => map.get(name).cloned().ok_or_else(|| Some(format!("no such key: {name}"))),
        _ => mismatch(),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

fn binary(operator: &str, a: &Value, b: &Value) -> Result<Value, Failure> {
    let equal = || match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    };
    Ok(match operator {
        "==" => equal().into(),
        "!=" => (!equal()).into(),
        "in" => match (a, b) {
            (_, Value::List(items)) => items.contains(a).into(),
            (Value::Str(key), Value::Map(map)) => map.has(key).into(),
            _ => return mismatch(),
        },
        "<" | "<=" | ">" | ">=" => {
            let order = match (a, b) {
                (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
                (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
                _ => number(a).zip(number(b)).and_then(|(a, b)| a.partial_cmp(&b)),
            };
            let Some(order) = order else { return mismatch() };
            match operator {
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                ">" => order.is_gt(),
                _ => order.is_ge(),
            }
            .into()
        }
        _ => return arithmetic(operator, a, b),
    })
}

fn arithmetic(operator: &str, a: &Value, b: &Value) -> Result<Value, Failure> {
    match (a, b, operator) {
        (Value::Int(_), Value::Int(0), "/") => failure("division by zero"),
        (Value::Int(_), Value::Int(0), "%") => failure("modulus by zero"),
        (Value::Int(a), Value::Int(b), _) => match operator {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "/" => a.checked_div(*b),
            _ => a.checked_rem(*b),
        }
        .map(Value::Int)
        .ok_or_else(|| Some("integer overflow".to_owned())),
        (Value::Str(a), Value::Str(b), "+") => Ok(format!("{a}{b}").into()),
        (Value::List(a), Value::List(b), "+") => Ok(a.iter().chain(b.iter()).cloned().collect::<Vec<_>>().into()),
        (Value::Float(a), Value::Float(b), _) => Ok(Value::Float(match operator {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            _ => return mismatch(),
        })),
        _ => mismatch(),
    }
}

/// Returns the part of a text between two numbers of characters.
fn part(text: &str, start: i64, end: i64) -> Result<Value, Failure> {
    let length = text.chars().count() as i64;
    for index in [start, end] {
        if !(0..=length).contains(&index) {
            return failure(format!("index out of range: {index}"));
        }
    }
    if start > end {
        return failure(format!("invalid substring range. start: {start}, end: {end}"));
    }
    Ok(text.chars().skip(start as usize).take((end - start) as usize).collect::<String>().into())
}

fn function(name: &str, arguments: &[Value]) -> Result<Value, Failure> {
    let converted = |from: &str, to: &str| Some(format!("type conversion error from '{from}' to '{to}'"));
    let place = |text: &str, at: Option<usize>| Value::Int(at.map_or(-1, |at| text[..at].chars().count() as i64));
    Ok(match (name, arguments) {
        ("size", [Value::Str(s)]) => Value::Int(s.chars().count() as i64),
        ("size", [Value::List(l)]) => Value::Int(l.len() as i64),
        ("size", [Value::Map(m)]) => Value::Int(m.iter().count() as i64),
        ("startsWith", [Value::Str(a), Value::Str(b)]) => a.starts_with(b.as_str()).into(),
        ("endsWith", [Value::Str(a), Value::Str(b)]) => a.ends_with(b.as_str()).into(),
        ("contains", [Value::Str(a), Value::Str(b)]) => a.contains(b.as_str()).into(),
        ("matches", [Value::Str(a), Value::Str(b)]) => pattern::is_match(b, a).into(),
        ("lowerAscii", [Value::Str(a)]) => a.to_ascii_lowercase().into(),
        ("upperAscii", [Value::Str(a)]) => a.to_ascii_uppercase().into(),
        ("trim", [Value::Str(a)]) => a.trim().into(),
        ("replace", [Value::Str(a), Value::Str(b), Value::Str(c)]) => a.replace(b.as_str(), c).into(),
        ("indexOf", [Value::Str(a), Value::Str(b)]) => place(a, a.find(b.as_str())),
        ("lastIndexOf", [Value::Str(a), Value::Str(b)]) => place(a, a.rfind(b.as_str())),
        ("indexOf", [Value::List(items), item]) => items.iter().position(|i| i == item).map_or(-1, |i| i as i64).into(),
        ("lastIndexOf", [Value::List(items), item]) => items.iter().rposition(|i| i == item).map_or(-1, |i| i as i64).into(),
        ("charAt", [Value::Str(a), Value::Int(i)]) => part(a, *i, (*i + 1).min(a.chars().count() as i64))?,
        ("substring", [Value::Str(a), Value::Int(start)]) => part(a, *start, a.chars().count() as i64)?,
        ("substring", [Value::Str(a), Value::Int(start), Value::Int(end)]) => part(a, *start, *end)?,
        ("split", [Value::Str(a), Value::Str(b)]) if b.is_empty() => a.chars().map(|c| c.to_string().into()).collect::<Vec<Value>>().into(),
        ("split", [Value::Str(a), Value::Str(b)]) => a.split(b.as_str()).map(Value::from).collect::<Vec<_>>().into(),
        ("join", [Value::List(items)]) => items.iter().filter_map(Value::as_str).collect::<String>().into(),
        ("join", [Value::List(items), Value::Str(by)]) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(by).into(),
        ("dyn", [value]) => value.clone(),
        ("hasValue", [Value::List(items)]) => (!items.is_empty()).into(),
        ("value", [Value::List(items)]) => items.first().cloned().ok_or_else(|| Some("optional.none() dereference".to_owned()))?,
        ("orValue", [Value::List(items), other]) => items.first().unwrap_or(other).clone(),
        ("string", [value]) => value.plain_text().into(),
        ("bool", [Value::Bool(b)]) => (*b).into(),
        ("int" | "uint", [Value::Int(i)]) => Value::Int(*i),
        ("int" | "uint", [Value::Float(f)]) => Value::Int(*f as i64),
        ("int" | "uint", [Value::Str(s)]) => Value::Int(s.parse().map_err(|_| converted("string", name))?),
        ("double", [Value::Str(s)]) => Value::Float(float::parse(s).ok_or_else(|| converted("string", name))?),
        ("double", [value]) => Value::Float(number(value).ok_or(None)?),
        ("isSorted", [Value::List(items)]) => items.windows(2).all(|p| binary("<=", &p[0], &p[1]) == Ok(true.into())).into(),
        ("sum", [Value::List(items)]) => {
            let zero = if matches!(items.first(), Some(Value::Float(_))) { Value::Float(0.0) } else { Value::Int(0) };
            items.iter().try_fold(zero, |sum, item| arithmetic("+", &sum, item))?
        }
        ("min" | "max", [Value::List(items)]) => {
            let less = |a: &Value, b: &Value| binary("<", a, b) == Ok(true.into());
            let mut best = items.first().ok_or_else(|| Some(format!("{name} called on empty list")))?.clone();
            for item in items {
                if less(item, &best) == (name == "min") && item != &best {
                    best = item.clone();
                }
            }
            best
        }
        _ => return Err(None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json;

    #[test]
    fn rules_are_evaluated() {
        let value = json::parse(r#"{"replicas":2,"size":3,"zero":0,"names":["a","b"],"mode":"fast","a.b":"x-1"}"#).unwrap();
        let failed = |text: &str| Err(Some(text.to_owned()));
        for (rule, expected) in [
            ("self.replicas <= self.size", Ok(true)),
            ("self.size * 2 < self.replicas + 1", Ok(false)),
            ("self.names.all(n, size(n) == 1) && !has(self.other)", Ok(true)),
            ("has(self.other) ? self.other > 1 : self.mode in ['fast', 'slow']", Ok(true)),
            ("self.other == 1 || self.size == 3", Ok(true)),
            ("self.names.exists(n, n.startsWith('c'))", Ok(false)),
            ("self.names.exists_one(n, n == 'a') && self.names.map(n, n + '!')[1] == 'b!'", Ok(true)),
            ("self.names.exists(n, self.names[1 + size(n)] == 'b' || n == 'b')", Ok(true)),
            ("self.a__dot__b.indexOf('-') == 1 && self.a__dot__b.substring(2) == '1'", Ok(true)),
            ("self.other == 1", failed("no such key: other")),
            ("self.other == 1 && self.size == 3", failed("no such key: other")),
            ("self.names[2] == 'c'", failed("index out of bounds: 2")),
            ("self.size / self.zero > 1", failed("division by zero")),
            ("self.size % self.zero > 1", failed("modulus by zero")),
            ("9223372036854775807 + self.size > 1", failed("integer overflow")),
            ("self.names.all(n, n[0] == 'c')", failed("no such overload")),
            ("int(self.mode) > 1", failed("type conversion error from 'string' to 'int'")),
            ("url(self.mode) == 1", Err(None)),
            ("self.size >", Err(None)),
        ] {
            assert_eq!(evaluate(rule, &value, None), expected.map(Value::Bool), "{rule}");
        }
        assert_eq!(evaluate("self.size >= oldSelf.size", &value, Some(&value)), Ok(true.into()));
        assert_eq!(evaluate("'at most ' + string(self.size)", &value, None), Ok("at most 3".into()));
        let none = Value::List(Vec::new());
        assert_eq!(evaluate("!oldSelf.hasValue() || self.size > oldSelf.value()", &value, Some(&none)), Ok(true.into()));
    }
}
