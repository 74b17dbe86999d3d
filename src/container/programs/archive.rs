//! `tar`, as far as `kubectl cp` and scripts need it: makes and unpacks archives of text files.

use super::Native;
use crate::api::tar;
use crate::container::files::{Entry, absolute};
use crate::container::guest::{Input, Kernel};
use crate::container::process::Stream;

impl Kernel<'_> {
    /// Starts `tar`. Returns its exit code, or `None` if it has to wait for input.
    pub(super) fn tar(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        let Some(order) = Order::read(args) else {
            return self.complain(pid, "tar: need at least one of -c, -t, -x\n", 1);
        };
        if order.action == 'c' {
            return self.make_archive(pid, &order);
        }
        if order.file == "-" {
            return self.keep(pid, Native::Archive(String::new()));
        }
        let cwd = self.guest.process(pid)?.cwd.clone();
        match self.disk.read(&absolute(&cwd, &order.file)) {
            Ok(text) => self.unpack(pid, &order, &text),
            Err(error) => self.complain(pid, &format!("tar: can't open '{}': {}\n", order.file, error.text()), 1),
        }
    }
    /// Reads more of an archive from the standard input, and unpacks it at the end of the input.
    pub(super) fn read_archive(&mut self, pid: u32, text: String) -> Option<i32> {
        match self.read(pid, false) {
            Input::Text(more) => self.keep(pid, Native::Archive(text + &more)),
            Input::Later => self.block_on_input(pid, Native::Archive(text)),
            Input::End => {
                let args: Vec<String> = self.guest.process(pid)?.argv.iter().skip(1).cloned().collect();
                let order = Order::read(&args)?;
                self.unpack(pid, &order, &text)
            }
        }
    }
    fn make_archive(&mut self, pid: u32, order: &Order) -> Option<i32> {
        let cwd = self.guest.process(pid)?.cwd.clone();
        let base = absolute(&cwd, &order.folder);
        let (mut entries, mut code) = (Vec::new(), 0);
        for path in &order.paths {
            let full = absolute(&base, path);
            match self.disk.get(&full) {
                Some(_) => self.collect_files(&full, path.trim_start_matches('/'), &mut entries),
                None => {
                    self.write(pid, Stream::Err, &format!("tar: {path}: No such file or directory\n"));
                    code = 1;
                }
            }
        }
        let archive = tar::pack(&entries);
        if order.file == "-" {
            self.write(pid, Stream::Out, &archive);
        } else if let Err(error) = self.disk.write(&absolute(&cwd, &order.file), &archive, false) {
            return self.complain(pid, &format!("tar: can't open '{}': {}\n", order.file, error.text()), 1);
        }
        if code != 0 {
            self.write(pid, Stream::Err, "tar: error exit delayed from previous errors\n");
        }
        Some(code)
    }
    fn collect_files(&self, full: &str, name: &str, entries: &mut Vec<tar::Entry>) {
        match self.disk.get(full) {
            Some(Entry::File(text, _)) => entries.push((name.to_owned(), Some(text.to_string()))),
            Some(Entry::Directory) => {
                entries.push((format!("{}/", name.trim_end_matches('/')), None));
                for child in self.disk.list(full).unwrap_or_default() {
                    let child = child.trim_end_matches('/');
                    self.collect_files(&absolute(full, child), &format!("{}/{child}", name.trim_end_matches('/')), entries);
                }
            }
            None => {}
        }
    }
    fn unpack(&mut self, pid: u32, order: &Order, text: &str) -> Option<i32> {
        let Some(entries) = tar::unpack(text) else { return self.complain(pid, "tar: invalid tar magic\n", 1) };
        let cwd = self.guest.process(pid)?.cwd.clone();
        let base = absolute(&cwd, &order.folder);
        if order.action == 'x' && !self.disk.is_directory(&base) {
            return self.complain(pid, &format!("tar: can't change directory to '{}': No such file or directory\n", order.folder), 1);
        }
        for (path, content) in entries {
            if order.action == 't' {
                self.write(pid, Stream::Out, &format!("{path}\n"));
                continue;
            }
            let full = absolute(&base, path.trim_start_matches('/'));
            let folder = crate::container::files::parent(&full).to_owned();
            let done = match &content {
                None => self.disk.make_directory(&full, true),
                Some(text) => self.disk.make_directory(&folder, true).and_then(|()| self.disk.write(&full, text, false)),
            };
            if let Err(error) = done {
                return self.complain(pid, &format!("tar: can't open '{path}': {}\n", error.text()), 1);
            }
        }
        Some(0)
    }
}

/// The parsed command line of `tar`.
struct Order {
    /// The action to carry out: `c` (create), `x` (extract) or `t` (list).
    action: char,
    file: String,
    folder: String,
    paths: Vec<String>,
}

impl Order {
    fn read(args: &[String]) -> Option<Order> {
        let mut order = Order { action: ' ', file: "-".to_owned(), folder: ".".to_owned(), paths: Vec::new() };
        let mut rest = args.iter().enumerate();
        while let Some((n, arg)) = rest.next() {
            let flags = match arg.strip_prefix('-') {
                Some("") => None,
                Some(flags) => Some(flags),
                None if n == 0 => Some(arg.as_str()),
                None => None,
            };
            let Some(flags) = flags else {
                order.paths.push(arg.clone());
                continue;
            };
            for flag in flags.chars() {
                match flag {
                    'c' | 'x' | 't' => order.action = flag,
                    'f' => order.file = rest.next()?.1.clone(),
                    'C' => order.folder = rest.next()?.1.clone(),
                    _ => {}
                }
            }
        }
        (order.action != ' ').then_some(order)
    }
}
