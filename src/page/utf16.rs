//! Positions in a text: browsers count UTF-16 units, Rust counts bytes.

/// Converts a position in UTF-16 units to a byte offset.
pub fn byte_of(text: &str, units: usize) -> usize {
    let mut left = units;
    let place = text.char_indices().find(|(_, c)| {
        let is_found = left == 0;
        left = left.saturating_sub(c.len_utf16());
        is_found
    });
    place.map_or(text.len(), |(at, _)| at)
}

/// Converts a byte offset to a position in UTF-16 units.
pub fn units_of(text: &str, at: usize) -> usize {
    text.char_indices().take_while(|(i, _)| *i < at).map(|(_, c)| c.len_utf16()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_the_same_in_both_counts() {
        let text = "a: é𝄞b";
        for (units, byte) in [(0, 0), (3, 3), (4, 5), (6, 9), (7, 10), (99, 10)] {
            assert_eq!(byte_of(text, units), byte);
            assert_eq!(units_of(text, byte), units.min(7));
        }
    }
}
