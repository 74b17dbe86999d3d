//! Checks the types in the rules of schemas before they are used. Counterparts: `cel-go/checker`, `SchemaDeclType`, and `Compile` in
//! `apiextensions-apiserver/pkg/apiserver/schema/cel`.
//!
//! Simplifications: what the functions of Kubernetes' own libraries return (URLs, addresses, quantities …) is not checked further, and the cost of a rule is
//! not estimated.

use super::cel_parser::{Expr, Node, Problem, parse, unescape};
use crate::api::fnv;
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::LazyLock;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
enum Type<'s> {
    /// A type that is known only when the rule is evaluated, or that of an expression with an error.
    Dyn,
    /// A type without parts, by its letter in [`FUNCTIONS`].
    Plain(char),
    List(Box<Type<'s>>),
    Map(Box<Type<'s>>, Box<Type<'s>>),
    /// An object with the fields of a schema, whether these are a whole object's, and the name of the type.
    Object(&'s Map, bool, String),
}

const BOOL: Type = Type::Plain('b');
const STRING: Type = Type::Plain('s');
const INT: Type = Type::Plain('i');
const ORDER: &str = "bb:b ii:b uu:b dd:b iu:b id:b ui:b ud:b di:b du:b ss:b yy:b tt:b DD:b";
/// The operators and functions with their overloads: the types of the arguments, a dot after the receiver of a method, a colon, and the type of the result.
/// `l` and `m` are any list and map, `A` any type (the same at each place), `E` the type of the list's items, `L` a list of strings, `*` anything.
const FUNCTIONS: &[(&str, &str)] = &[
    ("_==_", "AA:b"),
    ("_!=_", "AA:b"),
    ("_<_", ORDER),
    ("_<=_", ORDER),
    ("_>_", ORDER),
    ("_>=_", ORDER),
    ("_+_", "ii:i uu:u dd:d ss:s yy:y ll:l tD:t Dt:t DD:D"),
    ("_-_", "ii:i uu:u dd:d tt:D tD:t DD:D"),
    ("_*_", "ii:i uu:u dd:d"),
    ("_/_", "ii:i uu:u dd:d"),
    ("_%_", "ii:i uu:u"),
    ("-_", "i:i d:d"),
    ("!_", "b:b"),
    ("_?_:_", "bAA:A"),
    ("size", "s:i y:i l:i m:i s.:i y.:i l.:i m.:i"),
    ("contains", "s.s:b"),
    ("startsWith", "s.s:b"),
    ("endsWith", "s.s:b"),
    ("matches", "ss:b s.s:b"),
    ("bool", "b:b s:b"),
    ("bytes", "y:y s:y"),
    ("double", "d:d i:d u:d s:d"),
    ("duration", "D:D i:D s:D"),
    ("dyn", "*:*"),
    ("int", "i:i d:i D:i s:i t:i u:i"),
    ("string", "s:s b:s y:s d:s D:s i:s t:s u:s"),
    ("timestamp", "t:t i:t s:t"),
    ("type", "*:k"),
    ("uint", "u:u d:u i:u s:u"),
    ("charAt", "s.i:s"),
    ("indexOf", "s.s:i s.si:i l.*:i"),
    ("lastIndexOf", "s.s:i s.si:i l.*:i"),
    ("join", "l.:s l.s:s"),
    ("lowerAscii", "s.:s"),
    ("upperAscii", "s.:s"),
    ("trim", "s.:s"),
    ("replace", "s.ss:s s.ssi:s"),
    ("split", "s.s:L s.si:L"),
    ("substring", "s.i:s s.ii:s"),
    ("find", "s.s:s"),
    ("findAll", "s.s:L s.si:L"),
    ("isSorted", "l.:b"),
    ("sum", "l.:E"),
    ("min", "l.:E"),
    ("max", "l.:E"),
];
/// Functions whose arguments and results are not checked.
const UNCHECKED: &str = " url isURL getScheme getHost getHostname getPort getEscapedPath getQuery quantity isQuantity isInteger asInteger asApproximateFloat \
    sign add sub isGreaterThan isLessThan compareTo ip isIP family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast cidr isCIDR \
    containsIP containsCIDR masked prefixLength semver isSemver major minor patch named validate format reverse slice flatten distinct sort sortBy first last \
    range lists value hasValue or orValue optMap optFlatMap optional unwrapOpt getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours \
    getMilliseconds getMinutes getMonth getSeconds transformList transformMap transformMapEntry authorizer ";
/// Names before functions that are no variables: `sets.contains(a, b)`.
const NAMESPACES: &[&str] = &["sets", "optional", "strings", "ip", "format", "math", "lists", "cel"];
const TYPE_NAMES: &[&str] =
    &["bool", "bytes", "double", "duration", "dyn", "int", "list", "map", "null_type", "string", "timestamp", "type", "uint"];

/// Checks an expression about a value of a schema whose result must be a `bool` or `string`. Returns true if it uses `oldSelf`, and the error in the API
/// server's words otherwise. `root` tells that the schema is that of a whole object.
pub fn check(text: &str, schema: &Map, root: bool, optional_old: bool, message: bool) -> Result<bool, String> {
    // The parser does not know the syntax of optional fields.
    if text.contains(".?") || text.contains("[?") {
        return Ok(text.contains("oldSelf"));
    }
    let name = format!("selfType{}", fnv::of(text) % 1_000_000_000);
    let Some(own) = type_of(schema, root, &name) else { return Ok(text.contains("oldSelf")) };
    let old = if optional_old { Type::Dyn } else { own.clone() };
    let mut checker = Checker { scope: vec![("self".into(), own), ("oldSelf".into(), old)], problems: Vec::new(), uses_old: false };
    let result = match parse(text) {
        Ok(expression) => checker.check(&expression),
        Err(problem) => {
            checker.problems.push(problem);
            Type::Dyn
        }
    };
    let what = if message { "messageExpression " } else { "" };
    if !checker.problems.is_empty() {
        return Err(format!("{what}compilation failed: {}", shown(text, checker.problems)));
    }
    match (message, result) {
        (_, Type::Dyn) | (false, BOOL) | (true, STRING) => Ok(checker.uses_old),
        (false, _) => Err("cel expression must evaluate to a bool".to_owned()),
        (true, _) => Err("messageExpression must evaluate to a string".to_owned()),
    }
}

/// Returns errors with the lines in which they are. Counterpart: `Errors.ToDisplayString`.
fn shown(text: &str, mut problems: Vec<Problem>) -> String {
    problems.sort_by_key(|(at, _)| *at);
    let show = |(at, message): &Problem| {
        let before: String = text.chars().take(*at).collect();
        let (line, start) = (before.matches('\n').count(), before.rfind('\n').map_or(0, |i| i + 1));
        let column = before[start..].chars().count();
        let source = text.split('\n').nth(line).unwrap_or("").replace('\t', " ");
        format!("ERROR: <input>:{}:{}: {message}\n | {source}\n | {}^", line + 1, column + 1, ".".repeat(column))
    };
    problems.iter().map(show).collect::<Vec<_>>().join("\n")
}

/// Returns the type of the values of a schema; `None` if rules cannot use them. Counterpart: `SchemaDeclType`.
fn type_of<'s>(schema: &'s Map, root: bool, name: &str) -> Option<Type<'s>> {
    let inner = |part: &'s Map, end: &str| type_of(part, part.bool("x-kubernetes-embedded-resource"), &format!("{name}.{end}"));
    if schema.bool("x-kubernetes-int-or-string") {
        return Some(Type::Dyn);
    }
    Some(match schema.str("type") {
        "array" => Type::List(Box::new(inner(schema.map("items")?, "@idx")?)),
        "object" => match schema.map("additionalProperties").filter(|_| !root) {
            Some(values) => Type::Map(Box::new(STRING), Box::new(inner(values, "@elem")?)),
            None => Type::Object(schema, root, name.to_owned()),
        },
        "string" => Type::Plain(match schema.str("format") {
            "byte" => 'y',
            "duration" => 'D',
            "date" | "date-time" => 't',
            _ => 's',
        }),
        "boolean" => BOOL,
        "number" => Type::Plain('d'),
        "integer" => INT,
        _ => return None,
    })
}

