//! Evaluates a `jq` filter: each part passes its values to the next one by one.

use super::functions;
use super::parse::Expr;
use crate::api::json;
use crate::api::value::{Map, Value};
use std::cmp::Ordering;

/// The maximum number of evaluation steps for one input value, so that no filter runs for ever.
const MAX_STEPS: usize = 400_000;
/// The maximum number of values that a filter produces for one input value, or that a list holds.
const MAX_VALUES: usize = 200_000;
/// The maximum depth of nested parts and calls in the evaluation of a filter.
const MAX_DEPTH: usize = 400;

/// The result of evaluating a part of a filter; an error is a message.
pub type Done = Result<(), String>;

/// One evaluation of a filter, on one input.
pub struct Run {
    /// The values that the whole filter has produced.
    pub taken: Vec<Value>,
    variables: Vec<(String, Value)>,
    steps: usize,
    depth: usize,
}

/// The error that ends an evaluation early, but is no mistake: `limit` or `first` has enough values.
const ENOUGH: &str = "\u{0}enough";

impl Run {
    /// Prepares the evaluation of a `jq` filter in which these variables have these values.
    pub fn new(variables: &[(String, Value)]) -> Run {
        Run { taken: Vec::new(), variables: variables.to_vec(), steps: 0, depth: 0 }
    }
    /// Evaluates a filter, and keeps its values in `taken`.
    pub fn run(&mut self, expr: &Expr, input: &Value) -> Done {
        let mut taken = Vec::new();
        let result = self.each(expr, input, &mut |_, value| keep(&mut taken, value));
        self.taken = taken;
        result
    }
    /// Returns all values that a filter produces.
    pub fn all(&mut self, expr: &Expr, input: &Value) -> Result<Vec<Value>, String> {
        let mut all = Vec::new();
        self.each(expr, input, &mut |_, value| keep(&mut all, value))?;
        Ok(all)
    }
    /// Returns the first `count` values that a filter produces.
    pub fn some(&mut self, expr: &Expr, input: &Value, count: usize) -> Result<Vec<Value>, String> {
        let mut some = Vec::new();
        if count == 0 {
            return Ok(some);
        }
        let result = self.each(expr, input, &mut |_, value| {
            some.push(value);
            if some.len() >= count { Err(ENOUGH.to_owned()) } else { Ok(()) }
        });
        match result {
            Err(why) if why != ENOUGH => Err(why),
            _ => Ok(some),
        }
    }
    /// Returns the first value that a filter produces, or `null`.
    pub fn one(&mut self, expr: &Expr, input: &Value) -> Result<Value, String> {
        Ok(self.some(expr, input, 1)?.pop().unwrap_or(Value::Null))
    }
    /// Calls `then` with every value that a filter produces.
    pub fn each(&mut self, expr: &Expr, input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            return Err("this is too much for this playground".to_owned());
        }
        self.depth += 1;
        let done = self.step(expr, input, then);
        self.depth -= 1;
        done
    }
    fn step(&mut self, expr: &Expr, input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
        match expr {
            Expr::Identity => then(self, input.clone()),
            Expr::Recurse => self.recurse(input, then),
            Expr::Literal(value) => then(self, value.clone()),
            Expr::Text(parts, format) => {
                let mut text = String::new();
                for part in parts {
                    let value = self.one(part, input)?;
                    match (part, format.as_deref()) {
                        (Expr::Literal(_), _) => text.push_str(&plain(&value)),
                        (_, None | Some("text")) => text.push_str(&plain(&value)),
                        (_, Some(format)) => text.push_str(&functions::format(format, &value)?),
                    }
                }
                then(self, text.into())
            }
            Expr::Variable(name) => match self.variables.iter().rfind(|(known, _)| known == name) {
                Some((_, value)) => {
                    let value = value.clone();
                    then(self, value)
                }
                None => Err(format!("${name} is not defined")),
            },
            Expr::Index(of, key) => self.each(of, input, &mut |run, of| {
                for key in run.all(key, input)? {
                    then(run, index(&of, &key)?)?;
                }
                Ok(())
            }),
            Expr::Slice(of, from, to) => self.each(of, input, &mut |run, of| {
                let mut bound = |bound: &Option<Box<Expr>>| bound.as_ref().map(|b| run.one(b, input)).transpose();
                let (from, to) = (bound(from)?, bound(to)?);
                let sliced = slice(&of, from.as_ref(), to.as_ref())?;
                then(run, sliced)
            }),
            Expr::Iterate(of) => self.each(of, input, &mut |run, of| match of {
                Value::List(items) => items.into_iter().try_for_each(|item| then(run, item)),
                Value::Map(map) => map.iter().try_for_each(|(_, value)| then(run, value.clone())),
                other => Err(format!("Cannot iterate over {}", shown(&other))),
            }),
            Expr::Try(inner) => {
                let mut values = Vec::new();
                match self.each(inner, input, &mut |_, value| keep(&mut values, value)) {
                    Err(why) if why == ENOUGH => return Err(why),
                    _ => {}
                }
                values.into_iter().try_for_each(|value| then(self, value))
            }
            Expr::Negate(inner) => self.each(inner, input, &mut |run, value| {
                let negated = functions::calculate("-", &Value::Int(0), &value)?;
                then(run, negated)
            }),
            Expr::Pipe(first, second) => self.each(first, input, &mut |run, value| run.each(second, &value, then)),
            Expr::Comma(first, second) => {
                self.each(first, input, then)?;
                self.each(second, input, then)
            }
            Expr::Operator(operator, left, right) => self.operate(operator, left, right, input, then),
            Expr::As(value, name, body) => self.each(value, input, &mut |run, value| {
                run.variables.push((name.clone(), value));
                let done = run.each(body, input, then);
                run.variables.pop();
                done
            }),
            Expr::If(test, yes, no) => self.each(test, input, &mut |run, truth| match (is_true(&truth), no) {
                (true, _) => run.each(yes, input, then),
                (false, Some(no)) => run.each(no, input, then),
                (false, None) => then(run, input.clone()),
            }),
            Expr::List(inner) => {
                let items = inner.as_ref().map(|inner| self.all(inner, input)).transpose()?;
                then(self, Value::List(items.unwrap_or_default()))
            }
            Expr::Object(fields) => self.object(fields, Map::new(), input, then),
            Expr::Call(name, arguments) => functions::call(self, name, arguments, input, then),
        }
    }
    fn recurse(&mut self, input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err("this is too much for this playground".to_owned());
        }
        then(self, input.clone())?;
        match input {
            Value::List(items) => items.iter().try_for_each(|item| self.recurse(item, then)),
            Value::Map(map) => map.iter().try_for_each(|(_, value)| self.recurse(value, then)),
            _ => Ok(()),
        }
    }
    fn object(&mut self, fields: &[(Expr, Expr)], so_far: Map, input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
        let Some(((key, value), rest)) = fields.split_first() else { return then(self, so_far.into()) };
        for key in self.all(key, input)? {
            let Value::Str(key) = key else { return Err(format!("Object keys must be strings, not {}", shown(&key))) };
            for value in self.all(value, input)? {
                let mut map = so_far.clone();
                map.insert(key.clone(), value);
                self.object(rest, map, input, then)?;
            }
        }
        Ok(())
    }
    fn operate(&mut self, operator: &str, left: &Expr, right: &Expr, input: &Value, then: &mut dyn FnMut(&mut Run, Value) -> Done) -> Done {
        if operator == "//" {
            let left = self.all(left, input).unwrap_or_default();
            let good: Vec<Value> = left.into_iter().filter(is_true).collect();
            return if good.is_empty() { self.each(right, input, then) } else { good.into_iter().try_for_each(|v| then(self, v)) };
        }
        self.each(right, input, &mut |run, right| {
            run.each(left, input, &mut |run, left| {
                let order = || compare(&left, &right);
                let value = match operator {
                    "and" => (is_true(&left) && is_true(&right)).into(),
                    "or" => (is_true(&left) || is_true(&right)).into(),
                    "==" => (order() == Ordering::Equal).into(),
                    "!=" => (order() != Ordering::Equal).into(),
                    "<" => (order() == Ordering::Less).into(),
                    "<=" => (order() != Ordering::Greater).into(),
                    ">" => (order() == Ordering::Greater).into(),
                    ">=" => (order() != Ordering::Less).into(),
                    operator => functions::calculate(operator, &left, &right)?,
                };
                then(run, value)
            })
        })
    }
}

