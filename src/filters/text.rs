//! The plain text filters: `cat`, `head`, `tail`, `wc`, `sort`, `uniq`, `cut`, `tr`, `base64`.

use super::Machine;
use super::options::Options;
use crate::api::order::Order;
use std::cmp::Ordering;
use std::collections::VecDeque;

type Parsed = Result<(Machine, Vec<String>), String>;

pub fn cat(args: &[String]) -> Parsed {
    let options = Options::read(args, "nu", "")?;
    Ok((Machine::Cat { numbered: options.has('n'), line: 0 }, options.rest))
}

pub fn head(args: &[String]) -> Parsed {
    let options = Options::read(args, "q", "nc#")?;
    let bytes = options.number('c')?;
    let lines = options.number('#')?.or(options.number('n')?);
    let lines = lines.unwrap_or(if bytes.is_some() { usize::MAX } else { 10 });
    Ok((Machine::Head { lines, bytes: bytes.unwrap_or(usize::MAX) }, options.rest))
}

pub fn tail(args: &[String]) -> Parsed {
    let mut options = Options::read(args, "q", "n#")?;
    let mut skip = None;
    let plus = options.rest.first().and_then(|word| word.strip_prefix('+')).map(str::to_owned);
    let from = plus.as_deref().or(options.value('n').and_then(|n| n.strip_prefix('+')));
    if let Some(from) = from {
        let from: usize = from.parse().map_err(|_| format!("invalid number of lines: ‘+{from}’"))?;
        skip = Some(from.saturating_sub(1));
    }
    if plus.is_some() {
        options.rest.remove(0);
    }
    let last = if skip.is_some() { 0 } else { options.number('#')?.or(options.number('n')?).unwrap_or(10) };
    Ok((Machine::Tail { skip, last, kept: VecDeque::new() }, options.rest))
}

pub fn wc(args: &[String]) -> Parsed {
    let options = Options::read(args, "lwcm", "")?;
    let show = [options.has('l'), options.has('w'), options.has('c') || options.has('m')];
    Ok((Machine::Wc { show, counts: [0; 3] }, options.rest))
}

pub fn sort(args: &[String]) -> Parsed {
    let options = Options::read(args, "rnuhVf", "kt")?;
    let key = options.value('k').map(|key| {
        let (first, last) = key.split_once(',').unwrap_or((key, ""));
        let number = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<usize>().ok().filter(|n| *n > 0);
        let letters: String = key.chars().filter(char::is_ascii_alphabetic).collect();
        number(first).map(|from| (from, number(last), letters)).ok_or_else(|| format!("invalid number at field start: ‘{key}’"))
    });
    let (from, to, letters) = key.transpose()?.unwrap_or((1, None, String::new()));
    let has = |c| options.has(c) || letters.contains(c);
    let by = match () {
        () if has('h') => By::Size,
        () if has('n') || has('V') => By::Number,
        () => By::Text,
    };
    let separator = options.value('t').and_then(|t| t.chars().next());
    let whole = options.value('k').is_none();
    let sort = Sort { reverse: has('r'), unique: options.has('u'), fold: has('f'), whole, from, to, by, separator, lines: Vec::new() };
    Ok((Machine::Sort(sort), options.rest))
}

pub fn uniq(args: &[String]) -> Parsed {
    let options = Options::read(args, "cdui", "")?;
    let uniq = Uniq { count: options.has('c'), twice: options.has('d'), once: options.has('u'), fold: options.has('i'), last: None };
    Ok((Machine::Uniq(uniq), options.rest))
}

pub fn cut(args: &[String]) -> Parsed {
    let options = Options::read(args, "s", "dfcb")?;
    let chars = options.value('c').or(options.value('b'));
    let Some(list) = options.value('f').or(chars) else {
        return Err("you must specify a list of bytes, characters, or fields".to_owned());
    };
    let delimiter = options.value('d').map_or(Some('\t'), |d| d.chars().next()).unwrap_or('\0');
    let ranges = list.split(',').map(range).collect::<Option<Vec<_>>>();
    let ranges = ranges.ok_or_else(|| format!("invalid list: ‘{list}’"))?;
    let cut = Cut { delimiter: chars.is_none().then_some(delimiter), only: options.has('s'), ranges };
    Ok((Machine::Cut(cut), options.rest))
}

