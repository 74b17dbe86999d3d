//! A subset of `awk`: rules `PATTERN { print … }` over fields. Anything else is refused with an error.
//!
//! Patterns compare fields, numbers and strings, match regular expressions, and are joined by `&&` and `||`; `BEGIN` and `END` are supported.

use super::Machine;
use super::options::Options;
use super::regex::{Dialect, MatchScope, Regex};

#[derive(Clone, Debug)]
pub struct Awk {
    separator: Option<Regex>,
    output: String,
    rules: Vec<Rule>,
    row: usize,
    begun: bool,
}

#[derive(Clone, Debug)]
struct Rule {
    when: When,
    /// The arguments of each `print` statement; an argument is a concatenation of values.
    prints: Vec<Vec<Vec<Value>>>,
}

#[derive(Clone, Debug)]
enum When {
    Begin,
    End,
    /// The lines for which all tests of at least one list hold (`&&` inside `||`); an empty list of tests holds for every line.
    Line(Vec<Vec<Test>>),
}

#[derive(Clone, Debug)]
enum Test {
    Matches { value: Value, regex: Regex, not: bool },
    Compare(Value, &'static str, Value),
}

#[derive(Clone, Debug)]
enum Value {
    /// A field such as `$2`; 0 is the whole line.
    Field(usize),
    /// A field counted from the last one: `$NF` is 0, `$(NF-1)` is 1.
    Last(usize),
    Row,
    Fields,
    Text(String),
    Number(f64),
}

pub fn make(args: &[String]) -> Result<(Machine, Vec<String>), String> {
    let options = Options::read(args, "", "Fv")?;
    let mut output = " ".to_owned();
    for (_, set) in options.given.iter().filter(|(c, _)| *c == 'v') {
        match set.split_once('=') {
            Some(("OFS", text)) => output = text.replace("\\t", "\t").replace("\\n", "\n"),
            _ => return Err(format!("only OFS can be set with -v here, not {set}")),
        }
    }
    let separator = match options.value('F') {
        None | Some(" ") => None,
        Some(text) => {
            let dialect = if text.chars().count() == 1 { Dialect::Fixed } else { Dialect::Extended };
            Some(Regex::new(&[&text.replace("\\t", "\t")], dialect, false, MatchScope::Anything)?)
        }
    };
    let (program, files) = options.rest.split_first().ok_or("no program: write awk '{print $1}'")?;
    let mut reader = Reader { rest: program };
    let rules = reader.rules()?;
    Ok((Machine::Awk(Awk { separator, output, rules, row: 0, begun: false }), files.to_vec()))
}

impl Awk {
    fn begin(&mut self, out: &mut String) {
        if !std::mem::replace(&mut self.begun, true) {
            self.special(out, |when| matches!(when, When::Begin));
        }
    }
    fn special(&self, out: &mut String, is: fn(&When) -> bool) {
        let row = Row { line: "", fields: Vec::new(), number: self.row };
        self.rules.iter().filter(|rule| is(&rule.when)).for_each(|rule| rule.print(&row, &self.output, out));
    }
    pub fn line(&mut self, line: &str, out: &mut String) {
        self.begin(out);
        self.row += 1;
        let row = Row { line, fields: self.split(line), number: self.row };
        for rule in &self.rules {
            let When::Line(any) = &rule.when else { continue };
            if any.is_empty() || any.iter().any(|all| all.iter().all(|test| test.holds(&row))) {
                rule.print(&row, &self.output, out);
            }
        }
    }
    pub fn end(&mut self, out: &mut String) {
        self.begin(out);
        self.special(out, |when| matches!(when, When::End));
    }
    fn split<'l>(&self, line: &'l str) -> Vec<&'l str> {
        let Some(separator) = &self.separator else { return line.split_whitespace().collect() };
        let (mut fields, mut start, mut from) = (Vec::new(), 0, 0);
        while let Some((a, b)) = separator.find(line, from).filter(|(a, b)| b > a) {
            fields.push(line.get(start..a).unwrap_or(""));
            (start, from) = (b, b);
        }
        if !line.is_empty() {
            fields.push(line.get(start..).unwrap_or(""));
        }
        fields
    }
}

struct Row<'l> {
    line: &'l str,
    fields: Vec<&'l str>,
    number: usize,
}

impl Rule {
    fn print(&self, row: &Row, between: &str, out: &mut String) {
        for values in &self.prints {
            for (n, value) in values.iter().enumerate() {
                if n > 0 {
                    out.push_str(between);
                }
                value.iter().for_each(|part| out.push_str(&part.text(row)));
            }
            out.push('\n');
        }
    }
}

impl Value {
    fn text(&self, row: &Row) -> String {
        match self {
            Value::Field(0) => row.line.to_owned(),
            Value::Field(n) => row.fields.get(n - 1).copied().unwrap_or("").to_owned(),
            Value::Last(0) if row.fields.is_empty() => row.line.to_owned(),
            Value::Last(n) => row.fields.iter().rev().nth(*n).copied().unwrap_or("").to_owned(),
            Value::Row => row.number.to_string(),
            Value::Fields => row.fields.len().to_string(),
            Value::Text(text) => text.clone(),
            Value::Number(n) => n.to_string(),
        }
    }
    /// Returns the value as a number, if it looks like one.
    fn number(&self, row: &Row) -> Option<f64> {
        match self {
            Value::Text(_) => None,
            value => crate::api::float::parse(value.text(row).trim()).filter(|n| n.is_finite()),
        }
    }
}

