//! Label and field selectors, with Go's error messages. Counterparts: `k8s.io/apimachinery/pkg/labels` and `pkg/fields`.

mod fields;
mod lexer;

use super::names;
use super::value::{Map, Value};
use crate::api::order::Order;
use arcstr::ArcStr;
use lexer::{Context, Parser, Token};
use std::fmt;

pub use fields::{FieldSelector, Selection};

/// A label selector: all requirements must hold.
///
/// ```
/// use loopscope::api::selector::Selector;
/// use loopscope::map;
///
/// let selector = Selector::parse("app in (web,api),tier!=test,!legacy")?;
/// assert!(selector.matches_map(&map! { "app" => "web" }));
/// assert!(!selector.matches_map(&map! { "app" => "web", "legacy" => "yes" }));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Selector {
    requirements: Vec<Requirement>,
    /// True if the selector matches nothing, like an absent `LabelSelector`.
    nothing: bool,
}

/// A requirement on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The key of the label.
    pub key: ArcStr,
    /// The comparison between the label's value and the given values.
    pub operator: Operator,
    /// The values to compare with, sorted and without duplicates.
    pub values: Vec<ArcStr>,
}

/// The operator of a requirement, in the syntax of `kubectl -l`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `k=v`: the label has the value.
    Equals,
    /// `k==v`: the same as `k=v`.
    DoubleEquals,
    /// `k!=v`: the label is missing or has another value.
    NotEquals,
    /// `k in (a,b)`: the label has one of the values.
    In,
    /// `k notin (a,b)`: the label is missing or has another value.
    NotIn,
    /// `k`: the label is present.
    Exists,
    /// `!k`: the label is missing.
    DoesNotExist,
    /// `k>1`: the label is a greater number.
    GreaterThan,
    /// `k<1`: the label is a smaller number.
    LessThan,
}

impl Selector {
    /// Returns a selector that matches everything.
    pub const fn everything() -> Self {
        Selector { requirements: Vec::new(), nothing: false }
    }
    /// Returns a selector that matches nothing.
    pub const fn nothing() -> Self {
        Selector { requirements: Vec::new(), nothing: true }
    }
    /// Parses the syntax of `kubectl -l`.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let mut parser = Parser::new(text);
        let mut requirements = Vec::new();
        loop {
            let (token, literal) = parser.peek(Context::Values);
            match token {
                Token::Identifier | Token::Not => {}
                Token::End => break,
                _ => {
                    return Err(format!("found '{literal}', expected: !, identifier, or 'end of string'"));
                }
            }
            let requirement = requirement(&mut parser).map_err(|e| format!("unable to parse requirement: {e}"))?;
            requirements.push(requirement);
            match parser.take(Context::Values) {
                (Token::End, _) => break,
                (Token::Comma, _) => {
                    let (token, literal) = parser.peek(Context::Values);
                    if !matches!(token, Token::Identifier | Token::Not) {
                        return Err(format!("found '{literal}', expected: identifier after ','"));
                    }
                }
                (_, literal) => {
                    return Err(format!("found '{literal}', expected: ',' or 'end of string'"));
                }
            }
        }
        Ok(Selector::from_requirements(requirements))
    }
    /// Parses a `LabelSelector` object; an empty one matches everything.
    pub fn from_label_selector(selector: &Map) -> Result<Selector, String> {
        let mut requirements = Vec::new();
        for (key, value) in selector.map("matchLabels").into_iter().flat_map(Map::iter) {
            let value = value.as_str().unwrap_or("");
            requirements.push(Requirement::new(key, Operator::Equals, vec![value.into()])?);
        }
        for expression in selector.list("matchExpressions").iter().filter_map(Value::as_map) {
            let operator = match expression.str("operator") {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => return Err(format!("{other:?} is not a valid label selector operator")),
            };
            let values = expression.list("values").iter().filter_map(Value::as_str).map(ArcStr::from).collect();
            requirements.push(Requirement::new(expression.str("key"), operator, values)?);
        }
        Ok(Selector::from_requirements(requirements))
    }
    /// Returns a selector for labels that must all be equal, as in Services.
    pub fn from_labels(labels: &Map) -> Selector {
        let equal = |(key, value): (&ArcStr, &Value)| Requirement {
            key: key.clone(),
            operator: Operator::Equals,
            values: vec![value.as_str().unwrap_or("").into()],
        };
        Selector::from_requirements(labels.iter().map(equal).collect())
    }
    fn from_requirements(mut requirements: Vec<Requirement>) -> Selector {
        requirements.order_by(|a, b| a.key.cmp(&b.key));
        Selector { requirements, nothing: false }
    }
    /// Returns the requirements, sorted by key.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }
    /// Returns true if the selector matches everything.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty() && !self.nothing
    }
    /// Returns true if the selector matches labels that are given as pairs sorted by key.
    pub fn matches(&self, labels: &[(ArcStr, ArcStr)]) -> bool {
        self.matches_with(&|key| {
            let i = labels.binary_search_by(|(k, _)| k.as_str().cmp(key)).ok()?;
            labels.get(i).map(|(_, v)| v.as_str())
        })
    }
    /// Returns true if the selector matches labels in a map.
    pub fn matches_map(&self, labels: &Map) -> bool {
        self.matches_with(&|key| labels.get(key).and_then(Value::as_str))
    }
    /// Returns true if the selector matches labels whose values the function `lookup` returns.
    pub fn matches_with<'l>(&self, lookup: &dyn Fn(&str) -> Option<&'l str>) -> bool {
        !self.nothing && self.requirements.iter().all(|r| r.holds(lookup(&r.key)))
    }
}

