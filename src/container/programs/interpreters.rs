//! Interpreters of other languages. Of their programs, only those are run that print one text, and the Job of the Kubernetes documentation that computes pi.
//! Every other program says in the log that it is not run.

use super::Native;
use super::compute::pi;
use crate::api::time::Span;
use crate::container::guest::Kernel;
use crate::container::process::Fd;
use crate::posix::print;

/// The maximum number of digits of pi that are computed.
const MAX_DIGITS: usize = 5_000;

/// The interpreters, each with the output of `--version`, and with what stands before and after a text that a program prints.
const INTERPRETERS: &[(&str, &str, &str, &str)] = &[
    ("irb", "irb 1.14.1\n", "puts ", ""),
    ("java", "openjdk 17.0.9\n", "", ""),
    ("jshell", "jshell 17.0.9\n", "", ""),
    ("node", "v22.11.0\n", "console.log(", ")"),
    ("perl", "\nThis is perl 5, version 34, subversion 0 (v5.34.0) built for x86_64-linux-gnu\n", "print ", ""),
    ("php", "PHP 8.3.12 (cli)\n", "echo ", ""),
    ("python", "Python 3.12.3\n", "print(", ")"),
    ("ruby", "ruby 3.3.5\n", "puts ", ""),
];

impl Kernel<'_> {
    /// Starts an interpreter. The outer `None` means that the name belongs to none; the inner is its exit code, or `None` if it continues.
    pub(super) fn interpreter(&mut self, pid: u32, name: &str, args: &[String]) -> Option<Option<i32>> {
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let (_, version, before, after) = INTERPRETERS.iter().find(|(known, ..)| *known == name)?;
        if args.iter().any(|arg| matches!(arg.as_str(), "--version" | "-version" | "-v" | "-V")) {
            return Some(self.say(pid, version));
        }
        if args.iter().all(|arg| arg == "-a" || arg == "-de0") && matches!(self.guest.process(pid)?.fds[0], Fd::Null) {
            // Without a program and without input an interpreter is a prompt that ends at once.
            return Some(Some(0));
        }
        let flags = args.iter().take_while(|arg| arg.starts_with('-')).last().map_or("", String::as_str);
        let program = args.iter().find(|arg| !arg.starts_with('-')).filter(|_| flags.ends_with(['c', 'e', 'E', 'r']));
        let Some(program) = program else { return Some(self.refuse_program(pid, &format!("a {name} program"))) };
        if name == "perl"
            && let Some(digits) = program.strip_prefix("print bpi(").and_then(|rest| rest.split(')').next()?.trim().parse::<usize>().ok())
        {
            let digits = digits.clamp(1, MAX_DIGITS);
            self.say(pid, &format!("{}\n", pi(digits)));
            // Real Perl needs about five seconds for 2,000 digits.
            return Some(self.sleep(pid, Native::Ends(0), self.now + Span::millis((digits * digits) as i64 / 800)));
        }
        let statement = program.trim().trim_end_matches(';');
        let Some(mut text) = statement.strip_prefix(before).and_then(|rest| literal(rest.strip_suffix(after)?)) else {
            return Some(self.refuse_program(pid, &format!("this {name} program")));
        };
        if !(name == "php" || name == "perl" && !flags.contains('l')) {
            text.push('\n');
        }
        Some(self.say(pid, &text))
    }
}

/// Returns the value of an expression that is one text in quotes without variables; `None` for any other expression.
fn literal(expression: &str) -> Option<String> {
    let expression = expression.trim();
    let quote = expression.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let text = expression.strip_prefix(quote)?.strip_suffix(quote)?;
    (!text.contains([quote, '$', '@', '#'])).then(|| print::unescape(text))
}
