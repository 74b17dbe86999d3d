//! The share state as the end of a link: `#s=` and base64url of the deflated JSON. Links that earlier versions of the page made with the browser's
//! `CompressionStream("deflate-raw")` have the same form.

use super::LONGEST;
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// The text in a link after which the packed share state follows.
pub const PREFIX: &str = "#s=";
/// The compression level: zlib's default.
const LEVEL: u8 = 6;

const DAMAGED: &str = "it is damaged or cut off";
const TOO_LONG: &str = "it is longer than 1 MB when it is unpacked";

/// Decodes base64url as leniently as a browser's `atob`: with padding or without, whatever the unused bits of the last letter are.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

/// Packs a text into the part of a link after [`PREFIX`].
pub fn pack(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(compress_to_vec(text.as_bytes(), LEVEL))
}

/// Unpacks the part of a link after [`PREFIX`], to at most [`LONGEST`] bytes. The error is the reason why it cannot be unpacked.
pub fn unpack(payload: &str) -> Result<String, &'static str> {
    let packed = LENIENT.decode(payload).map_err(|_| DAMAGED)?;
    let bytes = decompress_to_vec_with_limit(&packed, LONGEST)
        .map_err(|error| if error.status == TINFLStatus::HasMoreOutput { TOO_LONG } else { DAMAGED })?;
    String::from_utf8(bytes).map_err(|_| DAMAGED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_survives_its_way_through_a_link() {
        let long = r#"{"at":12345,"do":{"apply":"x"}},"#.repeat(20_000);
        for text in ["", "a", "{\"v\":1}", "ü€😀\u{2028}\0", &long] {
            let payload = pack(text);
            assert!(payload.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            assert_eq!(unpack(&payload).as_deref(), Ok(text));
        }
        assert!(pack(&long).len() < long.len() / 50);
    }

    #[test]
    fn a_damaged_link_is_called_so() {
        let payload = pack(&r#"{"v":1,"commands":[]}"#.repeat(30));
        for cut in 0..payload.len() {
            assert_eq!(unpack(&payload[..cut]), Err(DAMAGED), "cut after {cut}");
        }
        for bad in ["", "?", "ä", "%7B", "a b", "AAAA", "____", "eyJ2IjoxfQ"] {
            assert_eq!(unpack(bad), Err(DAMAGED), "{bad}");
        }
        let not_utf8 = URL_SAFE_NO_PAD.encode(compress_to_vec(&[0xff, 0xfe], LEVEL));
        assert_eq!(unpack(&not_utf8), Err(DAMAGED));
    }

    #[test]
    fn a_link_that_unpacks_to_more_than_a_megabyte_is_refused() {
        assert_eq!(unpack(&pack(&"x".repeat(LONGEST))).map(|text| text.len()), Ok(LONGEST));
        assert_eq!(unpack(&pack(&"x".repeat(LONGEST + 1))), Err(TOO_LONG));
        assert_eq!(unpack(&pack(&"x".repeat(100 * LONGEST))), Err(TOO_LONG));
    }
}
