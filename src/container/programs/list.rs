//! The programs that each image contains, and the directories they are in.
//!
//! **To add a program**, go where its kind of work is done:
//!
//! | what it does | where |
//! | --- | --- |
//! | turns lines of text into lines of text (after a pipe, also in the terminal) | `src/filters/mod.rs` says how |
//! | sends one request over the network | `src/network/clients.rs`; `container_clients.rs` if a person's machine lacks it |
//! | serves requests until a signal ends it | `src/container/server.rs` |
//! | is a part of the shell itself (`cd`, `export`, `wait`) | `src/container/sh` |
//! | looks at files, processes or the machine | `disk.rs`, `system.rs`, `compute.rs`, `archive.rs` beside this file |
//!
//! Then it must be in an image: its name in a table below, or in the image's line in `static/content/images.txt`.

use crate::container::images::{Base, Image};

/// The programs of busybox.
const BUSYBOX: &[&str] = &[
    "[",
    "arch",
    "ash",
    "awk",
    "base64",
    "basename",
    "cat",
    "chmod",
    "chown",
    "clear",
    "cp",
    "cut",
    "date",
    "dd",
    "df",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expr",
    "fallocate",
    "false",
    "fgrep",
    "find",
    "free",
    "fsync",
    "grep",
    "head",
    "hostname",
    "id",
    "kill",
    "killall",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mktemp",
    "more",
    "mv",
    "nc",
    "nice",
    "nohup",
    "nproc",
    "nslookup",
    "od",
    "pgrep",
    "pidof",
    "ping",
    "pkill",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "setsid",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "stty",
    "sync",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "time",
    "timeout",
    "top",
    "touch",
    "tr",
    "true",
    "truncate",
    "tty",
    "uname",
    "uniq",
    "uptime",
    "usleep",
    "vi",
    "watch",
    "wc",
    "wget",
    "which",
    "whoami",
    "xargs",
    "yes",
    "telnet",
    "busybox",
    "unlink",
    "who",
    "shuf",
    "strings",
];
/// The programs in a slim Debian image, with the GNU tools.
const GNU: &[&str] = &[
    "[",
    "arch",
    "awk",
    "base64",
    "basename",
    "bash",
    "cat",
    "chmod",
    "chown",
    "clear",
    "cp",
    "cut",
    "dash",
    "date",
    "dd",
    "df",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expr",
    "fallocate",
    "false",
    "fgrep",
    "find",
    "free",
    "grep",
    "head",
    "hostname",
    "id",
    "kill",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mktemp",
    "more",
    "mv",
    "nice",
    "nohup",
    "nproc",
    "od",
    "perl",
    "printenv",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "setsid",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "stdbuf",
    "stty",
    "sync",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "timeout",
    "touch",
    "tr",
    "true",
    "truncate",
    "tty",
    "uname",
    "uniq",
    "unlink",
    "uptime",
    "wc",
    "which",
    "whoami",
    "xargs",
    "yes",
    "getent",
    "shuf",
];
const DIRECTORIES: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];

/// Returns whether an image has a program, by its name or path.
pub fn has_program(image: &Image, word: &str) -> bool {
    let (directory, name) = word.rsplit_once('/').map_or((None, word), |(directory, name)| (Some(directory), name));
    let own = || {
        let of_default =
            |words: &[String]| words.iter().any(|default| default == word || directory.is_none() && default.ends_with(&format!("/{name}")));
        image.programs.contains(&name) || of_default(&image.entrypoint) || of_default(&image.command)
    };
    if own() {
        return true;
    }
    let tools: &[&str] = match image.base {
        Base::Busybox | Base::Alpine => BUSYBOX,
        Base::Debian | Base::Rhel => GNU,
        Base::None => &[],
    };
    directory.is_none_or(|directory| DIRECTORIES.contains(&directory))
        && (tools.contains(&name) || name == "apk" && image.base == Base::Alpine)
}

/// Returns the directory of an image that contains a program.
pub fn directory(image: &Image, name: &str) -> &'static str {
    match image.base {
        _ if image.programs.contains(&name) => "/usr/local/bin",
        Base::Busybox | Base::Alpine => "/bin",
        _ => "/usr/bin",
    }
}

/// Programs that run the command given by their last arguments.
const WRAPPERS: &[&str] = &[
    "docker-entrypoint.sh",
    "docker-entrypoint",
    "docker-php-entrypoint",
    "entrypoint.sh",
    "entrypoint",
    "tini",
    "dumb-init",
    "catatonit",
    "nohup",
    "setsid",
    "__cacert_entrypoint.sh",
    "mvn-entrypoint.sh",
    "start.sh",
    "busybox",
    "stdbuf",
    "nice",
    "time",
    "dockerd-entrypoint.sh",
    "su-exec",
    "gosu",
];

/// Returns the command that a wrapper program runs; empty if the name is no wrapper's.
pub fn wrapped(name: &str, args: &[String]) -> Vec<String> {
    if !WRAPPERS.contains(&name) {
        return Vec::new();
    }
    let skip = usize::from(matches!(name, "su-exec" | "gosu") || args.first().is_some_and(|arg| arg == "-n"));
    args.iter().skip_while(|arg| arg.starts_with('-')).skip(skip).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters;

    #[test]
    fn help_which_and_tab_know_every_filter() {
        // These are other names of grep, which help, which and Tab leave out.
        let others = ["egrep", "fgrep"];
        let of_images = crate::container::images::all().flat_map(|image| image.programs.iter());
        for name in BUSYBOX.iter().chain(GNU).chain(of_images).filter(|name| !others.contains(name)) {
            assert_eq!(filters::parse(name, &[]).is_some(), filters::NAMES.contains(name), "{name}");
        }
        for name in filters::NAMES {
            assert!(filters::parse(name, &[]).is_some(), "{name}");
        }
    }
}
