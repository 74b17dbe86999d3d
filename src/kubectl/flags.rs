//! Parses flags, with the real client's error messages. Counterpart: `spf13/pflag`.
//!
//! This parser is our own, because help, completion and parsing share a command's table of flags, and because `clap` has other rules (where a value may
//! stand, what `-v` means) and other messages than pflag.
//!
//! **To add a flag**: a row in the `FLAGS` of its command's file (here only if several commands share it), and what it does there; its meaning in
//! `static/content/kubectl_help.txt`, as `--name=default words` under the command (under `*` if it means the same everywhere); the values that Tab offers, if there are few, in `complete.rs`.

use super::config::{CONTEXT, USER};
use super::errors::Stop;
use crate::api::float;
use crate::api::time::Span;

/// The type of value that a flag takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// No value: the flag is a switch, which may also be written with `=true` or `=false`.
    Nothing,
    /// A string.
    Text,
    /// An integer.
    Int,
    /// A duration such as `30s`.
    Duration,
    /// A string after `=`, or this default if the flag stands alone. Counterpart: `pflag.Flag.NoOptDefVal`.
    Maybe(&'static str),
}

/// A flag that a command accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flag {
    /// The flag's long name, without dashes.
    pub long: &'static str,
    /// The flag's one-letter form, or [`NONE`].
    pub short: char,
    /// The type of value that the flag takes.
    pub takes: Takes,
}

/// The `short` of a flag without a one-letter form.
pub const NONE: char = '\0';

/// Returns a flag that takes no value.
pub const fn switch(long: &'static str) -> Flag {
    Flag { long, short: NONE, takes: Takes::Nothing }
}

/// Returns a flag that takes a string.
pub const fn text(long: &'static str) -> Flag {
    Flag { long, short: NONE, takes: Takes::Text }
}

/// Returns a flag that takes a value of the given type.
pub const fn takes(long: &'static str, takes: Takes) -> Flag {
    Flag { long, short: NONE, takes }
}

impl Flag {
    /// Returns the flag with a one-letter form beside its long name.
    pub const fn or(self, short: char) -> Flag {
        Flag { short, ..self }
    }
    fn shown(&self) -> String {
        if self.short == NONE { format!("--{}", self.long) } else { format!("-{}, --{}", self.short, self.long) }
    }
}

/// Flags of every command. Those about servers, certificates and caches are accepted and ignored.
pub const GLOBAL: &[Flag] = &[
    text("namespace").or('n'),
    text("request-timeout"),
    takes("v", Takes::Int).or('v'),
    text("vmodule"),
    text("kubeconfig"),
    text("context"),
    text("cluster"),
    text("user"),
    text("server").or('s'),
    text("token"),
    text("as"),
    text("as-group"),
    text("as-uid"),
    text("as-user-extra"),
    text("username"),
    text("password"),
    text("cache-dir"),
    text("certificate-authority"),
    text("client-certificate"),
    text("client-key"),
    text("tls-server-name"),
    text("kuberc"),
    text("profile"),
    text("profile-output"),
    takes("log-flush-frequency", Takes::Duration),
    switch("insecure-skip-tls-verify"),
    switch("disable-compression"),
    switch("match-server-version"),
    switch("warnings-as-errors"),
    switch("help").or('h'),
];

/// The flags of commands that print objects.
pub const PRINT: &[Flag] =
    &[text("output").or('o'), text("template"), switch("show-managed-fields"), switch("allow-missing-template-keys")];

/// Flags of commands that change objects and show them.
pub const OUTPUT: &[Flag] = &[
    text("output").or('o'),
    text("template"),
    switch("show-managed-fields"),
    switch("allow-missing-template-keys"),
    takes("dry-run", Takes::Maybe("unchanged")),
    text("field-manager"),
];

/// Flags of commands that read manifests.
pub const FILES: &[Flag] =
    &[text("filename").or('f'), text("kustomize").or('k'), switch("recursive").or('R'), takes("validate", Takes::Maybe("strict"))];

/// The flags of commands that can find their objects by a manifest.
pub const NAMED: &[Flag] = &[text("filename").or('f'), text("kustomize").or('k'), switch("recursive").or('R')];