/// Parses a range of `cut`: `3`, `3-`, `-3` or `2-3`, counted from 1.
fn range(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str, otherwise| if text.is_empty() { Some(otherwise) } else { text.parse::<usize>().ok().filter(|n| *n > 0) };
    match text.split_once('-') {
        None => number(text, 0).filter(|n| *n > 0).map(|n| (n, n)),
        Some(("", "")) => None,
        Some((from, to)) => Some((number(from, 1)?, number(to, usize::MAX)?)).filter(|(from, to)| from <= to),
    }
}

pub fn tr(args: &[String]) -> Parsed {
    let options = Options::read(args, "dsc", "")?;
    let mut sets = options.rest.iter().map(|text| characters(text));
    let from = sets.next().ok_or("missing operand")?;
    let to = sets.next().unwrap_or_default();
    if to.is_empty() && !options.has('d') && !options.has('s') {
        return Err("missing operand: two sets must be given".to_owned());
    }
    Ok((Machine::Tr(Tr { delete: options.has('d'), squeeze: options.has('s'), not: options.has('c'), from, to, last: None }), Vec::new()))
}

/// Returns the characters of a set of `tr`, with ranges, classes and escapes expanded.
fn characters(text: &str) -> Vec<char> {
    let mut text = text.to_owned();
    for (name, range) in
        [("[:upper:]", "A-Z"), ("[:lower:]", "a-z"), ("[:digit:]", "0-9"), ("[:space:]", " \t\n\r"), ("[:alpha:]", "A-Za-z")]
    {
        text = text.replace(name, range);
    }
    let mut all: Vec<char> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next)) => {
                chars.next();
                all.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    c => c,
                });
            }
            ('-', Some(&to)) if all.last().is_some_and(|from| *from <= to && to.is_ascii()) => {
                chars.next();
                let from = all.pop().unwrap_or(to);
                all.extend(from..=to);
            }
            _ => all.push(c),
        }
    }
    all
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Text,
    Number,
    /// Compares numbers with units (`-h`): `1Gi` is more than `900Mi`.
    Size,
}

#[derive(Clone, Debug)]
pub struct Sort {
    reverse: bool,
    unique: bool,
    fold: bool,
    whole: bool,
    from: usize,
    to: Option<usize>,
    by: By,
    separator: Option<char>,
    pub lines: Vec<String>,
}

impl Sort {
    fn key<'l>(&self, line: &'l str) -> &'l str {
        if self.whole {
            return line;
        }
        let start = self.place(line, self.from - 1);
        let end = self.to.map_or(line.len(), |to| self.place(line, to));
        line.get(start..end).unwrap_or("").trim()
    }
    /// Returns the byte offset behind the first `n` fields of a line.
    fn place(&self, line: &str, n: usize) -> usize {
        let mut at = 0;
        for _ in 0..n {
            let rest = line.get(at..).unwrap_or("");
            at += match self.separator {
                Some(separator) => rest.find(separator).map_or(rest.len(), |end| end + separator.len_utf8()),
                None => {
                    let blanks = rest.len() - rest.trim_start().len();
                    blanks + rest.trim_start().find(char::is_whitespace).unwrap_or(rest.len() - blanks)
                }
            };
        }
        at
    }
    fn compare(&self, a: &str, b: &str) -> Ordering {
        let (a, b) = (self.key(a), self.key(b));
        match self.by {
            By::Text if self.fold => a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase()),
            By::Text => a.cmp(b),
            by => number(a, by).total_cmp(&number(b, by)),
        }
    }
    pub fn end(&mut self, out: &mut String) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.order_by(|a, b| {
            let order = self.compare(a, b);
            // Lines with equal keys are compared by their whole text, except with `-u`, which keeps only one of them.
            let order = if order == Ordering::Equal && !self.unique { a.cmp(b) } else { order };
            if self.reverse { order.reverse() } else { order }
        });
        if self.unique {
            lines.dedup_by(|a, b| self.compare(a, b) == Ordering::Equal);
        }
        for line in lines {
            out.push_str(&line);
            out.push('\n');
        }
    }
}

/// Returns the number at the start of a text, with its unit if sizes are compared; 0 if there is none.
fn number(text: &str, by: By) -> f64 {
    let text = text.trim_start();
    let len = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(text.len());
    let (digits, unit) = text.split_at(len);
    let value = crate::api::float::parse(digits).unwrap_or(0.0);
    let scale = match unit.chars().next() {
        Some('k' | 'K') if by == By::Size => 1024.0,
        Some('M') if by == By::Size => 1024.0 * 1024.0,
        Some('G') if by == By::Size => 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    };
    value * scale
}

