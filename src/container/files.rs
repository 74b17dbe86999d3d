//! File systems: trees of files, and the mounts by which a container sees several of them as one. Counterpart: overlayfs and the kernel's mount table.
//!
//! Trees are persistent maps, so copies are pointer copies. A file is a text and a size: of a large file only the beginning is kept, so that writing a
//! gigabyte costs nothing. Simplifications: no permissions but the read-only flag and a simple rule for users other than root; a link is a copy.

use crate::api::order::Order;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// The number of bytes that are kept of a file; of the rest only the size is known.
const KEPT_BYTES: usize = 256 << 10;
/// The number of files and directories that a tree may have.
const MAX_ENTRIES: usize = 10_000;

/// An entry of a file tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A directory.
    Directory,
    /// A file: its content as far as it is kept, and its size in bytes.
    File(ArcStr, u64),
}

/// The reason why an operation on a file failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// There is no such file or directory.
    NotFound,
    /// The path is a directory.
    IsDirectory,
    /// A part of the path is no directory.
    NotDirectory,
    /// The path exists already.
    Exists,
    /// The directory is not empty.
    NotEmpty,
    /// The file system is mounted read-only.
    ReadOnly,
    /// The user has no permission.
    Denied,
    /// The tree has too many files.
    NoSpace,
}

impl FileError {
    /// Returns the message that the C library has for this error.
    pub fn text(self) -> &'static str {
        match self {
            FileError::NotFound => "No such file or directory",
            FileError::IsDirectory => "Is a directory",
            FileError::NotDirectory => "Not a directory",
            FileError::Exists => "File exists",
            FileError::NotEmpty => "Directory not empty",
            FileError::ReadOnly => "Read-only file system",
            FileError::Denied => "Permission denied",
            FileError::NoSpace => "No space left on device",
        }
    }
}

/// A tree of files, by absolute path. The root `/` is always there.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    entries: OrdMap<ArcStr, Entry>,
    bytes: u64,
}

impl Tree {
    /// Returns the entry at a path; `None` if there is none.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        if path == "/" { Some(&Entry::Directory) } else { self.entries.get(path) }
    }
    /// Returns the total size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// Puts a file at a path and creates its directories; replaces what was there before.
    pub fn put(&mut self, path: &str, text: &str) {
        self.put_sized(path, text, text.len() as u64);
    }
    fn put_sized(&mut self, path: &str, text: &str, size: u64) {
        self.put_directories(parent(path));
        let kept = start_of(text, KEPT_BYTES);
        let old = self.entries.insert(path.into(), Entry::File(kept.into(), size));
        self.bytes = self.bytes + size - size_of(old.as_ref()).min(self.bytes);
    }
    /// Creates a directory at a path, and all directories above it.
    pub fn put_directories(&mut self, path: &str) {
        let mut at = path;
        while at != "/" && !at.is_empty() && self.entries.get(at) != Some(&Entry::Directory) {
            self.entries.insert(at.into(), Entry::Directory);
            at = parent(at);
        }
    }
    /// Removes the entry at a path, and all entries below it.
    pub fn remove(&mut self, path: &str) {
        let below: Vec<ArcStr> = self.below(path).map(|(path, _)| path.clone()).collect();
        for path in below.iter().map(ArcStr::as_str).chain([path]) {
            let old = self.entries.remove(path);
            self.bytes -= size_of(old.as_ref()).min(self.bytes);
        }
    }
    /// Iterates over the entries below a path, with their paths.
    pub fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = (&'a ArcStr, &'a Entry)> {
        let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        self.entries.range(ArcStr::from(prefix.as_str())..).take_while(move |(path, _)| path.starts_with(&prefix))
    }
    fn is_full(&self) -> bool {
        self.entries.len() >= MAX_ENTRIES
    }
}

fn size_of(entry: Option<&Entry>) -> u64 {
    if let Some(Entry::File(_, size)) = entry { *size } else { 0 }
}

/// Returns the directory of a path.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => path.get(..at).unwrap_or("/"),
    }
}

fn start_of(text: &str, bytes: usize) -> &str {
    (0..=bytes.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or("")
}

/// The tree from which a mount comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A volume of the pod, by its index.
    Volume(usize),
    /// The node's own files.
    Host,
}

/// A tree, or a part of one, that is mounted at a path of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// The path of the mount in the container.
    pub path: ArcStr,
    /// The tree that the mount shows.
    pub source: Source,
    /// The path in the mounted tree that appears at the mount.
    pub inner: ArcStr,
    /// Set if the mount cannot be written.
    pub read_only: bool,
}

