//! Parses words into commands: lists, pipelines, loops and conditionals.

use super::reader::{Read, Reader, SyntaxError, is_name, unexpected, wrong};
use super::{Body, Command, Item, Join, List, Redirect};

/// Parses a text into commands. The second value is `true` if the text is incomplete and more lines could complete it.
pub fn read(text: &str) -> (List, bool) {
    let mut reader = Reader { text, at: 0, resume: None, prompted: false, depth: 0, open_document: false };
    let mut items = Vec::new();
    let (mut more, mut line) = (false, 0);
    loop {
        reader.start_of_line();
        if reader.peek().is_none() {
            break;
        }
        let from = items.len();
        let result = reader.and_or(&mut items).and_then(|()| reader.separator());
        if let Ok('&') = result {
            let body = Body::Background(items.drain(from..).collect());
            items.push(Item { join: Join::Always, not: false, commands: [Command { body, redirects: Vec::new() }].into() });
        }
        if let Ok('\n') = result {
            line = items.len();
        }
        if let Err(fault) = result {
            items.truncate(line);
            let message = match fault {
                SyntaxError::More(message) => {
                    more = true;
                    message
                }
                SyntaxError::Wrong(message) => message,
            };
            let body = Body::SyntaxError(format!("bash: {message}\n"));
            items.push(Item { join: Join::Always, not: false, commands: [Command { body, redirects: Vec::new() }].into() });
            line = items.len();
            reader.skip_line();
        }
    }
    (items.into(), more || reader.open_document || text.ends_with("\\\n") || text.ends_with('\\') && !text.ends_with("\\\\"))
}

/// The maximum nesting depth of lists.
const MAX_DEPTH: usize = 20;

/// Reserved words inside loops and conditions. No command may begin with one of them, except `in`.
const RESERVED: &[&str] = &["do", "done", "then", "elif", "else", "fi", "in", "}"];
const REFUSED: &[(&str, &str)] = &[
    ("case", "`case' is not part of this shell: use `if'"),
    ("select", "`select' is not part of this shell"),
    ("function", "functions are not part of this shell"),
    ("{", "groups in braces are not part of this shell: write the commands one after the other"),
    ("[[", "`[[' is not part of this shell: use `['"),
    ("time", "`time' is not part of this shell: the page shows virtual time"),
    ("coproc", "`coproc' is not part of this shell"),
];

