//! Seeded streams of random integers, the only source of randomness. A stream is part of the state, so the same run can be computed again.
//!
//! The crate `rand` is not used here: share links and recorded traces depend on every number, so a stream must be the same in each version of the page,
//! and `rand` does not promise that.

use arcstr::ArcStr;

/// A stream of random numbers (splitmix64: one addition and a mix per number, good enough for jitter and names).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng(u64);

/// The characters of generated name suffixes: no vowels and nothing easily confused, so that no words appear.
pub const NAME_CHARACTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

impl Rng {
    /// Creates the stream of a seed for a purpose; streams for different purposes are unrelated.
    pub fn new(seed: u64, purpose: u64) -> Rng {
        let mut rng = Rng(seed ^ purpose.wrapping_mul(0xd6e8_feb8_6659_fd93));
        rng.draw();
        rng
    }
    /// Returns the next random number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    /// Returns a random number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(n)) >> 64) as u64
    }
    /// Returns a random name suffix of five characters.
    pub fn suffix(&mut self) -> [u8; 5] {
        let mut x = self.draw();
        std::array::from_fn(|_| {
            let c = NAME_CHARACTERS[(x % 27) as usize];
            x /= 27;
            c
        })
    }
    /// Returns a generated name: the base, cut to 58 bytes, and a random suffix.
    pub fn name(&mut self, base: &str) -> ArcStr {
        let mut end = base.len().min(58);
        while !base.is_char_boundary(end) {
            end -= 1;
        }
        let mut name = String::new();
        name.push_str(&base[..end]);
        for b in self.suffix() {
            name.push(b as char);
        }
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_repeats_and_streams_differ() {
        let (mut a, mut b, mut c) = (Rng::new(7, 1), Rng::new(7, 1), Rng::new(7, 2));
        let first: Vec<_> = (0..4).map(|_| a.draw()).collect();
        assert_eq!(first, (0..4).map(|_| b.draw()).collect::<Vec<_>>());
        assert_ne!(first, (0..4).map(|_| c.draw()).collect::<Vec<_>>());
        assert!((0..1000).all(|_| a.below(10) < 10));
        assert_eq!(a.name("web-").len(), 9);
    }
}