impl Requirement {
    /// Creates a requirement after validating key and values; the error is in Go's words.
    pub fn new(key: &str, operator: Operator, mut values: Vec<ArcStr>) -> Result<Requirement, String> {
        if let Err(problem) = check_key(key) {
            return Err(format!("<nil>: Invalid value: {key:?}: {problem}"));
        }
        values.order();
        values.dedup();
        let mut problems = Vec::new();
        let why = match operator {
            Operator::In | Operator::NotIn if values.is_empty() => "for 'in', 'notin' operators, values set can't be empty",
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => "values set must be empty for exists and does not exist",
            _ => "",
        };
        if !why.is_empty() {
            problems.push(format!("values: Invalid value: {values:?}: {why}"));
        }
        if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
            for (i, value) in values.iter().enumerate() {
                if value.parse::<i64>().is_err() {
                    let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
                    problems.push(format!("values[{i}]: Invalid value: {value:?}: {problem}"));
                }
            }
        }
        for (i, value) in values.iter().enumerate() {
            if let Err(problem) = check_value(value) {
                problems.push(format!("values[{i}][{key}]: Invalid value: {value:?}: {problem}"));
            }
        }
        match problems.as_slice() {
            [] => Ok(Requirement { key: key.into(), operator, values }),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }
    /// Returns true if the requirement holds for a label's value (`None` if there is no such label).
    pub fn holds(&self, label: Option<&str>) -> bool {
        let named = |value: &str| self.values.iter().any(|v| v == value);
        let wanted = || self.values.first().and_then(|v| v.parse::<i64>().ok());
        match self.operator {
            Operator::Equals | Operator::DoubleEquals | Operator::In => label.is_some_and(named),
            Operator::NotEquals | Operator::NotIn => !label.is_some_and(named),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan => label.and_then(|l| l.parse().ok()).zip(wanted()).is_some_and(|(l, w): (i64, _)| l > w),
            Operator::LessThan => label.and_then(|l| l.parse().ok()).zip(wanted()).is_some_and(|(l, w): (i64, _)| l < w),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.operator {
            Operator::DoesNotExist => return write!(f, "!{}", self.key),
            Operator::Exists => return f.write_str(&self.key),
            Operator::In | Operator::NotIn => {
                let word = if self.operator == Operator::In { "in" } else { "notin" };
                return write!(f, "{} {word} ({})", self.key, self.values.join(","));
            }
            Operator::Equals => "=",
            Operator::DoubleEquals => "==",
            Operator::NotEquals => "!=",
            Operator::GreaterThan => ">",
            Operator::LessThan => "<",
        };
        write!(f, "{}{sign}{}", self.key, self.values.join(","))
    }
}

impl fmt::Display for Selector {
    /// Writes the canonical form, as `kubectl describe` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, requirement) in self.requirements.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

fn requirement(parser: &mut Parser) -> Result<Requirement, String> {
    let (mut token, mut literal) = parser.take(Context::Values);
    let negated = token == Token::Not;
    if negated {
        (token, literal) = parser.take(Context::Values);
    }
    if token != Token::Identifier {
        return Err(format!("found '{literal}', expected: identifier"));
    }
    let key = literal;
    if let Err(problem) = check_key(&key) {
        return Err(format!("<nil>: Invalid value: {key:?}: {problem}"));
    }
    if negated {
        return Requirement::new(&key, Operator::DoesNotExist, Vec::new());
    }
    if matches!(parser.peek(Context::Values).0, Token::End | Token::Comma) {
        return Requirement::new(&key, Operator::Exists, Vec::new());
    }
    let (token, literal) = parser.take(Context::Operator);
    let operator = match token {
        Token::In => Operator::In,
        Token::NotIn => Operator::NotIn,
        Token::Equals => Operator::Equals,
        Token::DoubleEquals => Operator::DoubleEquals,
        Token::NotEquals => Operator::NotEquals,
        Token::Greater => Operator::GreaterThan,
        Token::Less => Operator::LessThan,
        _ => {
            return Err(format!("found '{literal}', expected: in, notin, =, ==, !=, gt, lt"));
        }
    };
    let values = match operator {
        Operator::In | Operator::NotIn => value_set(parser)?,
        _ => exact_value(parser)?,
    };
    Requirement::new(&key, operator, values)
}

fn exact_value(parser: &mut Parser) -> Result<Vec<ArcStr>, String> {
    if matches!(parser.peek(Context::Values).0, Token::End | Token::Comma) {
        return Ok(vec![ArcStr::default()]);
    }
    match parser.take(Context::Values) {
        (Token::Identifier, literal) => Ok(vec![literal]),
        (_, literal) => Err(format!("found '{literal}', expected: identifier")),
    }
}

fn value_set(parser: &mut Parser) -> Result<Vec<ArcStr>, String> {
    let (token, literal) = parser.take(Context::Values);
    if token != Token::Open {
        return Err(format!("found '{literal}' expected: '('"));
    }
    let (token, first) = parser.peek(Context::Values);
    match token {
        Token::Close => {
            parser.take(Context::Values);
            return Ok(vec![ArcStr::default()]);
        }
        Token::Identifier | Token::Comma => {}
        _ => return Err(format!("found '{first}', expected: ',', ')' or identifier")),
    }
    let values = identifiers(parser)?;
    match parser.take(Context::Values).0 {
        Token::Close => Ok(values),
        _ => Err(format!("found '{first}', expected: ')'")),
    }
}

/// Parses the values between parentheses; a missing value counts as the empty one.
fn identifiers(parser: &mut Parser) -> Result<Vec<ArcStr>, String> {
    let mut values: Vec<ArcStr> = Vec::new();
    loop {
        match parser.take(Context::Values) {
            (Token::Identifier, literal) => {
                values.push(literal);
                match parser.peek(Context::Values) {
                    (Token::Comma, _) => {}
                    (Token::Close, _) => return Ok(values),
                    (_, literal) => return Err(format!("found '{literal}', expected: ',' or ')'")),
                }
            }
            (Token::Comma, _) => {
                if values.is_empty() {
                    values.push(ArcStr::default());
                }
                match parser.peek(Context::Values).0 {
                    Token::Close => {
                        values.push(ArcStr::default());
                        return Ok(values);
                    }
                    Token::Comma => values.push(ArcStr::default()),
                    _ => {}
                }
            }
            (_, literal) => return Err(format!("found '{literal}', expected: ',', or identifier")),
        }
    }
}

fn checked(problems: names::Problems) -> Result<(), String> {
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

/// Checks a label key (a qualified name); the error is in Go's words, with several problems joined by `; `.
pub fn check_key(key: &str) -> Result<(), String> {
    checked(names::qualified_name(key))
}

/// Checks a label value; the error is in Go's words.
pub fn check_value(value: &str) -> Result<(), String> {
    checked(names::label_value(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map;

    #[test]
    fn a_selector_is_shown_in_canonical_form() {
        let shown = |text| Selector::parse(text).unwrap().to_string();
        assert_eq!(shown("x in (b, a),!f,app=demo"), "app=demo,!f,x in (a,b)");
        assert_eq!(shown("b==1,a != 2,c notin (x),d>1,e"), "a!=2,b==1,c notin (x),d>1,e");
    }

    #[test]
    fn an_object_selector_matches_by_labels_and_expressions() {
        let expression = map! {"key" => "tier", "operator" => "NotIn", "values" => vec![Value::from("back")]};
        let selector = map! {
            "matchLabels" => map! {"app" => "web"},
            "matchExpressions" => vec![Value::from(expression)],
        };
        let selector = Selector::from_label_selector(&selector).unwrap();
        assert_eq!(selector.to_string(), "app=web,tier notin (back)");
        assert!(selector.matches(&[("app".into(), "web".into())]));
        assert!(!selector.matches(&[("app".into(), "web".into()), ("tier".into(), "back".into())]));
        assert!(Selector::from_label_selector(&Map::new()).unwrap().matches(&[]));
        assert!(!Selector::nothing().matches(&[]));
    }

    #[test]
    fn a_missing_value_in_a_list_is_the_empty_one() {
        let shown = |text| Selector::parse(text).unwrap().to_string();
        assert_eq!(["a in ()", "a in (,)", "a in (x,,)", "a in (x,,y)"].map(shown), ["a in ()", "a in ()", "a in (,x)", "a in (,x,y)"]);
        assert!(Selector::parse("a in ()").unwrap().matches(&[("a".into(), "".into())]));
        assert!(!Selector::parse("a notin ()").unwrap().matches(&[("a".into(), "".into())]));
    }

    #[test]
    fn all_bad_values_of_a_requirement_are_told() {
        let error = Selector::parse("a>x_").unwrap_err();
        let integer = "values[0]: Invalid value: \"x_\": for 'Gt', 'Lt' operators, the value must be an integer";
        let begins = format!("unable to parse requirement: [{integer}, values[0][a]: Invalid value: \"x_\": a valid label");
        assert!(error.starts_with(&begins), "{error}");
    }

    #[test]
    fn a_bad_value_is_named_with_its_key() {
        let error = Selector::parse("a=b/c").unwrap_err();
        let expected = "unable to parse requirement: values[0][a]: Invalid value: \"b/c\": a valid";
        assert!(error.starts_with(expected), "{error}");
    }
}