/// Flags of commands that select objects.
pub const CHOICE: &[Flag] = &[text("selector").or('l'), text("field-selector"), switch("all"), switch("all-namespaces").or('A')];

/// The deprecated flag that writes the command into the annotation `kubernetes.io/change-cause`.
pub const RECORD: Flag = switch("record");

/// The flags of commands that create an object from flags.
pub const CREATED: &[Flag] = &[switch("save-config"), takes("validate", Takes::Maybe("strict"))];

/// Returns the last value that the words give for a flag, without knowledge of the other flags.
pub fn given<'w>(words: &'w [String], long: &str, short: &str) -> Option<&'w str> {
    let own: Vec<&'w str> = words.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    let value = |(i, word): (usize, &&'w str)| {
        if *word == long || *word == short {
            return own.get(i + 1).copied();
        }
        let attached = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
        attached.or_else(|| word.strip_prefix(short).filter(|_| !short.starts_with("--")).map(|rest| rest.trim_start_matches('=')))
    };
    own.iter().enumerate().filter_map(value).next_back()
}

/// Returns the number given by `-v` (verbosity), or 0.
pub fn verbosity(words: &[String]) -> i64 {
    let own = words.iter().take_while(|word| *word != "--");
    let mut found = 0;
    let mut next = false;
    for word in own {
        let value =
            ["--v=", "-v="].iter().find_map(|flag| word.strip_prefix(flag)).or_else(|| word.strip_prefix("-v").filter(|v| !v.is_empty()));
        if let Some(number) = value.or(next.then_some(word.as_str())).and_then(|v| v.parse().ok()) {
            found = number;
        }
        next = word == "-v" || word == "--v";
    }
    found
}

/// Returns the number of words before the name of the command: global flags and their values.
pub fn leading_flag_count(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.len() > 1 && word.starts_with('-')) {
        let takes_next = |flag: &&Flag| {
            let bare = word.strip_prefix("--").is_some_and(|long| long == flag.long) || *word == format!("-{}", flag.short);
            bare && flag.takes != Takes::Nothing
        };
        at += if GLOBAL.iter().any(|flag| takes_next(&flag)) { 2 } else { 1 };
    }
    at.min(words.len())
}

/// Moves flags that stand before the name of a subcommand to a place behind it.
pub fn command_first(words: &[String]) -> Vec<String> {
    let (before, rest) = words.split_at(leading_flag_count(words));
    match rest.split_first() {
        Some((name, after)) => std::iter::once(name).chain(before).chain(after).cloned().collect(),
        None => words.to_vec(),
    }
}

/// A request for the help page of a command (`--help`).
#[derive(Clone, Debug, PartialEq)]
pub struct HelpRequest {
    /// The command's full name, such as `rollout undo`.
    pub command: String,
    /// The flags that the command accepts, without the global ones.
    pub flags: Vec<Flag>,
}

