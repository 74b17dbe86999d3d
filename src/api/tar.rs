//! Archives of text files, as `kubectl cp` sends them through `tar` in a container. Format: POSIX ustar.
//!
//! Left out: links, owners, times, and files that are not text.

const BLOCK: usize = 512;

/// A file of an archive: its path and its text. A directory has `None` as its text.
pub type Entry = (String, Option<String>);

/// Returns an archive of files and directories.
pub fn pack(entries: &[Entry]) -> String {
    let mut archive = String::new();
    for (path, text) in entries {
        let text_len = text.as_ref().map_or(0, String::len);
        let (kind, mode) = if text.is_some() { ('0', "0000644") } else { ('5', "0000755") };
        let (prefix, name) = split(path);
        let head = |sum: &str| {
            format!(
                "{name:\0<100}{mode}\0{id}\0{id}\0{text_len:011o}\0{:011o}\0{sum:\0<8}{kind}{:\0<100}ustar\0{}{:\0<64}{:\0<16}{prefix:\0<155}",
                0,
                "",
                "00",
                "",
                "",
                id = "0000000",
            )
        };
        let sum: u32 = head("        ").bytes().map(u32::from).sum();
        let head = head(&format!("{sum:06o}\0 "));
        archive.push_str(&head);
        pad(&mut archive);
        archive.push_str(text.as_deref().unwrap_or(""));
        pad(&mut archive);
    }
    archive.push_str(&"\0".repeat(2 * BLOCK));
    archive
}

fn pad(archive: &mut String) {
    let missing = (BLOCK - archive.len() % BLOCK) % BLOCK;
    archive.push_str(&"\0".repeat(missing));
}

/// Splits a path of more than 100 bytes at a slash, into the format's fields `prefix` and `name`.
fn split(path: &str) -> (&str, &str) {
    if path.len() <= 100 {
        return ("", path);
    }
    let at = path.match_indices('/').map(|(at, _)| at).find(|at| path.len() - at - 1 <= 100).unwrap_or(0);
    (path.get(..at).unwrap_or(""), path.get(at + 1..).unwrap_or(path))
}

/// Returns the files of an archive; `None` if the text is not a valid archive.
pub fn unpack(archive: &str) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut at = 0;
    loop {
        let field = |from: usize, len: usize| archive.get(at + from..at + from + len).map(|text| text.trim_end_matches('\0'));
        let name = field(0, 100).unwrap_or("");
        if name.is_empty() {
            return Some(entries);
        }
        if field(257, 5)? != "ustar" {
            return None;
        }
        let size = usize::from_str_radix(field(124, 12)?.trim(), 8).ok()?;
        let prefix = field(345, 155)?;
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        let is_folder = field(156, 1)? == "5";
        at += BLOCK;
        let text = archive.get(at..at.checked_add(size)?)?.to_owned();
        entries.push((path, (!is_folder).then_some(text)));
        at += size.div_ceil(BLOCK) * BLOCK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let long = format!("{}/{}", "d".repeat(90), "f".repeat(60));
        let entries = vec![("a/".to_owned(), None), ("a/b.txt".to_owned(), Some("hello\n".repeat(200))), (long, Some("ü".to_owned()))];
        assert_eq!(unpack(&pack(&entries)), Some(entries));
        assert_eq!(unpack("no archive, only some text of a log that goes on and on".repeat(20).as_str()), None);
        assert_eq!(unpack(""), Some(Vec::new()));
    }
}
