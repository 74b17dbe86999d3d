//! Base64, as Secrets and templates use it. Counterpart: Go's `encoding/base64`, `StdEncoding`, whose position of a mistake kubectl shows.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes as base64, with padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let mut text = String::new();
    for group in bytes.as_ref().chunks(3) {
        let number = (0..3).fold(0, |number, i| number << 8 | usize::from(group.get(i).copied().unwrap_or(0)));
        text.extend((0..4).map(|i| if i > group.len() { '=' } else { char::from(DIGITS[number >> (18 - 6 * i) & 63]) }));
    }
    text
}

/// Decodes base64 text, skipping line breaks and, as Go does, the unused bits of the last digit. The error is the byte offset that Go's `CorruptInputError`
/// reports.
pub fn decode(text: &str) -> Result<Vec<u8>, usize> {
    check(text)?;
    let (mut number, mut bits, mut bytes) = (0, 0, Vec::new());
    for digit in text.bytes().filter_map(|b| DIGITS.iter().position(|digit| *digit == b)) {
        number = (number << 6 | digit) & 0xfff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((number >> bits) as u8);
        }
    }
    Ok(bytes)
}

/// Encodes bytes in the alphabet for URLs, without padding.
pub fn encode_url(bytes: impl AsRef<[u8]>) -> String {
    encode(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// Decodes text in the alphabet for URLs as leniently as a browser's `atob`: with padding or without, whatever the unused bits of the last letter are.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let padding = &"==="[..(4 - digits.len() % 4) % 4];
    if digits.contains(['+', '/']) { None } else { decode(&(digits.replace('-', "+").replace('_', "/") + padding)).ok() }
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
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        assert_eq!(encode([0xfb, 0xff, 0xbf]), "+/+/");
        for coded in ["-_-_YQ", "-_-_YQ==", "-_-_YR"] {
            assert_eq!(decode_url(coded), Some(vec![0xfb, 0xff, 0xbf, b'a']));
        }
        assert_eq!(encode_url([0xfb, 0xff, 0xbf, b'a']), "-_-_YQ");
        assert_eq!(["+/+/", "YQYQY", "Y", "ä"].map(decode_url), [None, None, None, None]);
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
