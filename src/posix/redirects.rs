//! Parses redirections and here-documents.

use super::error::SyntaxError;
use super::parser::{Parsed, Parser};
use super::syntax::{Piece, Redirect, Target};
use super::words::quoted_text;

impl Parser<'_> {
    pub(super) fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut all = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => all.push(redirect),
                None => return Ok(all),
            }
        }
    }
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(['<', '>']));
        if self.takes("&>>") || self.takes("&>") {
            self.blanks();
            let word = self.word()?.ok_or_else(|| self.surprise())?;
            return Ok(Some(Redirect { fd: 1, to: Target::Both(word) }));
        }
        let mut fd = None;
        if numbered {
            let number: usize = rest.get(..digits).and_then(|n| n.parse().ok()).unwrap_or(9);
            if number > 2 {
                return Err(SyntaxError::Wrong(format!("file descriptor {number} is not part of this shell")));
            }
            fd = Some(number);
            self.at += digits;
        }
        const FORMS: &[&str] = &["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];
        let Some(form) = FORMS.iter().find(|form| self.sees(form)) else { return Ok(None) };
        self.at += form.len();
        if self.sees("(") {
            return Err(SyntaxError::Wrong("process substitution is not part of this shell".to_owned()));
        }
        self.blanks();
        let fd = fd.unwrap_or(usize::from(form.starts_with('>')));
        if let "<<" | "<<-" = *form {
            return Ok(Some(Redirect { fd, to: self.document(*form == "<<-")? }));
        }
        if form.ends_with('&') {
            let to = match self.peek() {
                Some(c @ '0'..='2') => Target::Same(c as usize - '0' as usize),
                Some('-') => Target::Close,
                _ => return Err(self.surprise()),
            };
            self.at += 1;
            return Ok(Some(Redirect { fd, to }));
        }
        let word = self.word()?.ok_or_else(|| self.surprise())?;
        let to = match *form {
            "<<<" => Target::Text(word.into_iter().chain(quoted_text("\n".to_owned())).collect()),
            "<" | "<>" => Target::Read(word),
            ">>" => Target::Append(word),
            _ => Target::Write(word),
        };
        Ok(Some(Redirect { fd, to }))
    }
    /// Parses a here-document: the lines after this one, up to a line that contains only the delimiter.
    fn document(&mut self, tabs: bool) -> Parsed<Target> {
        let start = self.at;
        let word = self.word()?.ok_or_else(|| self.surprise())?;
        let quoted = self.text.get(start..self.at).unwrap_or("").contains(['\'', '"', '\\']);
        let delimiter: String = word.iter().map(|piece| if let Piece::Text { text, .. } = piece { text.as_str() } else { "" }).collect();
        let line_end = self.rest().find('\n').map_or(self.text.len(), |len| self.at + len + 1);
        let from = self.resume.unwrap_or(line_end);
        let (mut lines, mut at, mut closed) = (Vec::new(), from, false);
        for line in self.text.get(from..).unwrap_or("").split_inclusive('\n') {
            at += line.len();
            let line = if tabs { line.trim_start_matches('\t') } else { line };
            let bare = line.trim_end_matches(['\n', '\r']);
            let prompted = self.terminal && bare.strip_prefix("> ") == Some(delimiter.as_str());
            closed = prompted || bare == delimiter;
            if prompted {
                // A prompt before the delimiter means that the lines were copied from a terminal, each with a prompt.
                lines = lines.into_iter().map(|line: &str| line.strip_prefix("> ").unwrap_or(line)).collect();
            }
            if closed {
                break;
            }
            lines.push(line);
        }
        self.open_document |= !closed;
        self.resume = Some(at);
        let body = lines.concat().replace("\r\n", "\n");
        if quoted {
            return Ok(Target::Text(quoted_text(body)));
        }
        let word = Parser::inner(&body, self.depth).rest_as_word();
        // What is left open inside a here-document stays open whatever lines follow it, so the error is final.
        let ended = |error| if let SyntaxError::Open(_) = error { SyntaxError::Wrong(error.of_bash()) } else { error };
        word.map(Target::Text).map_err(ended)
    }
}