impl Reader<'_> {
    /// Parses the separator after a command inside a loop or condition, where nothing may run in the background.
    fn separator_inside(&mut self) -> Read<char> {
        match self.separator()? {
            '&' => wrong("background jobs (`&') inside loops and conditions are not part of this shell"),
            c => Ok(c),
        }
    }
    /// Reads the separator after a command: `;`, `&`, a newline, or the end of the text.
    fn separator(&mut self) -> Read<char> {
        self.blanks();
        match self.peek() {
            None => Ok('\n'),
            Some(';') if self.sees(";;") => unexpected(";;"),
            Some(c @ (';' | '\n')) => {
                self.next();
                Ok(c)
            }
            Some('&') => {
                self.next();
                Ok('&')
            }
            Some(c) => unexpected(&c.to_string()),
        }
    }
    /// Reads pipelines joined by `&&` and `||`.
    fn and_or(&mut self, items: &mut Vec<Item>) -> Read<()> {
        let mut join = Join::Always;
        loop {
            let item = self.pipeline(join)?;
            items.push(item);
            self.blanks();
            join = match () {
                () if self.takes("&&") => Join::And,
                () if self.takes("||") => Join::Or,
                () => return Ok(()),
            };
            self.newlines();
        }
    }
    fn pipeline(&mut self, join: Join) -> Read<Item> {
        self.blanks();
        let not = self.plain() == "!" && self.takes("!");
        let mut commands = Vec::new();
        loop {
            let mut command = self.command()?;
            self.blanks();
            let pipe = !self.sees("||") && self.takes("|");
            if pipe && self.takes("&") {
                command.redirects.push(Redirect::ErrToOut);
            }
            commands.push(command);
            if !pipe {
                return Ok(Item { join, not, commands: commands.into() });
            }
            self.newlines();
        }
    }
    /// Parses commands up to one of the words in `ends`; returns the commands and that word.
    pub fn list(&mut self, ends: &[&str]) -> Read<(List, String)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return wrong("this is nested too deep");
        }
        let mut items = Vec::new();
        loop {
            self.newlines();
            let word = if self.peek() == Some(')') { ")" } else { self.plain() };
            if ends.contains(&word) {
                if items.is_empty() && word != ")" {
                    return unexpected(word);
                }
                self.at += word.len();
                self.depth -= 1;
                return Ok((items.into(), word.to_owned()));
            }
            if self.peek().is_none() {
                return Err(SyntaxError::More("syntax error: unexpected end of file".to_owned()));
            }
            self.and_or(&mut items)?;
            self.blanks();
            if self.peek() != Some(')') {
                self.separator_inside()?;
            }
        }
    }
    fn command(&mut self) -> Read<Command> {
        self.blanks();
        if self.peek().is_none() {
            return Err(SyntaxError::More("syntax error: unexpected end of file".to_owned()));
        }
        if self.sees("((") {
            return wrong("arithmetic is not part of this shell");
        }
        if self.sees("(") {
            return wrong("subshells `( )' are not part of this shell: write the commands one after the other");
        }
        let word = self.plain();
        if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == word) {
            return wrong(*why);
        }
        let body = match word {
            "for" => self.for_loop()?,
            "while" | "until" => {
                self.at += word.len();
                let (test, _) = self.list(&["do"])?;
                let (body, _) = self.list(&["done"])?;
                Body::While { test, body, until: word == "until" }
            }
            "if" => self.branches()?,
            word if RESERVED.contains(&word) && word != "in" => return unexpected(word),
            _ => return self.simple(),
        };
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command { body, redirects }),
            }
        }
    }
    fn for_loop(&mut self) -> Read<Body> {
        self.at += "for".len();
        self.blanks();
        let name = self.plain();
        if !is_name(name) {
            return wrong(format!("`{name}': not a valid identifier"));
        }
        self.at += name.len();
        self.blanks();
        if self.plain() != "in" {
            return wrong("this shell has only `for NAME in WORDS; do …; done'");
        }
        self.at += "in".len();
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if self.peek().is_none() {
            return Err(SyntaxError::More("syntax error: unexpected end of file".to_owned()));
        }
        self.separator_inside()?;
        self.newlines();
        if self.plain() != "do" {
            return if self.peek().is_none() {
                Err(SyntaxError::More("syntax error: unexpected end of file".to_owned()))
            } else {
                unexpected(self.plain())
            };
        }
        self.at += "do".len();
        let (body, _) = self.list(&["done"])?;
        Ok(Body::For { name: name.to_owned(), words, body })
    }
    fn branches(&mut self) -> Read<Body> {
        self.at += "if".len();
        let mut arms = Vec::new();
        loop {
            let (test, _) = self.list(&["then"])?;
            let (body, end) = self.list(&["elif", "else", "fi"])?;
            arms.push((test, body));
            match end.as_str() {
                "elif" => {}
                "else" => {
                    let (other, _) = self.list(&["fi"])?;
                    return Ok(Body::If { arms, other: Some(other) });
                }
                _ => return Ok(Body::If { arms, other: None }),
            }
        }
    }
    fn simple(&mut self) -> Read<Command> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty() {
                let name = self.rest().split('=').next().unwrap_or("");
                if is_name(name) && self.text.get(self.at + name.len()..).is_some_and(|rest| rest.starts_with('=')) {
                    self.at += name.len() + 1;
                    if self.sees("(") {
                        return wrong("arrays are not part of this shell");
                    }
                    assigns.push((name.to_owned(), self.word()?.unwrap_or_default()));
                    continue;
                }
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
            if words.len() == 1 && self.sees("(") {
                return wrong("functions are not part of this shell");
            }
        }
        if self.sees("(") {
            return unexpected("(");
        }
        if words.is_empty() && assigns.is_empty() && redirects.is_empty() {
            return match self.peek() {
                None => Err(SyntaxError::More("syntax error: unexpected end of file".to_owned())),
                Some(_) if self.sees("&&") => unexpected("&&"),
                Some(_) if self.sees("||") => unexpected("||"),
                Some(_) if self.sees(";;") => unexpected(";;"),
                Some(c) => unexpected(&c.to_string()),
            };
        }
        Ok(Command { body: Body::Simple { assigns, words }, redirects })
    }
}
