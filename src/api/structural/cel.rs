//! Evaluates the rules of schemas, which are written in CEL. Counterpart: `cel-go`, with the functions that rules of Kubernetes use most.
//!
//! Simplifications: types are not checked before a rule is used, and the cost of a rule is not limited.

use super::cel_parser::{Expr, parse};
use super::pattern;
use crate::api::value::{Map, Value};

/// Returns true if a rule holds for a value, which it can compare with the `old` one; `None` if the rule cannot be evaluated.
pub fn holds(rule: &str, value: &Value, old: Option<&Value>) -> Option<bool> {
    evaluate(rule, value, old)?.as_bool()
}

/// Evaluates an expression whose result is a string; `None` if it has none.
pub fn text(expression: &str, value: &Value, old: Option<&Value>) -> Option<String> {
    evaluate(expression, value, old)?.as_str().map(str::to_owned)
}

fn evaluate(text: &str, value: &Value, old: Option<&Value>) -> Option<Value> {
    let mut scope = Scope(vec![("self".to_owned(), value.clone())]);
    if let Some(old) = old {
        scope.0.push(("oldSelf".to_owned(), old.clone()));
    }
    scope.value(&parse(text)?)
}

/// The variables that an expression can use, the innermost one last.
struct Scope(Vec<(String, Value)>);