/// A parsed command line.
#[derive(Clone, Debug, Default)]
pub struct Args {
    /// The words that are neither flags nor values of flags.
    pub words: Vec<String>,
    /// The words after `--`.
    pub after_dashes: Vec<String>,
    /// The full name of the command.
    pub command: String,
    values: Vec<(&'static str, String)>,
}

impl Args {
    /// Parses the words of a command. `command` is its full name for error messages.
    pub fn read(command: &str, flags: &[&[Flag]], words: &[String]) -> Result<Args, Stop> {
        let all: Vec<Flag> = flags.iter().chain(&[GLOBAL]).flat_map(|group| group.iter().copied()).collect();
        let args = Reader { flags: &all, args: Args { command: command.to_owned(), ..Args::default() } }
            .read(words)
            .map_err(|text| Stop::plain(format!("{text}\nSee '{} --help' for usage.", format!("kubectl {command}").trim_end())))?;
        if args.on("help") {
            return Err(Stop::help(HelpRequest { command: command.to_owned(), flags: flags.iter().copied().flatten().copied().collect() }));
        }
        args.check_connection(command, flags)?;
        Ok(args)
    }
    /// Fails if the flags name another cluster than this one. Commands about the configuration itself may name any.
    fn check_connection(&self, command: &str, flags: &[&[Flag]]) -> Result<(), Stop> {
        if let Some(path) = self.text("kubeconfig").filter(|path| !path.is_empty() && !path.ends_with(".kube/config")) {
            return Err(Stop::plain(format!("stat {path}: no such file or directory")));
        }
        let known = [("context", CONTEXT), ("cluster", CONTEXT), ("user", USER)];
        // A command may have a flag of its own with the name of a global one.
        let is_global = |name: &str| !command.starts_with("config") && !flags.iter().copied().flatten().any(|own| own.long == name);
        for (flag, only) in known.into_iter().filter(|(flag, ..)| is_global(flag)) {
            if let Some(name) = self.text(flag).filter(|name| !name.is_empty() && *name != only) {
                return Err(match flag {
                    "context" => Stop::raw(format!("Error in configuration: context was not found for specified context: {name}\n")),
                    "cluster" => Stop::plain(format!("no server found for cluster \"{name}\"")),
                    _ => Stop::plain(format!("auth info \"{name}\" does not exist")),
                });
            }
        }
        if self.text("request-timeout").is_some_and(|text| text.parse::<i64>().is_err() && duration(text).is_none()) {
            let unit = "an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)";
            return Err(Stop::plain(format!("Invalid timeout value. Timeout must be a single integer in seconds, or {unit}")));
        }
        Ok(())
    }
    /// Fails if any of these flags is given, because this client does not support them.
    pub fn refuse(&self, command: &str, flags: &[&str]) -> Result<(), Stop> {
        match flags.iter().find(|flag| !matches!(self.text(flag), None | Some("false"))) {
            Some(flag) => Err(Stop::plain(format!("this playground has no \"kubectl {command} --{flag}\""))),
            None => Ok(()),
        }
    }
    /// Returns the command line with all flags in their long form, as `--record` writes it down. Counterpart: `parseCommandArguments`.
    pub fn line(&self) -> String {
        let flags = self.values.iter().map(|(flag, value)| format!(" --{flag}={value}"));
        let words = self.words.iter().map(|word| format!(" {word}"));
        format!("kubectl {}{}", self.command, words.chain(flags).collect::<String>())
    }
    /// Returns the last value that was given for a flag.
    pub fn text(&self, flag: &str) -> Option<&str> {
        self.values.iter().rev().find(|(name, _)| *name == flag).map(|(_, value)| value.as_str())
    }
    /// Returns whether `-f` or `-k` names a manifest.
    pub fn has_manifest(&self) -> bool {
        self.text("filename").is_some() || self.text("kustomize").is_some()
    }
    /// Returns all values that were given for a flag.
    pub fn all(&self, flag: &str) -> Vec<&str> {
        self.values.iter().filter(|(name, _)| *name == flag).map(|(_, value)| value.as_str()).collect()
    }
    /// Returns all values of a flag that may be repeated or take a comma-separated list.
    pub fn list(&self, flag: &str) -> Vec<&str> {
        self.all(flag).into_iter().filter(|value| !value.is_empty()).flat_map(|value| value.split(',')).collect()
    }
    /// Returns the arguments with one more flag.
    pub fn with(&self, flag: &'static str, value: &str) -> Args {
        let mut args = self.clone();
        args.values.push((flag, value.to_owned()));
        args
    }
    /// Returns the arguments without a flag.
    pub fn without(&self, flag: &str) -> Args {
        let mut args = self.clone();
        args.values.retain(|(name, _)| *name != flag);
        args
    }
    /// Returns whether a switch was given and not set to false.
    pub fn on(&self, flag: &str) -> bool {
        self.text(flag) == Some("true")
    }
    /// Returns the value of a flag as a number.
    pub fn int(&self, flag: &str) -> Option<i64> {
        self.text(flag).and_then(|value| value.parse().ok())
    }
    /// Returns the value of a flag as a duration.
    pub fn duration(&self, flag: &str) -> Option<Span> {
        self.text(flag).and_then(duration)
    }
    /// Fails unless all these flags are given.
    pub fn require(&self, flags: &[&str]) -> Result<(), Stop> {
        let missing: Vec<String> = flags.iter().filter(|f| self.text(f).is_none()).map(|f| format!("\"{f}\"")).collect();
        if missing.is_empty() { Ok(()) } else { Err(Stop::plain(format!("required flag(s) {} not set", missing.join(", ")))) }
    }
}

struct Reader<'f> {
    flags: &'f [Flag],
    args: Args,
}

