//! The hash FNV-1a: quick for short texts, and the same on every machine.

/// The hash of no bytes, from which [`add`] starts.
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds bytes to a hash and returns the new hash. Callers add the parts of a text one after the other: one call with chained iterators would cost several
/// function calls for each byte where code is optimised for size.
pub fn add(mut hash: u64, bytes: &[u8]) -> u64 {
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash
}

/// Returns the hash of a string.
pub fn of(text: &str) -> u64 {
    add(EMPTY, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_reference() {
        assert_eq!(of("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of("foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(add(of("foo"), b"bar"), of("foobar"));
    }
}
