//! `jq`: reads JSON and writes the values that a filter makes from it. Counterpart: jq 1.7.
//!
//! Left out: definitions of functions, assignments (`|=`), `reduce`, `foreach`, `label`, dates, paths and modules. Objects are written with sorted keys, as with `-S`.

mod evaluate;
mod functions;
mod parse;

use crate::api::json;
use crate::api::value::Value;
use parse::Expr;
use std::sync::Arc;

/// The maximum size of the input in bytes.
const MAX_INPUT: usize = 8 << 20;

/// A filter `jq` in a pipe, with its input so far.
#[derive(Clone, Debug)]
pub struct Jq {
    expr: Arc<Expr>,
    options: Options,
    text: String,
}

#[derive(Clone, Debug, Default)]
struct Options {
    raw: bool,
    joined: bool,
    compact: bool,
    null_input: bool,
    slurp: bool,
    raw_input: bool,
    status: bool,
    variables: Vec<(String, Value)>,
}

/// Parses the command line of `jq`. Returns the filter, and the files that it reads instead of its input.
pub fn make(args: &[String]) -> Result<(Jq, Vec<String>), String> {
    let mut options = Options::default();
    let (mut program, mut files) = (None, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut variable = |json_value: bool| -> Result<(), String> {
            let (Some(name), Some(value)) = (rest.next(), rest.next()) else {
                return Err(format!("{arg} takes two parameters (e.g. {arg} varname value)"));
            };
            let value = if json_value {
                json::parse(value).map_err(|_| format!("Invalid JSON text passed to {arg}"))?
            } else {
                value.as_str().into()
            };
            options.variables.push((name.clone(), value));
            Ok(())
        };
        match arg.as_str() {
            "--arg" => variable(false)?,
            "--argjson" => variable(true)?,
            "--raw-output" => options.raw = true,
            "--compact-output" => options.compact = true,
            "--null-input" => options.null_input = true,
            "--slurp" => options.slurp = true,
            "--raw-input" => options.raw_input = true,
            "--exit-status" => options.status = true,
            "--sort-keys" | "--monochrome-output" | "--color-output" => {}
            long if long.starts_with("--") => return Err(format!("Unknown arguments\nUnknown option: {long}")),
            short if short.len() > 1 && short.starts_with('-') => {
                for letter in short.chars().skip(1) {
                    match letter {
                        'r' => options.raw = true,
                        'j' => (options.raw, options.joined) = (true, true),
                        'c' => options.compact = true,
                        'n' => options.null_input = true,
                        's' => options.slurp = true,
                        'R' => options.raw_input = true,
                        'e' => options.status = true,
                        'S' | 'M' | 'C' => {}
                        _ => return Err(format!("Unknown arguments\nUnknown option: {short}")),
                    }
                }
            }
            word if program.is_none() => program = Some(word.to_owned()),
            word => files.push(word.to_owned()),
        }
    }
    let expr = parse::parse(program.as_deref().unwrap_or("."))?;
    Ok((Jq { expr: Arc::new(expr), options, text: String::new() }, files))
}