fn keep(all: &mut Vec<Value>, value: Value) -> Done {
    all.push(value);
    if all.len() > MAX_VALUES { Err("this is too much for this playground".to_owned()) } else { Ok(()) }
}

/// Returns whether a value counts as true: all but `false` and `null` do.
pub fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// Returns a value as text: strings as they are, others as JSON.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        value => json::to_string(value),
    }
}

/// Formats a value for error messages: its type, and the beginning of its JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        value => {
            let text: String = json::to_string(value).chars().take(40).collect();
            format!("{} ({text})", functions::type_name(value))
        }
    }
}

/// Returns the position in a list that an index means; a negative index counts from the end.
fn place(at: i64, len: usize) -> Option<usize> {
    usize::try_from(if at < 0 { at.checked_add(len as i64)? } else { at }).ok()
}

fn index(of: &Value, key: &Value) -> Result<Value, String> {
    match (of, key) {
        (Value::Null, Value::Str(_) | Value::Int(_) | Value::Float(_)) => Ok(Value::Null),
        (Value::Map(map), Value::Str(key)) => Ok(map.get(key).cloned().unwrap_or_default()),
        (Value::List(list), Value::Int(at)) => Ok(place(*at, list.len()).and_then(|at| list.get(at)).cloned().unwrap_or_default()),
        (of, Value::Str(key)) => Err(format!("Cannot index {} with \"{key}\"", functions::type_name(of))),
        (of, key) => Err(format!("Cannot index {} with {}", functions::type_name(of), functions::type_name(key))),
    }
}