impl Type<'_> {
    fn text(&self) -> String {
        match self {
            Type::Dyn => "dyn".to_owned(),
            Type::Plain(letter) => match letter {
                'b' => "bool",
                'i' => "int",
                'u' => "uint",
                'd' => "double",
                's' => "string",
                'y' => "bytes",
                't' => "timestamp",
                'D' => "duration",
                'k' => "type",
                _ => "null",
            }
            .to_owned(),
            Type::List(item) => format!("list({})", item.text()),
            Type::Map(key, value) => format!("map({}, {})", key.text(), value.text()),
            Type::Object(.., name) => name.clone(),
        }
    }
    /// Returns true if values of one type can stand where the other is expected. Counterpart: `internalIsAssignable`.
    fn fits(&self, other: &Type) -> bool {
        let nullable = |of: &Type| matches!(of, Type::Object(..) | Type::Plain('n' | 't' | 'D'));
        match (self, other) {
            (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::Plain('n'), of) | (of, Type::Plain('n')) => nullable(of),
            (Type::List(a), Type::List(b)) => a.fits(b),
            (Type::Map(a, b), Type::Map(c, d)) => a.fits(c) && b.fits(d),
            (Type::Object(_, _, a), Type::Object(_, _, b)) => a == b,
            _ => self == other,
        }
    }
}