/// All files that one container sees: its own, and the files of its mounts.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// The container's own files.
    pub root: Tree,
    /// The volumes of the container's pod, each as a tree.
    pub volumes: Vec<Tree>,
    /// The node's own files.
    pub host: Tree,
    /// The mounts of the container.
    pub mounts: Arc<[Mount]>,
    /// Set if the container's own files cannot be written.
    pub read_only: bool,
    /// The uid of the user who reads and writes.
    pub uid: u32,
}

impl Disk {
    /// Returns the tree that holds a path of the container, and the path within that tree. The mount is `None` if the path is among the container's own files.
    fn resolve(&self, path: &str) -> (&Tree, String, Option<&Mount>) {
        let leads = |mount: &&Mount| path.strip_prefix(mount.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(mount) = self.mounts.iter().filter(leads).max_by_key(|mount| mount.path.len()) else {
            return (&self.root, path.to_owned(), None);
        };
        let rest = path.get(mount.path.len()..).unwrap_or("");
        let inner = format!("{}{rest}", mount.inner.trim_end_matches('/'));
        let inner = if inner.is_empty() { "/".to_owned() } else { inner };
        let tree = match mount.source {
            Source::Volume(n) => self.volumes.get(n).unwrap_or(&self.root),
            Source::Host => &self.host,
        };
        (tree, inner, Some(mount))
    }
    /// Returns the tree and the path in it for a write, or the reason why the path cannot be written.
    fn writable(&mut self, path: &str) -> Result<(&mut Tree, String), FileError> {
        let (_, inner, mount) = self.resolve(path);
        let source = mount.map(|mount| (mount.source, mount.read_only));
        match source {
            Some((_, true)) => return Err(FileError::ReadOnly),
            None if self.read_only => return Err(FileError::ReadOnly),
            None if self.uid != 0 && !FREE.iter().any(|free| path.starts_with(free)) => return Err(FileError::Denied),
            _ => {}
        }
        let tree = match source.map(|(source, _)| source) {
            Some(Source::Volume(n)) if n < self.volumes.len() => &mut self.volumes[n],
            Some(Source::Host) => &mut self.host,
            _ => &mut self.root,
        };
        Ok((tree, inner))
    }
    /// Returns the entry at a path of the container; `None` if there is none.
    pub fn get(&self, path: &str) -> Option<Entry> {
        let (tree, inner, mount) = self.resolve(path);
        let found = tree.get(&inner).cloned();
        let above =
            || self.mounts.iter().any(|mount| path == "/" || mount.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
        found.or_else(|| (mount.is_some_and(|mount| mount.path == path && mount.inner == "/") || above()).then_some(Entry::Directory))
    }
    /// Returns whether a path is a directory.
    pub fn is_directory(&self, path: &str) -> bool {
        self.get(path) == Some(Entry::Directory)
    }
    /// Returns the content of a file; of a large file only the beginning is kept and returned.
    pub fn read(&self, path: &str) -> Result<ArcStr, FileError> {
        match self.get(path) {
            Some(Entry::File(text, _)) => Ok(text),
            Some(Entry::Directory) => Err(FileError::IsDirectory),
            None => Err(FileError::NotFound),
        }
    }
    /// Writes a file, or with `append` adds `text` to the end of the file. The directory of the file must exist.
    pub fn write(&mut self, path: &str, text: &str, append: bool) -> Result<(), FileError> {
        self.grow(path, text, text.len() as u64, append)
    }
    /// Writes a file of `size` bytes that begins with `text`; the content of the other bytes is not kept. With `append`, adds these `size` bytes to the end of
    /// the file.
    pub fn grow(&mut self, path: &str, text: &str, size: u64, append: bool) -> Result<(), FileError> {
        let old = match self.get(path) {
            Some(Entry::Directory) => return Err(FileError::IsDirectory),
            Some(Entry::File(text, size)) => Some((text, size)),
            None => None,
        };
        if !self.is_directory(parent(path)) {
            let blocked = matches!(self.get(parent(path)), Some(Entry::File(..)));
            return Err(if blocked { FileError::NotDirectory } else { FileError::NotFound });
        }
        let (tree, inner) = self.writable(path)?;
        if old.is_none() && tree.is_full() {
            return Err(FileError::NoSpace);
        }
        match old.filter(|_| append) {
            Some((before, length)) if before.len() < KEPT_BYTES => {
                tree.put_sized(&inner, &format!("{before}{text}"), length.saturating_add(size))
            }
            Some((before, length)) => tree.put_sized(&inner, &before, length.saturating_add(size)),
            None => tree.put_sized(&inner, text, size),
        }
        Ok(())
    }
    /// Makes a directory. With `parents`, also makes the missing directories above it, and a directory that exists already is no error.
    pub fn make_directory(&mut self, path: &str, parents: bool) -> Result<(), FileError> {
        match self.get(path) {
            Some(Entry::Directory) if parents => return Ok(()),
            Some(_) => return Err(FileError::Exists),
            None => {}
        }
        if !parents && !self.is_directory(parent(path)) {
            return Err(FileError::NotFound);
        }
        let (tree, inner) = self.writable(path)?;
        if tree.is_full() {
            return Err(FileError::NoSpace);
        }
        tree.put_directories(&inner);
        Ok(())
    }
    /// Removes a file, or with `recursive` a directory and everything in it.
    pub fn remove(&mut self, path: &str, recursive: bool) -> Result<(), FileError> {
        match self.get(path) {
            None => return Err(FileError::NotFound),
            Some(Entry::Directory) if !recursive => return Err(FileError::IsDirectory),
            Some(_) => {}
        }
        if self.mounts.iter().any(|mount| mount.path == path) || path == "/" {
            return Err(FileError::Denied);
        }
        let (tree, inner) = self.writable(path)?;
        tree.remove(&inner);
        Ok(())
    }
    /// Returns the names in a directory in alphabetical order.
    pub fn list(&self, path: &str) -> Result<Vec<String>, FileError> {
        match self.get(path) {
            None => return Err(FileError::NotFound),
            Some(Entry::File(..)) => return Err(FileError::NotDirectory),
            Some(Entry::Directory) => {}
        }
        let (tree, inner, _) = self.resolve(path);
        let skip = if inner == "/" { 1 } else { inner.len() + 1 };
        let mut names: Vec<String> = Vec::new();
        for (path, _) in tree.below(&inner) {
            let name = path.get(skip..).unwrap_or("").split('/').next().unwrap_or("");
            if names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        let root = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        for mount in self.mounts.iter() {
            names.extend(mount.path.strip_prefix(&root).and_then(|rest| rest.split('/').next()).map(str::to_owned));
        }
        names.order();
        names.dedup();
        names.retain(|name| !name.is_empty());
        Ok(names)
    }
    /// Returns the total size of the files at and below a path, in bytes.
    pub fn usage(&self, path: &str) -> u64 {
        let (tree, inner, _) = self.resolve(path);
        size_of(tree.get(&inner)) + tree.below(&inner).map(|(_, entry)| size_of(Some(entry))).sum::<u64>()
    }
}

/// Directories in which every user may write.
const FREE: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/home", "/dev/termination-log"];

/// Resolves a path against a working directory: returns an absolute path without `.`, `..` and double slashes.
pub fn absolute(cwd: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { cwd };
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_sees_its_own_files_and_those_that_are_mounted() {
        let mut disk = Disk { volumes: vec![Tree::default()], ..Disk::default() };
        disk.mounts = [Mount { path: "/data".into(), source: Source::Volume(0), inner: "/".into(), read_only: false }].into();
        disk.root.put("/etc/motd", "hello\n");
        assert_eq!(disk.write("/data/a", "one\n", false), Ok(()));
        assert_eq!(disk.write("/data/a", "two\n", true), Ok(()));
        assert_eq!(disk.read("/data/a").as_deref(), Ok("one\ntwo\n"));
        assert_eq!(disk.volumes[0].bytes(), 8);
        assert_eq!(disk.list("/"), Ok(vec!["data".to_owned(), "etc".to_owned()]));
        assert_eq!(disk.write("/no/such", "x", false), Err(FileError::NotFound));
        disk.read_only = true;
        assert_eq!(disk.write("/etc/new", "x", false), Err(FileError::ReadOnly));
        assert_eq!(disk.write("/data/b", "x", false), Ok(()));
        assert_eq!(disk.remove("/data/a", false), Ok(()));
        assert_eq!(disk.list("/data"), Ok(vec!["b".to_owned()]));
    }

    #[test]
    fn large_files_count_by_their_size() {
        let mut disk = Disk::default();
        assert_eq!(disk.grow("/big", "", 5 << 30, false), Ok(()));
        assert_eq!(disk.root.bytes(), 5 << 30);
        assert_eq!(disk.remove("/big", false), Ok(()));
        assert_eq!(disk.root.bytes(), 0);
    }

    #[test]
    fn paths_are_made_absolute() {
        assert_eq!(absolute("/a/b", "../c/./d"), "/a/c/d");
        assert_eq!(absolute("/a", "/x//y/"), "/x/y");
        assert_eq!(absolute("/", "../.."), "/");
    }
}
