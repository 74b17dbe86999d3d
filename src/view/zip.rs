//! Writes zip files: deflated members, names in UTF-8, one fixed date, so that the same content gives the same bytes. Simplified: no zip64, so at most
//! 65,535 members and 4 GB.

use miniz_oxide::deflate::compress_to_vec;

/// A member of a zip file: a file with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The path of the member, with `/` between folders.
    pub path: String,
    /// The content of the member.
    pub text: String,
    /// Set if the member may be executed.
    pub executable: bool,
}

/// The date of every member: the first of January 1980, the first day of zip's calendar.
const DATE: u16 = 0x21;
/// The version of the zip format: 2.0, which has deflation.
const VERSION: u16 = 20;
/// The system on which the file was made: Unix, so that the attributes are a file's mode.
const MADE_BY: u16 = 3 << 8 | VERSION;
/// The flags of every member: its name is UTF-8.
const FLAGS: u16 = 1 << 11;
const DEFLATED: u16 = 8;
const LEVEL: u8 = 6;

/// Packs members into a zip file.
pub fn zip(members: &[Member]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let offset = out.len() as u32;
        let packed = compress_to_vec(member.text.as_bytes(), LEVEL);
        let mut shared = Vec::new();
        for number in [VERSION, FLAGS, DEFLATED, 0, DATE] {
            shared.extend(number.to_le_bytes());
        }
        for number in [crc32(member.text.as_bytes()), packed.len() as u32, member.text.len() as u32] {
            shared.extend(number.to_le_bytes());
        }
        shared.extend((member.path.len() as u16).to_le_bytes());
        shared.extend([0, 0]);

        out.extend(b"PK\x03\x04");
        out.extend(&shared);
        out.extend(member.path.as_bytes());
        out.extend(packed);

        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(shared);
        // The length of the comment, the disk number and the internal attributes are all zero.
        directory.extend([0; 6]);
        let mode: u32 = if member.executable { 0o100_755 } else { 0o100_644 };
        directory.extend((mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(member.path.as_bytes());
    }
    let (count, start) = (members.len() as u16, out.len() as u32);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// Returns the CRC-32 checksum, which zip uses. Computes it bit by bit: a lookup table would be larger than the small folders that the page packs.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec;

    #[test]
    fn the_checksum_is_that_of_everybody() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn members_are_found_by_the_directory_at_the_end() {
        let text = "kind: Pod\n".repeat(100);
        let members = [("a/b.yaml", text.as_str(), false), ("run.sh", "#!/bin/sh\n", true)];
        let members = members.map(|(path, text, executable)| Member { path: path.into(), text: text.into(), executable });
        let file = zip(&members);
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let end = file.len() - 22;
        assert_eq!(&file[end..end + 4], b"PK\x05\x06");
        let mut entry = number(end + 16);
        assert_eq!(entry + number(end + 12), end);
        for member in &members {
            assert_eq!(&file[entry..entry + 4], b"PK\x01\x02");
            let (packed, length, start) = (number(entry + 20), number(entry + 24), number(entry + 42));
            assert_eq!((length, file[entry + 28] as usize), (member.text.len(), member.path.len()));
            assert_eq!(number(entry + 38) >> 16 & 0o111 != 0, member.executable);
            let content = start + 30 + member.path.len();
            assert_eq!(decompress_to_vec(&file[content..content + packed]).unwrap(), member.text.as_bytes());
            entry += 46 + member.path.len();
        }
        assert_eq!(entry, end);
    }
}