impl Reader<'_> {
    fn read(mut self, words: &[String]) -> Result<Args, String> {
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                self.args.after_dashes = rest.cloned().collect();
                break;
            }
            if let Some(long) = word.strip_prefix("--") {
                self.long(long, &mut rest)?;
            } else if let Some(short) = word.strip_prefix('-').filter(|s| !s.is_empty()) {
                self.short(short, &mut rest)?;
            } else {
                self.args.words.push(word.clone());
            }
        }
        Ok(self.args)
    }

    fn long<'w>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'w String>) -> Result<(), String> {
        let (name, value) = word.split_once('=').map_or((word, None), |(n, v)| (n, Some(v)));
        if name.is_empty() || name.starts_with('-') {
            return Err(format!("bad flag syntax: --{word}"));
        }
        let dashed = name.replace('_', "-");
        let flag = self.flags.iter().find(|f| f.long == dashed).copied().ok_or_else(|| format!("unknown flag: --{name}"))?;
        match (value, flag.takes) {
            (Some(value), _) => self.set(flag, value),
            (None, Takes::Nothing) => self.set(flag, "true"),
            (None, Takes::Maybe(value)) => self.set(flag, value),
            (None, _) => {
                let value = rest.next().ok_or_else(|| format!("flag needs an argument: --{name}"))?;
                self.set(flag, value)
            }
        }
    }

    fn short<'w>(&mut self, group: &str, rest: &mut impl Iterator<Item = &'w String>) -> Result<(), String> {
        let mut chars = group.chars();
        while let Some(c) = chars.next() {
            let flag = self.flags.iter().find(|f| f.short == c).copied();
            let flag = flag.ok_or_else(|| format!("unknown shorthand flag: '{c}' in -{group}"))?;
            let attached = chars.as_str();
            match flag.takes {
                Takes::Nothing if attached.starts_with('=') => return self.set(flag, attached.trim_start_matches('=')),
                Takes::Nothing => self.set(flag, "true")?,
                Takes::Maybe(value) => self.set(flag, value)?,
                _ if attached.is_empty() => {
                    let value = rest.next().ok_or_else(|| format!("flag needs an argument: '{c}' in -{group}"))?;
                    return self.set(flag, value);
                }
                _ => return self.set(flag, attached.strip_prefix('=').unwrap_or(attached)),
            }
        }
        Ok(())
    }

    fn set(&mut self, flag: Flag, value: &str) -> Result<(), String> {
        let bad = |why: String| format!("invalid argument \"{value}\" for \"{}\" flag: {why}", flag.shown());
        let value = match flag.takes {
            Takes::Nothing => match value {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => "true",
                "0" | "f" | "F" | "false" | "FALSE" | "False" => "false",
                _ => return Err(bad(format!("strconv.ParseBool: parsing \"{value}\": invalid syntax"))),
            },
            Takes::Int if value.parse::<i64>().is_err() => {
                let digits = value.trim_start_matches(['-', '+']);
                let number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
                let why = if number { "value out of range" } else { "invalid syntax" };
                return Err(bad(format!("strconv.ParseInt: parsing \"{value}\": {why}")));
            }
            Takes::Duration if duration(value).is_none() => {
                let why = if float::parse(value).is_some() { "missing unit in duration" } else { "invalid duration" };
                return Err(bad(format!("time: {why} \"{value}\"")));
            }
            _ => value,
        };
        self.args.values.push((flag.long, value.to_owned()));
        Ok(())
    }
}

/// Parses a Go duration such as `1m30s`.
pub fn duration(text: &str) -> Option<Span> {
    if text == "0" {
        return Some(Span(0));
    }
    let (sign, mut rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    if rest.is_empty() {
        return None;
    }
    let mut micros = 0i64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let unit_len = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_len);
        let scale = match unit {
            "us" | "µs" => 1.0,
            "ms" => 1e3,
            "s" => 1e6,
            "m" => 6e7,
            "h" => 3.6e9,
            _ => return None,
        };
        micros = micros.saturating_add((float::parse(number)? * scale) as i64);
        rest = after;
    }
    Some(Span(sign * micros))
}