impl Test {
    fn holds(&self, row: &Row) -> bool {
        match self {
            Test::Matches { value, regex, not } => regex.is_match(&value.text(row)) != *not,
            Test::Compare(a, operator, b) => {
                let order = match (a.number(row), b.number(row)) {
                    (Some(a), Some(b)) => a.total_cmp(&b),
                    _ => a.text(row).cmp(&b.text(row)),
                };
                match *operator {
                    "==" => order.is_eq(),
                    "!=" => order.is_ne(),
                    "<=" => order.is_le(),
                    ">=" => order.is_ge(),
                    "<" => order.is_lt(),
                    _ => order.is_gt(),
                }
            }
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn refuse<T>(&self) -> Result<T, String> {
        let near: String = self.rest.chars().take(20).collect();
        Err(format!("only patterns and {{print …}} of fields, texts, NR and NF are part of this awk; it does not know: {near}"))
    }
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
    fn rules(&mut self) -> Result<Vec<Rule>, String> {
        let mut rules = Vec::new();
        loop {
            while self.takes(";") {}
            if self.rest.trim_start().is_empty() {
                return Ok(rules);
            }
            let when = match () {
                () if self.takes("BEGIN") => When::Begin,
                () if self.takes("END") => When::End,
                () if self.rest.trim_start().starts_with('{') => When::Line(Vec::new()),
                () => When::Line(self.tests()?),
            };
            let prints = if self.takes("{") { self.prints()? } else { vec![vec![vec![Value::Field(0)]]] };
            rules.push(Rule { when, prints });
        }
    }
    fn tests(&mut self) -> Result<Vec<Vec<Test>>, String> {
        let mut any = Vec::new();
        loop {
            let mut all = vec![self.test()?];
            while self.takes("&&") {
                all.push(self.test()?);
            }
            any.push(all);
            if !self.takes("||") {
                return Ok(any);
            }
        }
    }
    fn test(&mut self) -> Result<Test, String> {
        let not = self.rest.trim_start().starts_with("!/") && self.takes("!");
        if self.rest.trim_start().starts_with('/') {
            return Ok(Test::Matches { value: Value::Field(0), regex: self.regex()?, not });
        }
        let Some(value) = self.value()? else { return self.refuse() };
        for operator in ["!~", "~"] {
            if self.takes(operator) {
                return Ok(Test::Matches { value, regex: self.regex()?, not: operator == "!~" });
            }
        }
        for operator in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.takes(operator) {
                let Some(other) = self.value()? else { return self.refuse() };
                return Ok(Test::Compare(value, operator, other));
            }
        }
        // As a condition, a field holds if it is not empty, and any other value if it is not zero.
        match value {
            Value::Field(_) | Value::Last(_) => Ok(Test::Compare(value, "!=", Value::Text(String::new()))),
            value => Ok(Test::Compare(value, "!=", Value::Number(0.0))),
        }
    }
    fn regex(&mut self) -> Result<Regex, String> {
        let pattern = if self.rest.trim_start().starts_with('"') {
            match self.value()? {
                Some(Value::Text(text)) => text,
                _ => return self.refuse(),
            }
        } else if self.takes("/") {
            self.until('/')?
        } else {
            return self.refuse();
        };
        Ok(Regex::new(&[&pattern], Dialect::Extended, false, MatchScope::Anything)?)
    }
    /// Reads the text up to a closing mark, such as a quote or slash; a backslash escapes the mark.
    fn until(&mut self, mark: char) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.rest.chars();
        while let Some(c) = chars.next() {
            if c == mark {
                self.rest = chars.as_str();
                return Ok(text);
            }
            match (c, chars.clone().next()) {
                ('\\', Some(next)) => {
                    chars.next();
                    match next {
                        'n' if mark == '"' => text.push('\n'),
                        't' if mark == '"' => text.push('\t'),
                        '"' | '/' => text.push(next),
                        '\\' if mark == '"' => text.push('\\'),
                        next => text.extend(['\\', next]),
                    }
                }
                _ => text.push(c),
            }
        }
        Err(format!("a {mark} is not closed"))
    }
    fn prints(&mut self) -> Result<Vec<Vec<Vec<Value>>>, String> {
        let mut prints = Vec::new();
        loop {
            while self.takes(";") {}
            if self.takes("}") {
                return Ok(prints);
            }
            if self.rest.starts_with("printf") || !self.takes("print") {
                return self.refuse();
            }
            let mut values = vec![self.joined()?];
            while self.takes(",") {
                values.push(self.joined()?);
            }
            if let [only] = values.as_mut_slice()
                && only.is_empty()
            {
                only.push(Value::Field(0));
            }
            prints.push(values);
            let next = self.rest.trim_start();
            if !next.starts_with([';', '}']) {
                return self.refuse();
            }
        }
    }
    fn joined(&mut self) -> Result<Vec<Value>, String> {
        let mut parts = Vec::new();
        while let Some(value) = self.value()? {
            parts.push(value);
        }
        Ok(parts)
    }
    fn value(&mut self) -> Result<Option<Value>, String> {
        self.rest = self.rest.trim_start();
        if self.takes("\"") {
            return self.until('"').map(|text| Some(Value::Text(text)));
        }
        if self.takes("$") {
            let inner = self.takes("(");
            let value = if self.takes("NF") {
                let minus = if self.takes("-") { self.digits() } else { None };
                Value::Last(minus.unwrap_or(0))
            } else {
                match self.digits() {
                    Some(n) => Value::Field(n),
                    None => return self.refuse(),
                }
            };
            return if inner && !self.takes(")") { self.refuse() } else { Ok(Some(value)) };
        }
        if self.takes("NR") {
            return Ok(Some(Value::Row));
        }
        if self.takes("NF") {
            return Ok(Some(Value::Fields));
        }
        Ok(self.digits().map(|n| Value::Number(n as f64)))
    }
    fn digits(&mut self) -> Option<usize> {
        let len = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(len);
        let number = digits.parse().ok()?;
        self.rest = rest;
        Some(number)
    }
}
