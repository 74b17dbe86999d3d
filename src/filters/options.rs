//! Parses the arguments of a filter: options of one letter, some of which take a value, and other words.

/// The parsed arguments of a filter.
#[derive(Debug, Default)]
pub struct Options {
    /// The options in order: the letter and value of each; the value is empty for options without one. A bare number (`-5`) has the letter `#`.
    pub given: Vec<(char, String)>,
    /// The words that are not options.
    pub rest: Vec<String>,
}

impl Options {
    /// Parses arguments. `plain` has the letters without a value, `valued` those with one; `#` in `valued` allows bare numbers.
    pub fn read(args: &[String], plain: &str, valued: &str) -> Result<Options, String> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                options.rest.push(arg.clone());
                continue;
            };
            if letters == "-" {
                options.rest.extend(args.cloned());
                break;
            }
            if letters.starts_with('-') {
                return Err(format!("unrecognized option '{arg}'"));
            }
            if valued.contains('#') && letters.bytes().all(|b| b.is_ascii_digit()) {
                options.given.push(('#', letters.to_owned()));
                continue;
            }
            let mut chars = letters.chars();
            while let Some(c) = chars.next() {
                if c != '#' && valued.contains(c) {
                    let value = match chars.as_str() {
                        "" => args.next().cloned().ok_or_else(|| format!("option requires an argument -- '{c}'"))?,
                        value => value.to_owned(),
                    };
                    options.given.push((c, value));
                    break;
                }
                if !plain.contains(c) {
                    return Err(format!("invalid option -- '{c}'"));
                }
                options.given.push((c, String::new()));
            }
        }
        Ok(options)
    }
    /// Returns whether an option was given.
    pub fn has(&self, letter: char) -> bool {
        self.given.iter().any(|(c, _)| *c == letter)
    }
    /// Returns the last value of an option.
    pub fn value(&self, letter: char) -> Option<&str> {
        self.given.iter().rev().find(|(c, _)| *c == letter).map(|(_, value)| value.as_str())
    }
    /// Returns the last value of an option as a number.
    pub fn number(&self, letter: char) -> Result<Option<usize>, String> {
        let Some(text) = self.value(letter) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| format!("invalid number: ‘{text}’"))
    }
}