impl Scope {
    fn value(&mut self, expression: &Expr) -> Option<Value> {
        Some(match expression {
            Expr::Literal(value) => value.clone(),
            Expr::Name(name) => self.0.iter().rev().find(|(known, _)| known == name)?.1.clone(),
            Expr::List(items) => items.iter().map(|i| self.value(i)).collect::<Option<Vec<_>>>()?.into(),
            Expr::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    map.insert(self.value(key)?.as_str()?, self.value(value)?);
                }
                map.into()
            }
            Expr::Field(of, name) => self.value(of)?.get(name)?.clone(),
            Expr::Index(of, index) => match (self.value(of)?, self.value(index)?) {
                (Value::List(items), Value::Int(i)) => items.get(usize::try_from(i).ok()?)?.clone(),
                (Value::Map(map), Value::Str(key)) => map.get(&key)?.clone(),
                _ => return None,
            },
            Expr::Unary("!", of) => (!self.value(of)?.as_bool()?).into(),
            Expr::Unary(_, of) => match self.value(of)? {
                Value::Int(i) => i.checked_neg()?.into(),
                Value::Float(f) => Value::Float(-f),
                _ => return None,
            },
            Expr::Binary("||", a, b) => self.either(a, b, true)?,
            Expr::Binary("&&", a, b) => self.either(a, b, false)?,
            Expr::Binary(operator, a, b) => binary(operator, &self.value(a)?, &self.value(b)?)?,
            Expr::If(condition, yes, no) => {
                if self.value(condition)?.as_bool()? {
                    self.value(yes)?
                } else {
                    self.value(no)?
                }
            }
            Expr::Call(name, receiver, arguments) => self.call(name, receiver.as_deref(), arguments)?,
        })
    }
    /// Evaluates `||` or `&&`: the value `decides` on one side is enough, even if the other side fails.
    fn either(&mut self, a: &Expr, b: &Expr, decides: bool) -> Option<Value> {
        let sides = [self.value(a).and_then(|v| v.as_bool()), self.value(b).and_then(|v| v.as_bool())];
        if sides.contains(&Some(decides)) {
            return Some(decides.into());
        }
        (!sides.contains(&None)).then(|| (!decides).into())
    }
    fn call(&mut self, name: &str, receiver: Option<&Expr>, arguments: &[Expr]) -> Option<Value> {
        match (name, receiver, arguments) {
            ("has", None, [Expr::Field(of, field)]) => Some(self.value(of).is_some_and(|v| v.get(field).is_some()).into()),
            ("all" | "exists" | "exists_one" | "map" | "filter", Some(list), [Expr::Name(variable), body]) => {
                let list = self.value(list)?;
                self.each(name, &list, variable, body)
            }
            _ => {
                let receiver = match receiver {
                    Some(of) => Some(self.value(of)?),
                    None => None,
                };
                let arguments = arguments.iter().map(|a| self.value(a)).collect::<Option<Vec<_>>>()?;
                function(name, &receiver.into_iter().chain(arguments).collect::<Vec<_>>())
            }
        }
    }
    fn each(&mut self, name: &str, list: &Value, variable: &str, body: &Expr) -> Option<Value> {
        let items: Vec<Value> = match list {
            Value::List(items) => items.clone(),
            Value::Map(map) => map.iter().map(|(key, _)| key.into()).collect(),
            _ => return None,
        };
        let mut results = Vec::new();
        for item in &items {
            self.0.push((variable.to_owned(), item.clone()));
            let result = self.value(body);
            self.0.pop();
            results.push(result?);
        }
        let count = results.iter().filter(|r| r.as_bool() == Some(true)).count();
        Some(match name {
            "all" => (count == results.len()).into(),
            "exists" => (count > 0).into(),
            "exists_one" => (count == 1).into(),
            "map" => results.into(),
            _ => items.into_iter().zip(results).filter(|(_, r)| r.as_bool() == Some(true)).map(|(i, _)| i).collect::<Vec<_>>().into(),
        })
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

fn binary(operator: &str, a: &Value, b: &Value) -> Option<Value> {
    let equal = || match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    };
    Some(match operator {
        "==" => equal().into(),
        "!=" => (!equal()).into(),
        "in" => match b {
            Value::List(items) => items.contains(a).into(),
            Value::Map(map) => map.has(a.as_str()?).into(),
            _ => return None,
        },
        "<" | "<=" | ">" | ">=" => {
            let order = match (a, b) {
                (Value::Str(a), Value::Str(b)) => a.cmp(b),
                _ => number(a)?.partial_cmp(&number(b)?)?,
            };
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

fn arithmetic(operator: &str, a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => match operator {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "/" => a.checked_div(*b),
            _ => a.checked_rem(*b),
        }
        .map(Value::Int),
        (Value::Str(a), Value::Str(b)) if operator == "+" => Some(format!("{a}{b}").into()),
        (Value::List(a), Value::List(b)) if operator == "+" => Some(a.iter().chain(b.iter()).cloned().collect::<Vec<_>>().into()),
        _ => {
            let (a, b) = (number(a)?, number(b)?);
            Some(Value::Float(match operator {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                _ => return None,
            }))
        }
    }
}

fn function(name: &str, arguments: &[Value]) -> Option<Value> {
    Some(match (name, arguments) {
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
        ("split", [Value::Str(a), Value::Str(b)]) => a.split(b.as_str()).map(Value::from).collect::<Vec<_>>().into(),
        ("join", [Value::List(items)]) => items.iter().filter_map(Value::as_str).collect::<String>().into(),
        ("join", [Value::List(items), Value::Str(by)]) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(by).into(),
        ("string", [value]) => value.plain_text().into(),
        ("int", [Value::Int(i)]) => Value::Int(*i),
        ("int", [Value::Float(f)]) => Value::Int(*f as i64),
        ("int", [Value::Str(s)]) => Value::Int(s.parse().ok()?),
        ("double", [value]) => Value::Float(number(value)?),
        ("isSorted", [Value::List(items)]) => items.windows(2).all(|p| binary("<=", &p[0], &p[1]) == Some(true.into())).into(),
        ("sum", [Value::List(items)]) => items.iter().try_fold(Value::Int(0), |sum, item| arithmetic("+", &sum, item))?,
        ("min" | "max", [Value::List(items)]) => {
            let less = |a: &Value, b: &Value| binary("<", a, b) == Some(true.into());
            let mut best = items.first()?.clone();
            for item in items {
                if less(item, &best) == (name == "min") && item != &best {
                    best = item.clone();
                }
            }
            best
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json;

    #[test]
    fn rules_are_evaluated() {
        let value = json::parse(r#"{"replicas":2,"size":3,"names":["a","b"],"mode":"fast"}"#).unwrap();
        for (rule, expected) in [
            ("self.replicas <= self.size", Some(true)),
            ("self.size * 2 < self.replicas + 1", Some(false)),
            ("self.names.all(n, size(n) == 1) && !has(self.other)", Some(true)),
            ("has(self.other) ? self.other > 1 : self.mode in ['fast', 'slow']", Some(true)),
            ("self.other == 1 || self.size == 3", Some(true)),
            ("self.names.exists(n, n.startsWith('c'))", Some(false)),
            ("self.other == 1", None),
            ("self.size >", None),
        ] {
            assert_eq!(holds(rule, &value, None), expected, "{rule}");
        }
        assert_eq!(holds("self.size >= oldSelf.size", &value, Some(&value)), Some(true));
        assert_eq!(text("'at most ' + string(self.size)", &value, None).as_deref(), Some("at most 3"));
    }
}