impl Jq {
    /// Returns whether the filter reads no input (`-n`).
    pub fn is_done(&self) -> bool {
        self.options.null_input
    }
    /// Adds a part of the input.
    pub fn take(&mut self, text: &str) {
        if self.text.len() < MAX_INPUT {
            self.text.push_str(text);
        }
    }
    /// Writes the values that the filter produces for the whole input. Returns the exit code.
    pub fn end(&mut self, out: &mut String) -> i32 {
        let text = std::mem::take(&mut self.text);
        let inputs = match self.inputs(&text) {
            Ok(inputs) => inputs,
            Err(why) => {
                out.push_str(&format!("jq: error (at <stdin>:0): {why}\n"));
                return 2;
            }
        };
        let (mut code, mut last) = (0, None);
        for input in inputs {
            let mut run = evaluate::Run::new(&self.options.variables);
            let result = run.run(&self.expr, &input);
            for value in &run.taken {
                self.write(value, out);
                last = Some(value.clone());
            }
            if let Err(why) = result {
                out.push_str(&format!("jq: error (at <stdin>:0): {why}\n"));
                code = 5;
            }
        }
        match (self.options.status, last) {
            (true, None) if code == 0 => 4,
            (true, Some(Value::Null | Value::Bool(false))) if code == 0 => 1,
            _ => code,
        }
    }
    fn inputs(&self, text: &str) -> Result<Vec<Value>, String> {
        let o = &self.options;
        if o.null_input {
            return Ok(vec![Value::Null]);
        }
        let values = match (o.raw_input, o.slurp) {
            (true, true) => return Ok(vec![text.into()]),
            (true, false) => text.lines().map(Value::from).collect(),
            (false, _) => json::parse_stream(text)?,
        };
        Ok(if o.slurp { vec![Value::List(values)] } else { values })
    }
    fn write(&self, value: &Value, out: &mut String) {
        match value {
            Value::Str(text) if self.options.raw => out.push_str(text),
            value if self.options.compact => out.push_str(&json::to_string(value)),
            value => out.push_str(&json::pretty(value, 2)),
        }
        if !self.options.joined {
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jq(args: &[&str], input: &str) -> String {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        match make(&args) {
            Err(why) => why,
            Ok((mut jq, _)) => {
                jq.take(input);
                let mut out = String::new();
                let code = jq.end(&mut out);
                if code == 0 { out } else { format!("{out}({code})") }
            }
        }
    }

    const PODS: &str = r#"{"items":[{"metadata":{"name":"a","labels":{"app":"x"}},"status":{"phase":"Running","n":3}},{"metadata":{"name":"b","labels":{"app":"y"}},"status":{"phase":"Pending","n":1}}]}"#;

    #[test]
    fn filters_read_and_choose() {
        for (filter, expected) in [
            (".items | length", "2\n"),
            (".items[].metadata.name", "a\nb\n"),
            (".items[0].metadata.name, .items[-1].status.n", "a\n1\n"),
            (".items[] | select(.status.phase == \"Running\") | .metadata.name", "a\n"),
            ("[.items[] | {name: .metadata.name, n: .status.n}] | sort_by(.n) | map(.name) | join(\",\")", "b,a\n"),
            (".items | map(.status.n) | add", "4\n"),
            (".items[] | \"\\(.metadata.name)=\\(.status.n * 2)\"", "a=6\nb=2\n"),
            (".items[0].nosuch.deeper", "null\n"),
            (".items[0].nosuch // \"none\"", "none\n"),
            (".items[1:] | .[0][\"metadata\"][\"name\"]", "b\n"),
            (".items | group_by(.status.phase) | map({(.[0].status.phase): length}) | add", "{\"Pending\":1,\"Running\":1}\n"),
            (".items[] | if .status.n > 2 then \"many\" elif .status.n == 1 then \"one\" else \"few\" end", "many\none\n"),
            (".items[0].metadata.labels | to_entries[] | \"\\(.key)/\\(.value)\"", "app/x\n"),
            (".items[0].metadata.labels | with_entries(.value |= .)", "syntax error"),
            ("[.. | .name? // empty]", "[\"a\",\"b\"]\n"),
            (".items | any(.status.n == 1), all(.status.n == 1)", "true\nfalse\n"),
            (".items[0] as $x | $x.metadata.name", "a\n"),
            (".items[0].metadata | keys, has(\"name\")", "[\"labels\",\"name\"]\ntrue\n"),
            (".items[].metadata.name | test(\"^a\")", "true\nfalse\n"),
            ("[.items[].status.phase] | unique | length", "2\n"),
            (".items[0].metadata.name | @base64, (@base64 | @base64d)", "YQ==\na\n"),
            ("[limit(1; .items[])] | length", "1\n"),
            ("del(.items[0].metadata.labels) | .items[0].metadata", "{\"name\":\"a\"}\n"),
        ] {
            let said = jq(&["-rc", filter], PODS);
            assert!(said == expected || expected == "syntax error" && said.contains(expected), "{filter}: {said}");
        }
    }

    #[test]
    fn options_and_mistakes() {
        assert_eq!(jq(&["-n", "--arg", "x", "1", "$x + \"2\""], ""), "\"12\"\n");
        assert_eq!(jq(&["-s", "-c", "."], "1 2\n3"), "[1,2,3]\n");
        assert_eq!(jq(&["."], "{\"a\":[1]}"), "{\n  \"a\": [\n    1\n  ]\n}\n");
        assert_eq!(jq(&["-e", ".x"], "{}"), "null\n(1)");
        assert!(jq(&[".a["], "{}").contains("syntax error"));
        assert!(jq(&[".a.b"], "{\"a\":3}").contains("Cannot index number with \"b\""));
        assert!(jq(&["nosuch"], "{}").contains("nosuch/0 is not defined"));
        assert!(jq(&["."], "{").contains("(2)"));
        assert!(jq(&["-n", "[range(0; 100000000)] | length"], "").contains("too much"));
    }
}
