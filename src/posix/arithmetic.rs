//! Arithmetic expansion of the shell: 64-bit integers, with C's operators and precedence.

use super::expand::Scope;

/// The maximum nesting of an expression.
const MAX_DEPTH: usize = 50;

/// Evaluates an arithmetic expression; the error is a message.
pub fn evaluate(text: &str, names: &mut dyn Scope) -> Result<i64, String> {
    let mut reader = Reader { text, at: 0, names, depth: 0, dry: 0 };
    reader.blanks();
    if reader.rest().is_empty() {
        return Ok(0);
    }
    let value = reader.assignment()?;
    reader.blanks();
    if reader.rest().is_empty() { Ok(value) } else { Err("arithmetic syntax error".to_owned()) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    names: &'a mut dyn Scope,
    depth: usize,
    /// The number of branches around the current position that are not taken. While it is above 0, nothing is assigned.
    dry: usize,
}

/// The binary operators, from the weakest precedence to the strongest.
const LEVELS: &[&[&str]] =
    &[&["||"], &["&&"], &["|"], &["^"], &["&"], &["==", "!="], &["<=", ">=", "<", ">"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];
const ASSIGNMENTS: &[&str] = &["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "="];

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }
    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
    fn takes(&mut self, token: &str) -> bool {
        self.blanks();
        let sees = self.rest().starts_with(token);
        if sees {
            self.at += token.len();
        }
        sees
    }
    fn name(&mut self) -> Option<String> {
        self.blanks();
        let rest = self.rest();
        let len = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
        let starts = rest.bytes().next().is_some_and(|b| b == b'_' || b.is_ascii_alphabetic());
        starts.then(|| rest.get(..len).unwrap_or("").to_owned())
    }
    fn value_of(&mut self, name: &str) -> i64 {
        self.names.value(name).and_then(|text| number(text.trim())).unwrap_or(0)
    }
    fn set(&mut self, name: &str, value: i64) {
        if self.dry == 0 {
            self.names.set(name, &value.to_string());
        }
    }
    fn assignment(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression is nested too deep".to_owned());
        }
        let start = self.at;
        if let Some(name) = self.name() {
            self.at += name.len();
            self.blanks();
            let rest = self.rest();
            let operator = ASSIGNMENTS.iter().find(|op| rest.starts_with(**op)).filter(|_| !rest.starts_with("=="));
            if let Some(operator) = operator {
                self.at += operator.len();
                let right = self.assignment()?;
                let value = match operator.strip_suffix('=') {
                    Some("") | None => right,
                    Some(op) => {
                        let left = self.value_of(&name);
                        self.apply(op, left, right)?
                    }
                };
                self.set(&name, value);
                self.depth -= 1;
                return Ok(value);
            }
            self.at = start;
        }
        let value = self.choice()?;
        self.depth -= 1;
        Ok(value)
    }
    fn choice(&mut self) -> Result<i64, String> {
        let test = self.binary(0)?;
        if !self.takes("?") {
            return Ok(test);
        }
        self.dry += usize::from(test == 0);
        let yes = self.assignment()?;
        self.dry -= usize::from(test == 0);
        if !self.takes(":") {
            return Err("arithmetic syntax error".to_owned());
        }
        self.dry += usize::from(test != 0);
        let no = self.assignment()?;
        self.dry -= usize::from(test != 0);
        Ok(if test != 0 { yes } else { no })
    }
    fn binary(&mut self, level: usize) -> Result<i64, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.blanks();
            let rest = self.rest();
            let found = operators.iter().find(|op| {
                let longer = |more: &str| rest.starts_with(more);
                rest.starts_with(**op)
                    && !match **op {
                        "|" => longer("||") || longer("|="),
                        "&" => longer("&&") || longer("&="),
                        "<" => longer("<<"),
                        ">" => longer(">>"),
                        "<<" => longer("<<="),
                        ">>" => longer(">>="),
                        "+" => longer("+="),
                        "-" => longer("-="),
                        "*" => longer("*="),
                        "/" => longer("/="),
                        "%" => longer("%="),
                        "^" => longer("^="),
                        _ => false,
                    }
            });
            let Some(operator) = found else { return Ok(left) };
            self.at += operator.len();
            let skipped = (*operator == "&&" && left == 0) || (*operator == "||" && left != 0);
            self.dry += usize::from(skipped);
            let right = self.binary(level + 1)?;
            self.dry -= usize::from(skipped);
            left = if skipped { i64::from(*operator == "||") } else { self.apply(operator, left, right)? };
        }
    }
    fn apply(&self, operator: &str, a: i64, b: i64) -> Result<i64, String> {
        if matches!(operator, "/" | "%") && b == 0 {
            return if self.dry > 0 { Ok(0) } else { Err("division by zero".to_owned()) };
        }
        Ok(match operator {
            "||" => i64::from(a != 0 || b != 0),
            "&&" => i64::from(a != 0 && b != 0),
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "==" => i64::from(a == b),
            "!=" => i64::from(a != b),
            "<=" => i64::from(a <= b),
            ">=" => i64::from(a >= b),
            "<" => i64::from(a < b),
            ">" => i64::from(a > b),
            "<<" => a.wrapping_shl(b as u32 & 63),
            ">>" => a.wrapping_shr(b as u32 & 63),
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" => a.wrapping_div(b),
            _ => a.wrapping_rem(b),
        })
    }
    fn unary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression is nested too deep".to_owned());
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }
    fn operand(&mut self) -> Result<i64, String> {
        for (token, step) in [("++", 1), ("--", -1)] {
            if self.takes(token) {
                let name = self.name().ok_or("arithmetic syntax error")?;
                self.at += name.len();
                let value = self.value_of(&name).wrapping_add(step);
                self.set(&name, value);
                return Ok(value);
            }
        }
        if self.takes("!") {
            return Ok(i64::from(self.unary()? == 0));
        }
        if self.takes("-") {
            return Ok(self.unary()?.wrapping_neg());
        }
        if self.takes("+") {
            return self.unary();
        }
        if self.takes("~") {
            return Ok(!self.unary()?);
        }
        if self.takes("(") {
            let value = self.assignment()?;
            return if self.takes(")") { Ok(value) } else { Err("arithmetic syntax error".to_owned()) };
        }
        if let Some(name) = self.name() {
            self.at += name.len();
            let value = self.value_of(&name);
            for (token, step) in [("++", 1), ("--", -1)] {
                if self.takes(token) {
                    self.set(&name, value.wrapping_add(step));
                }
            }
            return Ok(value);
        }
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let value = rest.get(..len).and_then(number).ok_or("arithmetic syntax error")?;
        self.at += len;
        Ok(value)
    }
}

/// Parses a number in C's notation: decimal, `0x…` or octal `0…`.
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    impl Scope for BTreeMap<String, String> {
        fn value(&mut self, name: &str) -> Option<String> {
            self.get(name).cloned()
        }
        fn set(&mut self, name: &str, value: &str) {
            self.insert(name.to_owned(), value.to_owned());
        }
    }

    #[test]
    fn expressions_have_the_values_that_c_gives_them() {
        let mut names = BTreeMap::from([("i".to_owned(), "7".to_owned())]);
        for (text, value) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("i++ + i", 15),
            ("i == 8 && i < 9", 1),
            ("0x10 | 010", 24),
            ("-7 / 2", -3),
            ("1 ? 2 : 3", 2),
            ("x = 5, 0", 0),
            ("1 << 4", 16),
            ("!0", 1),
            ("j += 3", 3),
            ("", 0),
        ] {
            let got = evaluate(text, &mut names);
            if text.contains(',') {
                assert!(got.is_err());
            } else {
                assert_eq!(got, Ok(value), "{text}");
            }
        }
        assert!(evaluate("1 / 0", &mut names).is_err());
        assert!(evaluate(&"(".repeat(500), &mut names).is_err());
    }
}
