//! Base64, as Secrets and templates use it. Counterpart: Go's `encoding/base64`, `StdEncoding`.
//!
//! The `base64` crate encodes and decodes. This file finds the position of a mistake, because Go counts it in its own way and kubectl shows the number.

use ::base64::Engine;
use ::base64::alphabet::STANDARD as DIGITS;
use ::base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

/// A decoder that ignores the unused bits of the last digit, as Go does.
const DECODER: GeneralPurpose = GeneralPurpose::new(&DIGITS, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Encodes bytes as base64, with padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    STANDARD.encode(bytes)
}

/// Decodes base64 text, skipping line breaks. The error is the byte offset that Go's `CorruptInputError` reports.
pub fn decode(text: &str) -> Result<Vec<u8>, usize> {
    check(text)?;
    let digits: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    DECODER.decode(digits).map_err(|_| text.len())
}

/// Checks that `text` is valid base64. The error is the byte offset that Go's `CorruptInputError` reports.
pub fn check(text: &str) -> Result<(), usize> {
    let bytes: Vec<(usize, u8)> = text.bytes().enumerate().filter(|(_, b)| !matches!(b, b'\r' | b'\n')).collect();
    let mut i = 0;
    while i < bytes.len() {
        for j in 0..4 {
            let Some(&(at, b)) = bytes.get(i + j) else {
                return Err(text.len() - j);
            };
            if b.is_ascii_alphanumeric() || b == b'+' || b == b'/' {
                continue;
            }
            if b != b'=' || j < 2 {
                return Err(at);
            }
            if j == 2 {
                match bytes.get(i + 3) {
                    None => return Err(text.len()),
                    Some((_, b'=')) => {}
                    Some((at, _)) => return Err(at - 1),
                }
            }
            return bytes.get(i + 4).map_or(Ok(()), |(at, _)| Err(*at));
        }
        i += 4;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_there_and_back() {
        for (plain, coded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("hunter2", "aHVudGVyMg==")] {
            assert_eq!(encode(plain), coded);
            assert_eq!(decode(coded), Ok(plain.as_bytes().to_vec()));
        }
        assert_eq!(decode("aHVu\r\ndGVy\nMh=="), Ok(b"hunter2".to_vec()));
    }

    #[test]
    fn mistakes_are_where_go_finds_them() {
        for (text, at) in [("not base64!", 3), ("abc", 0), ("YWJjZA", 4), ("YW=j", 2), ("YWJjZA=", 7), ("YQ==x", 4)] {
            assert_eq!(decode(text), Err(at), "{text}");
        }
        for text in ["", "YQ==", "YWI=", "YWJj\n"] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }
}