#[derive(Clone, Debug)]
pub struct Uniq {
    count: bool,
    twice: bool,
    once: bool,
    fold: bool,
    last: Option<(String, usize)>,
}

impl Uniq {
    pub fn line(&mut self, line: &str, out: &mut String) {
        match &mut self.last {
            Some((last, times)) if last == line || (self.fold && last.eq_ignore_ascii_case(line)) => *times += 1,
            _ => {
                self.flush(out);
                self.last = Some((line.to_owned(), 1));
            }
        }
    }
    pub fn flush(&mut self, out: &mut String) {
        let Some((line, times)) = self.last.take() else { return };
        if (self.twice && times < 2) || (self.once && times > 1) {
            return;
        }
        if self.count {
            out.push_str(&format!("{times:7} "));
        }
        out.push_str(&line);
        out.push('\n');
    }
}

#[derive(Clone, Debug)]
pub struct Cut {
    /// The separator of fields; `None` if characters are selected (`-c`).
    delimiter: Option<char>,
    only: bool,
    ranges: Vec<(usize, usize)>,
}

impl Cut {
    pub fn line(&self, line: &str, out: &mut String) {
        let wanted = |n: usize| self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&(n + 1)));
        match self.delimiter {
            None => out.extend(line.chars().enumerate().filter(|(n, _)| wanted(*n)).map(|(_, c)| c)),
            Some(delimiter) if !line.contains(delimiter) => {
                if self.only {
                    return;
                }
                out.push_str(line);
            }
            Some(delimiter) => {
                let mut first = true;
                for (_, field) in line.split(delimiter).enumerate().filter(|(n, _)| wanted(*n)) {
                    if !std::mem::take(&mut first) {
                        out.push(delimiter);
                    }
                    out.push_str(field);
                }
            }
        }
        out.push('\n');
    }
}

#[derive(Clone, Debug)]
pub struct Tr {
    delete: bool,
    squeeze: bool,
    not: bool,
    from: Vec<char>,
    to: Vec<char>,
    last: Option<char>,
}

impl Tr {
    pub fn text(&mut self, text: &str, out: &mut String) {
        for c in text.chars() {
            let place = self.from.iter().position(|from| *from == c);
            let hit = place.is_some() != self.not;
            if hit && self.delete {
                continue;
            }
            let mut new = c;
            if hit && !self.to.is_empty() {
                let at = place.unwrap_or(usize::MAX).min(self.to.len() - 1);
                new = self.to.get(at).copied().unwrap_or(c);
            }
            if hit && self.squeeze && self.last == Some(new) {
                continue;
            }
            self.last = Some(new);
            out.push(new);
        }
    }
}

/// Parses the arguments of `base64 [-d] [-w COLS]`.
pub fn base64(args: &[String]) -> Parsed {
    let args: Vec<String> = args
        .iter()
        .map(|arg| match arg.as_str() {
            "--decode" | "-D" => "-d".to_owned(),
            "--ignore-garbage" => "-i".to_owned(),
            other => other.strip_prefix("--wrap=").map_or_else(|| other.to_owned(), |width| format!("-w{width}")),
        })
        .collect();
    let options = Options::read(&args, "di", "w")?;
    let width = options.number('w')?.unwrap_or(76);
    Ok((Machine::Base64(options.has('d'), String::new(), width), options.rest))
}

/// Writes the output of `base64` for its whole input, and returns the exit code.
pub fn end_base64(decode: bool, text: &str, width: usize, out: &mut String) -> i32 {
    if decode {
        let packed: String = text.split_whitespace().collect();
        return match crate::api::base64::decode(&packed) {
            Ok(bytes) => {
                out.push_str(&String::from_utf8_lossy(&bytes));
                0
            }
            Err(_) => {
                out.push_str("base64: invalid input\n");
                1
            }
        };
    }
    let coded = crate::api::base64::encode(text);
    if width == 0 {
        out.push_str(&coded);
        return 0;
    }
    for start in (0..coded.len()).step_by(width) {
        out.push_str(coded.get(start..(start + width).min(coded.len())).unwrap_or(""));
        out.push('\n');
    }
    0
}