fn signature(receiver: Option<&Type>, arguments: &[Type]) -> String {
    let list = arguments.iter().map(Type::text).collect::<Vec<_>>().join(", ");
    receiver.map_or_else(String::new, |of| format!("{}.", of.text())) + &format!("({list})")
}

/// Returns the type of a call's result; `None` if no overload takes such arguments.
fn resolve<'s>(overloads: &str, receiver: Option<&Type<'s>>, arguments: &[Type<'s>]) -> Option<Type<'s>> {
    let all: Vec<&Type<'s>> = receiver.into_iter().chain(arguments).collect();
    let mut found: Option<Type<'s>> = None;
    for overload in overloads.split(' ') {
        let (wanted, result) = overload.split_once(':')?;
        let letters: Vec<char> = wanted.chars().filter(|c| *c != '.').collect();
        if wanted.contains('.') != receiver.is_some() || letters.len() != all.len() {
            continue;
        }
        let same = |letter: char| letters.iter().zip(&all).filter(move |(l, _)| **l == letter).map(|(_, of)| *of).collect::<Vec<_>>();
        let matches = letters.iter().zip(&all).all(|(letter, of)| match (letter, of) {
            ('*' | 'A', _) | (_, Type::Dyn) | ('l', Type::List(_)) | ('m', Type::Map(..)) => true,
            _ => **of == Type::Plain(*letter),
        });
        if !matches || !['A', 'l'].iter().all(|letter| same(*letter).windows(2).all(|pair| pair[0].fits(pair[1]))) {
            continue;
        }
        let known = |letter: char| same(letter).into_iter().find(|of| **of != Type::Dyn).cloned().unwrap_or(Type::Dyn);
        let result = match result.chars().next()? {
            '*' => Type::Dyn,
            'L' => Type::List(Box::new(STRING)),
            letter @ ('A' | 'l') => known(letter),
            'E' => match known('l') {
                Type::List(item) => *item,
                _ => Type::Dyn,
            },
            letter => Type::Plain(letter),
        };
        found = Some(match found {
            Some(before) if before != result => Type::Dyn,
            _ => result,
        });
    }
    found
}

struct Checker<'s> {
    /// The variables, the innermost one last.
    scope: Vec<(String, Type<'s>)>,
    problems: Vec<Problem>,
    uses_old: bool,
}

impl<'s> Checker<'s> {
    fn refuse(&mut self, at: usize, message: String) -> Type<'s> {
        self.problems.push((at, message));
        Type::Dyn
    }
    fn undeclared(&mut self, at: usize, name: &str) -> Type<'s> {
        self.refuse(at, format!("undeclared reference to '{name}' (in container '')"))
    }
    fn operator(&mut self, at: usize, name: &str, arguments: &[Type<'s>]) -> Type<'s> {
        self.overloads(at, name, None, arguments).unwrap_or_else(|| self.undeclared(at, name))
    }
    /// Returns the type of the result of a function in [`FUNCTIONS`].
    fn overloads(&mut self, at: usize, name: &str, receiver: Option<&Type<'s>>, arguments: &[Type<'s>]) -> Option<Type<'s>> {
        let (_, overloads) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
        Some(resolve(overloads, receiver, arguments).unwrap_or_else(|| {
            self.refuse(at, format!("found no matching overload for '{name}' applied to '{}'", signature(receiver, arguments)))
        }))
    }
    fn expect_bool(&mut self, expression: &Expr, of: &Type) {
        if !of.fits(&BOOL) {
            self.refuse(expression.at, format!("expected type 'bool' but found '{}'", of.text()));
        }
    }
    /// Returns the type of an expression, and notes its errors. Counterpart: `checker.check`.
    fn check(&mut self, expression: &Expr) -> Type<'s> {
        let at = expression.at;
        match &expression.node {
            Node::Literal(value) => Type::Plain(match value {
                Value::Bool(_) => 'b',
                Value::Int(_) => 'i',
                Value::Float(_) => 'd',
                Value::Str(_) => 's',
                _ => 'n',
            }),
            Node::Name(name) => {
                self.uses_old |= name == "oldSelf";
                match self.scope.iter().rev().find(|(known, _)| known == name) {
                    Some((_, of)) => of.clone(),
                    None if TYPE_NAMES.contains(&name.as_str()) => Type::Plain('k'),
                    None => self.undeclared(at, name),
                }
            }
            Node::List(items) => {
                let of = self.common(items.iter());
                Type::List(Box::new(of))
            }
            Node::Map(entries) => {
                let key = self.common(entries.iter().map(|(key, _)| key));
                let value = self.common(entries.iter().map(|(_, value)| value));
                Type::Map(Box::new(key), Box::new(value))
            }
            Node::Field(of, name) => self.field(of, name, at),
            Node::Index(of, index) => match (self.check(of), self.check(index)) {
                (Type::List(item), index) if index.fits(&INT) => *item,
                (Type::Map(key, value), index) if index.fits(&key) => *value,
                (Type::Dyn, _) => Type::Dyn,
                (of, index) => {
                    self.refuse(at, format!("found no matching overload for '_[_]' applied to '{}'", signature(None, &[of, index])))
                }
            },
            Node::Unary(operator, of) => {
                let of = self.check(of);
                self.operator(at, &format!("{operator}_"), &[of])
            }
            Node::Binary("&&" | "||", a, b) => {
                for side in [a, b] {
                    let of = self.check(side);
                    self.expect_bool(side, &of);
                }
                BOOL
            }
            Node::Binary("in", a, b) => match (self.check(a), self.check(b)) {
                (a, Type::List(item)) if a.fits(&item) => BOOL,
                (a, Type::Map(key, _)) if a.fits(&key) => BOOL,
                (_, Type::Dyn) => BOOL,
                (a, b) => self.refuse(at, format!("found no matching overload for '@in' applied to '{}'", signature(None, &[a, b]))),
            },
            Node::Binary(operator, a, b) => {
                let sides = [self.check(a), self.check(b)];
                self.operator(at, &format!("_{operator}_"), &sides)
            }
            Node::If(condition, yes, no) => {
                let parts = [self.check(condition), self.check(yes), self.check(no)];
                self.operator(at, "_?_:_", &parts)
            }
            Node::Call(name, receiver, arguments) => self.call(at, name, receiver.as_deref(), arguments),
        }
    }
    /// Returns the type that expressions have in common. Counterpart: `joinTypes`.
    fn common<'e>(&mut self, items: impl Iterator<Item = &'e Expr>) -> Type<'s> {
        let mut common: Option<Type<'s>> = None;
        for item in items {
            let of = self.check(item);
            if let Some(before) = common.as_ref().filter(|before| !before.fits(&of)) {
                let message = format!("expected type '{}' but found '{}'", before.text(), of.text());
                self.refuse(item.at, message);
            }
            common.get_or_insert(of);
        }
        common.unwrap_or(Type::Dyn)
    }
    fn field(&mut self, of: &Expr, name: &str, at: usize) -> Type<'s> {
        static METADATA: LazyLock<Map> = LazyLock::new(|| {
            let text = || map! { "type" => "string" };
            map! { "type" => "object", "properties" => map! { "name" => text(), "generateName" => text() } }
        });
        match self.check(of) {
            Type::Object(schema, root, of) => {
                let key = unescape(name);
                let found = match key.as_str() {
                    "apiVersion" | "kind" if root => Some(STRING),
                    "metadata" if root => Some(Type::Object(&METADATA, false, format!("{of}.metadata"))),
                    _ => schema
                        .map("properties")
                        .and_then(|p| p.map(&key))
                        .and_then(|property| type_of(property, property.bool("x-kubernetes-embedded-resource"), &format!("{of}.{name}"))),
                };
                found.unwrap_or_else(|| self.refuse(at, format!("undefined field '{name}'")))
            }
            Type::Map(_, value) => *value,
            Type::Dyn => Type::Dyn,
            other => self.refuse(at, format!("type '{}' does not support field selection", other.text())),
        }
    }
    fn call(&mut self, at: usize, name: &str, receiver: Option<&Expr>, arguments: &[Expr]) -> Type<'s> {
        match (name, receiver, arguments) {
            ("has", None, [field]) => {
                match &field.node {
                    Node::Field(of, name) => {
                        self.field(of, name, at);
                    }
                    _ => {
                        self.refuse(field.at, "invalid argument to has() macro".to_owned());
                    }
                }
                return BOOL;
            }
            ("all" | "exists" | "exists_one" | "existsOne" | "map" | "filter", Some(of), [variables @ .., body])
                if !variables.is_empty() && variables.len() <= 2 =>
            {
                return self.each(at, name, of, variables, body);
            }
            _ => {}
        }
        let namespace = receiver.is_some_and(|of| matches!(&of.node, Node::Name(name) if NAMESPACES.contains(&name.as_str())));
        if namespace || UNCHECKED.contains(&format!(" {name} ")) {
            // Their arguments can declare variables.
            return Type::Dyn;
        }
        let types: Vec<Type<'s>> = arguments.iter().map(|a| self.check(a)).collect();
        let receiver = receiver.map(|of| self.check(of));
        self.overloads(at, name, receiver.as_ref(), &types).unwrap_or_else(|| self.undeclared(at, name))
    }
    /// Checks a macro that looks at each item of a list or map. Counterpart: `checkComprehension`.
    fn each(&mut self, at: usize, name: &str, of: &Expr, variables: &[Expr], body: &Expr) -> Type<'s> {
        let range = self.check(of);
        let (key, value) = match &range {
            Type::List(item) => (INT, (**item).clone()),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dyn => (Type::Dyn, Type::Dyn),
            other => {
                let detail = "cannot be range of a comprehension (must be list, map, or dynamic)";
                self.refuse(of.at, format!("expression of type '{}' {detail}", other.text()));
                (Type::Dyn, Type::Dyn)
            }
        };
        let (filter, variables) =
            if name == "map" && variables.len() == 2 { (Some(&variables[1]), &variables[..1]) } else { (None, variables) };
        let known = self.scope.len();
        for (i, variable) in variables.iter().enumerate() {
            let Node::Name(own) = &variable.node else {
                return self.refuse(variable.at, "argument is not an identifier".to_owned());
            };
            let of = match (&range, variables.len(), i) {
                (Type::List(_), 1, _) | (_, 2, 1) => value.clone(),
                _ => key.clone(),
            };
            self.scope.push((own.clone(), of));
        }
        let item = self.scope.last().map_or(Type::Dyn, |(_, of)| of.clone());
        let condition = filter.map(|filter| self.check(filter));
        let result = self.check(body);
        self.scope.truncate(known);
        let list = |of: Type<'s>| Type::List(Box::new(of));
        match name {
            "all" | "exists" => {
                self.expect_bool(body, &result);
                BOOL
            }
            "map" => {
                let all = list(result);
                condition.map_or(all.clone(), |condition| self.operator(at, "_?_:_", &[condition, all.clone(), all]))
            }
            "filter" => self.operator(at, "_?_:_", &[result, list(item.clone()), list(item)]),
            _ => {
                self.operator(at, "_?_:_", &[result, INT, INT]);
                BOOL
            }
        }
    }
}
