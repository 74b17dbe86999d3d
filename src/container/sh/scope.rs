//! The variables, parameters and files by which a shell in a container expands words.

use super::machine::Shell;
use crate::container::files::{Disk, absolute};
use crate::posix::{MAX_WORDS, Scope, is_pattern, matches, unescape};
use std::sync::Arc;

/// A shell with the files that it sees.
pub struct ShellScope<'a> {
    pub shell: &'a mut Shell,
    pub disk: &'a Disk,
    pub cwd: &'a str,
    pub pid: u32,
}

impl Scope for ShellScope<'_> {
    fn value(&mut self, name: &str) -> Option<String> {
        let shell = &mut *self.shell;
        Some(match name {
            "?" => shell.status.to_string(),
            "$" => self.pid.to_string(),
            "!" => shell.background.to_string(),
            "-" => "c".to_owned(),
            "RANDOM" => {
                shell.random = shell.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                (shell.random >> 16 & 0x7fff).to_string()
            }
            "PPID" => "0".to_owned(),
            name => return shell.get(name).map(str::to_owned),
        })
    }
    fn set(&mut self, name: &str, value: &str) {
        self.shell.set(name, value);
    }
    fn parameters(&self) -> Arc<[String]> {
        self.shell.parameters()
    }
    fn is_strict(&self) -> bool {
        self.shell.options.nounset
    }
    fn matching(&self, pattern: &str) -> Vec<String> {
        let mut paths = vec![if pattern.starts_with('/') { "/".to_owned() } else { String::new() }];
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            let mut next = Vec::new();
            for path in &paths {
                let join =
                    |name: &str| if path.is_empty() || path.ends_with('/') { format!("{path}{name}") } else { format!("{path}/{name}") };
                if !is_pattern(part) {
                    next.push(join(&unescape(part)));
                    continue;
                }
                let names = self.disk.list(&absolute(self.cwd, path)).unwrap_or_default();
                next.extend(
                    names.iter().filter(|name| (!name.starts_with('.') || part.starts_with('.')) && matches(part, name)).map(|n| join(n)),
                );
            }
            next.truncate(MAX_WORDS);
            paths = next;
        }
        paths.retain(|path| self.disk.get(&absolute(self.cwd, path)).is_some());
        paths
    }
}
