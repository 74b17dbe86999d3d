//! Programs that work on files: ls, touch, mkdir, rm, cp, mv, dd, df and the like.

use crate::container::files::{Entry, FileError, absolute};
use crate::container::guest::Kernel;
use crate::container::process::Stream;

impl Kernel<'_> {
    /// Starts a program of this file. The outer `None` means that the name belongs to none of them; the inner is its exit code, or `None` if it continues.
    pub(super) fn disk_program(&mut self, pid: u32, name: &str, args: &[String]) -> Option<Option<i32>> {
        let cwd = self.guest.process(pid)?.cwd.clone();
        let flags: String = args.iter().filter(|arg| arg.starts_with('-')).flat_map(|arg| arg.chars().skip(1)).collect();
        let paths: Vec<String> = args.iter().filter(|arg| !arg.starts_with('-') || arg.len() == 1).cloned().collect();
        let full = |path: &str| absolute(&cwd, path);
        Some(match name {
            "ls" => self.ls(pid, &paths, &flags, &cwd),
            "touch" => self.each(pid, name, &paths, |kernel, path| match kernel.disk.get(&full(path)) {
                Some(_) => Ok(()),
                None => kernel.disk.write(&full(path), "", false),
            }),
            "mkdir" => self.each(pid, name, &paths, |kernel, path| kernel.disk.make_directory(&full(path), flags.contains('p'))),
            "rmdir" | "rm" | "unlink" => self.each(pid, name, &paths, |kernel, path| {
                let recursive = flags.contains(['r', 'R']) || name == "rmdir";
                match kernel.disk.remove(&full(path), recursive) {
                    Err(FileError::NotFound) if flags.contains('f') => Ok(()),
                    other => other,
                }
            }),
            "cp" | "mv" | "ln" => self.copy(pid, name, &paths, &cwd),
            "chmod" | "chown" => {
                let targets = paths.get(1..).unwrap_or(&[]).to_vec();
                self.each(pid, name, &targets, |kernel, path| kernel.disk.get(&full(path)).map(|_| ()).ok_or(FileError::NotFound))
            }
            "basename" => {
                let path = paths.first().map_or("", |p| p.trim_end_matches('/'));
                let base = path.rsplit('/').next().unwrap_or(path);
                let short = paths.get(1).and_then(|suffix| base.strip_suffix(suffix.as_str())).unwrap_or(base);
                self.say(pid, &format!("{short}\n"))
            }
            "dirname" => {
                let path = paths.first().map_or("", String::as_str);
                let text = path.rsplit_once('/').map_or(".", |(directory, _)| if directory.is_empty() { "/" } else { directory });
                self.say(pid, &format!("{text}\n"))
            }
            "pwd" => self.say(pid, &format!("{cwd}\n")),
            "realpath" | "readlink" => {
                let text = match paths.first() {
                    Some(path) if path.starts_with("/proc/") && path.ends_with("/ns/user") => {
                        format!("user:[{}]", if self.guest.facts.user_namespace { 4_026_532_590u32 } else { 4_026_531_837 })
                    }
                    path => path.map_or_else(String::new, |path| full(path)),
                };
                self.say(pid, &format!("{text}\n"))
            }
            "mktemp" => {
                let path = full(&format!("/tmp{}tmp.{:06}", '/', pid));
                let made = if flags.contains('d') { self.disk.make_directory(&path, true) } else { self.disk.write(&path, "", false) };
                match made {
                    Ok(()) => self.say(pid, &format!("{path}\n")),
                    Err(error) => self.complain(pid, &format!("mktemp: {}\n", error.text()), 1),
                }
            }
            "stat" => self.each(pid, name, &paths, |kernel, path| {
                let size = match kernel.disk.get(&full(path)).ok_or(FileError::NotFound)? {
                    Entry::File(_, size) => size,
                    Entry::Directory => 4096,
                };
                kernel.write(pid, Stream::Out, &format!("  File: {path}\n  Size: {size}\n"));
                Ok(())
            }),
            "dd" => self.dd(pid, args, &cwd),
            "fallocate" | "truncate" => self.allocate(pid, name, args, &cwd),
            "du" => {
                let path = paths.first().cloned().unwrap_or_else(|| ".".to_owned());
                let bytes = self.disk.usage(&full(&path));
                let shown = if flags.contains('h') {
                    format!("{}.{}M", bytes >> 20, (bytes >> 10) % 1024 * 10 / 1024)
                } else {
                    bytes.div_ceil(1024).to_string()
                };
                self.say(pid, &format!("{shown}\t{path}\n"))
            }
            "df" => self.df(pid),
            "find" => {
                let root = paths.first().cloned().unwrap_or_else(|| ".".to_owned());
                let wanted = args.iter().position(|arg| arg == "-name").and_then(|at| args.get(at + 1)).cloned();
                let mut found = Vec::new();
                self.walk(&full(&root), &root, &mut found, 0);
                found.retain(|path| {
                    wanted.as_ref().is_none_or(|name| crate::container::sh::matches(name, path.rsplit('/').next().unwrap_or(path)))
                });
                self.say(pid, &found.iter().map(|path| format!("{path}\n")).collect::<String>())
            }
            _ => return None,
        })
    }
    fn walk(&self, path: &str, shown: &str, found: &mut Vec<String>, depth: usize) {
        found.push(shown.to_owned());
        if depth > 20 || found.len() > 5_000 || !self.disk.is_directory(path) {
            return;
        }
        for name in self.disk.list(path).unwrap_or_default() {
            let inner = format!("{}/{name}", path.trim_end_matches('/'));
            self.walk(&inner, &format!("{}/{name}", shown.trim_end_matches('/')), found, depth + 1);
        }
    }
    fn each(
        &mut self,
        pid: u32,
        name: &str,
        paths: &[String],
        mut act: impl FnMut(&mut Self, &str) -> Result<(), FileError>,
    ) -> Option<i32> {
        let mut code = 0;
        for path in paths {
            if let Err(error) = act(self, path) {
                code = 1;
                let verb = match name {
                    "touch" => "",
                    "mkdir" => "can't create directory ",
                    "rm" | "rmdir" => "can't remove ",
                    _ => "can't stat ",
                };
                let shown = if verb.is_empty() { path.clone() } else { format!("{verb}'{path}'") };
                self.write(pid, Stream::Err, &format!("{name}: {shown}: {}\n", error.text()));
            }
        }
        Some(code)
    }
    fn ls(&mut self, pid: u32, paths: &[String], flags: &str, cwd: &str) -> Option<i32> {
        let here = [".".to_owned()];
        let (mut code, mut text) = (0, String::new());
        let paths = if paths.is_empty() { &here[..] } else { paths };
        let (several, mut more) = (paths.len() > 1, Vec::new());
        let mut paths = paths.to_vec();
        paths.reverse();
        while let Some(path) = paths.pop() {
            let full = absolute(cwd, &path);
            let names = match self.disk.get(&full) {
                None => {
                    code = 1;
                    self.write(pid, Stream::Err, &format!("ls: {path}: {}\n", FileError::NotFound.text()));
                    continue;
                }
                Some(Entry::File(..)) => vec![path.clone()],
                Some(Entry::Directory) => {
                    if several || flags.contains('R') {
                        text.push_str(&format!("{}{path}:\n", if text.is_empty() { "" } else { "\n" }));
                    }
                    let mut names = self.disk.list(&full).unwrap_or_default();
                    names.retain(|name| flags.contains(['a', 'A']) || !name.starts_with('.'));
                    if flags.contains('R') {
                        more.extend(names.iter().map(|name| format!("{}/{name}", path.trim_end_matches('/'))));
                        more.retain(|path| self.disk.is_directory(&absolute(cwd, path)));
                    }
                    if flags.contains('a') {
                        names.splice(0..0, [".".to_owned(), "..".to_owned()]);
                    }
                    names
                }
            };
            more.reverse();
            paths.append(&mut more);
            for name in names {
                let entry = self.disk.get(&absolute(&full, &name)).or_else(|| self.disk.get(&full));
                if flags.contains('l') {
                    let (owner, group, mode) = self.owner(&absolute(&full, &name));
                    let (kind, size) = if let Some(Entry::File(_, size)) = entry { ('-', size) } else { ('d', 4096) };
                    let mode = if kind == 'd' { mode } else { "rw-r--r--" };
                    let date = super::print::date(self.now, "%b %e %H:%M");
                    text.push_str(&format!("{kind}{mode}    1 {owner:<8} {group:<8} {size:>9} {date}  {name}\n"));
                } else {
                    text.push_str(&format!("{name}\n"));
                }
            }
        }
        self.write(pid, Stream::Out, &text);
        Some(code)
    }
    /// Returns the owner and the group of a file, and the permissions if it is a directory. A volume belongs to the pod's `fsGroup`, and what is in it to the user.
    fn owner(&self, path: &str) -> (String, String, &'static str) {
        let facts = &self.guest.facts;
        let named = |id: u32| if id == 0 { "root".to_owned() } else { id.to_string() };
        let mount = self
            .disk
            .mounts
            .iter()
            .find(|m| path.strip_prefix(m.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
        match mount {
            None if path.starts_with("/tmp") || path.starts_with("/home") => (named(facts.uid), named(facts.gid), "rwxr-xr-x"),
            None => (named(0), named(0), "rwxr-xr-x"),
            Some(mount) => {
                let owner = if mount.read_only || path == mount.path { 0 } else { facts.uid };
                let group = facts.fs_group.unwrap_or(if owner == 0 { 0 } else { facts.gid });
                (named(owner), named(group), if facts.fs_group.is_some() { "rwxrwsrwx" } else { "rwxrwxrwx" })
            }
        }
    }
    fn copy(&mut self, pid: u32, name: &str, paths: &[String], cwd: &str) -> Option<i32> {
        let Some((target, sources)) = paths.split_last().filter(|(_, sources)| !sources.is_empty()) else {
            return self.complain(pid, &format!("{name}: missing file operand\n"), 1);
        };
        let into = absolute(cwd, target);
        let into_directory = self.disk.is_directory(&into);
        let mut code = 0;
        for source in sources {
            let from = absolute(cwd, source);
            let base = from.rsplit('/').next().unwrap_or("");
            let to = if into_directory { format!("{}/{base}", into.trim_end_matches('/')) } else { into.clone() };
            let mut copies = vec![(from.clone(), to)];
            let mut result = Ok(());
            while let (Some((from, to)), Ok(())) = (copies.pop(), &result) {
                result = match self.disk.get(&from) {
                    None => Err(FileError::NotFound),
                    Some(Entry::File(text, size)) => self.disk.grow(&to, &text, size, false),
                    Some(Entry::Directory) => {
                        let names = self.disk.list(&from).unwrap_or_default();
                        if copies.len() < 5_000 && !to.starts_with(&format!("{from}/")) {
                            copies.extend(
                                names.iter().map(|name| (format!("{}/{name}", from.trim_end_matches('/')), format!("{to}/{name}"))),
                            );
                        }
                        self.disk.make_directory(&to, true)
                    }
                };
            }
            if name == "mv" && result.is_ok() {
                result = self.disk.remove(&from, true);
            }
            if let Err(error) = result {
                code = 1;
                self.write(pid, Stream::Err, &format!("{name}: can't stat '{source}': {}\n", error.text()));
            }
        }
        Some(code)
    }
    fn dd(&mut self, pid: u32, args: &[String], cwd: &str) -> Option<i32> {
        let value = |key: &str| args.iter().find_map(|arg| arg.strip_prefix(key)?.strip_prefix('='));
        let block = value("bs").and_then(bytes).unwrap_or(512);
        let count = value("count").and_then(bytes).unwrap_or(1 << 30);
        let size = block.saturating_mul(count).min(1 << 50);
        if let Some(path) = value("of") {
            if path == "/dev/null" {
                return Some(0);
            }
            let content = value("if").filter(|path| !path.starts_with("/dev/")).and_then(|path| self.disk.read(&absolute(cwd, path)).ok());
            let size = content.as_ref().map_or(size, |text| size.min(text.len() as u64));
            if let Err(error) = self.disk.grow(&absolute(cwd, path), content.as_deref().unwrap_or(""), size, false) {
                return self.complain(pid, &format!("dd: can't open '{path}': {}\n", error.text()), 1);
            }
        }
        self.complain(pid, &format!("{count}+0 records in\n{count}+0 records out\n"), 0)
    }
    fn allocate(&mut self, pid: u32, name: &str, args: &[String], cwd: &str) -> Option<i32> {
        let at = args.iter().position(|arg| arg == "-l" || arg == "-s" || arg == "--size");
        let size =
            at.and_then(|at| args.get(at + 1)).map(String::as_str).or_else(|| args.iter().find_map(|arg| arg.strip_prefix("--size=")));
        let (Some(size), Some(path)) = (size.and_then(bytes), args.last()) else {
            return self.complain(pid, &format!("{name}: you must specify the size\n"), 1);
        };
        match self.disk.grow(&absolute(cwd, path), "", size, false) {
            Ok(()) => Some(0),
            Err(error) => self.complain(pid, &format!("{name}: {path}: {}\n", error.text()), 1),
        }
    }
    fn df(&mut self, pid: u32) -> Option<i32> {
        let row = |name: &str, used: u64, path: &str| {
            let (total, used) = (100u64 << 20, used.div_ceil(1024));
            format!("{name:<20} {total:>10} {used:>9} {:>9} {:>3}% {path}\n", total.saturating_sub(used), used.min(total) * 100 / total)
        };
        let mut text = "Filesystem           1K-blocks      Used Available Use% Mounted on\n".to_owned();
        text.push_str(&row("overlay", self.disk.root.bytes(), "/"));
        for mount in self.disk.mounts.iter() {
            text.push_str(&row("/dev/vda1", self.disk.usage(&mount.path), &mount.path));
        }
        self.say(pid, &text)
    }
}

/// Parses a number of bytes with an optional unit, as `1M` or `10k`.
pub fn bytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim_end_matches(['B', 'i']).to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok().map(|n| n.saturating_mul(1 << shift))
}