fn slice(of: &Value, from: Option<&Value>, to: Option<&Value>) -> Result<Value, String> {
    let range = |len: usize| {
        let at = |value: Option<&Value>, default: usize| match value.and_then(Value::as_int) {
            Some(at) => place(at, len).unwrap_or(0).min(len),
            None => default,
        };
        let (from, to) = (at(from, 0), at(to, len));
        from..to.max(from)
    };
    match of {
        Value::Null => Ok(Value::Null),
        Value::List(list) => Ok(Value::List(list.get(range(list.len())).unwrap_or(&[]).to_vec())),
        Value::Str(text) => {
            let chars: Vec<char> = text.chars().collect();
            Ok(chars.get(range(chars.len())).unwrap_or(&[]).iter().collect::<String>().into())
        }
        other => Err(format!("Cannot index {} with object", functions::type_name(other))),
    }
}

/// Compares two values in jq's order: null, false, true, numbers, strings, lists, objects.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    let rank = |v: &Value| match v {
        Value::Null => 0,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Int(_) | Value::Float(_) => 3,
        Value::Str(_) => 4,
        Value::List(_) => 5,
        Value::Map(_) => 6,
    };
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => functions::number(a).total_cmp(&functions::number(b)),
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) => {
            let different = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| *order != Ordering::Equal);
            different.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Map(a), Value::Map(b)) => {
            let keys = a.iter().map(|(key, _)| key).cmp(b.iter().map(|(key, _)| key));
            let values = || a.iter().zip(b.iter()).map(|((_, a), (_, b))| compare(a, b)).find(|order| *order != Ordering::Equal);
            keys.then_with(|| values().unwrap_or(Ordering::Equal))
        }
        (a, b) => rank(a).cmp(&rank(b)),
    }
}
