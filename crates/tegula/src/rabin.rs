//! Rabin fingerprints with a sliding window (Rabin 1981; Kupietz 2005 §2.5).
//!
//! A shingle is spelled in an alphabet of 28 symbols: the letters A–Z, the number sign and the word boundary, which ends each token. The
//! paper mentions 4-bit characters; 28 symbols need 5 bits. The spelling, read as a polynomial over GF(2), is reduced by an irreducible
//! polynomial of degree 64. The fingerprint of the next shingle follows from the previous one by removing the token that leaves the window
//! and appending the one that enters it. Finally it is reduced modulo a prime, which the paper chose by the available memory: the smaller
//! the prime, the more shingles collide, so that resemblances of fingerprints are upper bounds to be validated.

use crate::error::{Error, Result};
use crate::text::normalise::{NUMBER_TOKEN, Normalisation};

/// The polynomial, without its leading term x⁶⁴: the first irreducible one at or after the first 64
/// bits of the fraction of π.
const POLYNOMIAL: u64 = 0x243F_6A88_85A3_0907;
/// Bits of a symbol.
const WIDTH: u32 = 5;
/// Letters are 1 to 26: a polynomial would not notice leading zeros.
const NUMBER: u8 = 27;
const BOUNDARY: u8 = 28;
/// Any symbol outside the alphabet; [`Rabin::check`] ensures that there is none.
const STRANGER: u8 = 29;

/// Computes Rabin fingerprints of shingles.
#[derive(Debug, Clone)]
pub struct Rabin {
    modulus: Option<u64>,
    /// The remainders of `top`·x⁶⁴, by the five bits that a shift moves out.
    remainders: [u64; 1 << WIDTH],
}

impl Rabin {
    /// Fingerprints reduced by the prime `modulus`, or all 64 bits without one.
    ///
    /// # Errors
    /// A usage error if the modulus is not a prime.
    pub fn new(modulus: Option<u64>) -> Result<Self> {
        if let Some(modulus) = modulus.filter(|&modulus| !is_prime(modulus)) {
            let error = Error::of("modulus").problem(format!("{modulus} is not a prime"));
            return Err(match next_prime(modulus) {
                Some(prime) => error.hint(format!("the next prime is {prime}")),
                None => error,
            });
        }
        let mut remainders = [0; 1 << WIDTH];
        for (top, remainder) in (0..).zip(&mut remainders) {
            *remainder = reduced(top);
        }
        Ok(Self {
            modulus,
            remainders,
        })
    }

    /// Refuses steps that yield tokens outside the alphabet.
    ///
    /// # Errors
    /// A usage error that names the normalisation.
    pub fn check(steps: &Normalisation) -> Result<()> {
        if steps.has_kupietz_alphabet() {
            return Ok(());
        }
        let name = steps.preset_name().unwrap_or("the one given");
        Err(Error::of("fingerprint")
            .problem(format!("`rabin` needs tokens of the letters A-Z and the number sign, which the normalisation `{name}` does not yield"))
        .hint("use ⟨normalize=kupietz⟩, or another fingerprint"))
    }

    /// The prime by which fingerprints are reduced.
    pub fn modulus(&self) -> Option<u64> {
        self.modulus
    }

    /// Appends the fingerprint of each shingle of `n` tokens to `out`, in order; equal shingles
    /// have equal fingerprints. Fewer than `n` tokens form one shingle, which never equals a longer
    /// one; no tokens, no shingle.
    pub fn shingles<'a>(
        &self,
        tokens: impl IntoIterator<Item = &'a str>,
        n: usize,
        out: &mut Vec<u64>,
    ) {
        let n = n.max(1);
        let mut symbols = Vec::new();
        let mut ends = Vec::new();
        for token in tokens {
            spell(token, &mut symbols);
            ends.push(symbols.len());
        }
        let mut powers = Powers(vec![1]);
        let mut window = 0;
        let (mut first, mut last) = (0, 0); // the symbols in the window
        for (at, &end) in ends.iter().enumerate() {
            if let Some(&leaving) = at.checked_sub(n).and_then(|token| ends.get(token)) {
                for &symbol in &symbols[first..leaving] {
                    first += 1;
                    window ^= self.times(powers.get(self, last - first), symbol);
                }
            }
            for &symbol in &symbols[last..end] {
                window = self.append(window, symbol);
            }
            last = end;
            if at + 1 >= n {
                out.push(self.shorten(window));
            }
        }
        if !ends.is_empty() && ends.len() < n {
            out.push(self.shorten(window));
        }
    }

    /// The fingerprint of one shingle, from scratch.
    pub fn fingerprint<'a>(&self, shingle: impl IntoIterator<Item = &'a str>) -> u64 {
        let mut symbols = Vec::new();
        for token in shingle {
            spell(token, &mut symbols);
        }
        let append = |print, &symbol| self.append(print, symbol);
        self.shorten(symbols.iter().fold(0, append))
    }

    /// The remainder of `print`·x⁵ + `symbol`.
    #[inline]
    fn append(&self, print: u64, symbol: u8) -> u64 {
        let top = (print >> (u64::BITS - WIDTH)) as usize;
        (print << WIDTH) ^ u64::from(symbol) ^ self.remainders[top]
    }

    /// The remainder of `power`·`symbol`.
    #[inline]
    fn times(&self, power: u64, symbol: u8) -> u64 {
        let mut product = 0;
        for bit in 0..WIDTH {
            if symbol >> bit & 1 == 1 {
                product ^= u128::from(power) << bit;
            }
        }
        let top = (product >> u64::BITS) as usize;
        product as u64 ^ self.remainders[top]
    }

    fn shorten(&self, print: u64) -> u64 {
        self.modulus.map_or(print, |modulus| print % modulus)
    }
}

/// The remainders of x⁰, x⁵, x¹⁰ …, as far as needed so far.
struct Powers(Vec<u64>);

impl Powers {
    fn get(&mut self, rabin: &Rabin, exponent: usize) -> u64 {
        while self.0.len() <= exponent {
            let last = self.0.last().copied().unwrap_or(1);
            self.0.push(rabin.append(last, 0));
        }
        self.0[exponent]
    }
}

/// Appends the symbols of a token and its boundary.
fn spell(token: &str, symbols: &mut Vec<u8>) {
    if token == NUMBER_TOKEN {
        symbols.push(NUMBER);
    } else {
        symbols.extend(token.bytes().map(|byte| match byte {
            b'A'..=b'Z' => byte - b'A' + 1,
            _ => STRANGER,
        }));
    }
    symbols.push(BOUNDARY);
}

/// The remainder of `top`·x⁶⁴, for a `top` of degree below 64.
fn reduced(top: u64) -> u64 {
    let mut rest = u128::from(top) << u64::BITS;
    for bit in (u64::BITS..u128::BITS).rev() {
        if rest >> bit & 1 == 1 {
            rest ^= (1 << u64::BITS | u128::from(POLYNOMIAL)) << (bit - u64::BITS);
        }
    }
    rest as u64
}

/// Whether a number is prime: the Miller–Rabin test, with bases that make it exact below 2⁶⁴.
fn is_prime(number: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if number < 2 {
        return false;
    }
    if let Some(base) = BASES.iter().find(|&base| number.is_multiple_of(*base)) {
        return number == *base;
    }
    let twos = (number - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut power = power_mod(base, (number - 1) >> twos, number);
        if power == 1 || power == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            power = times_mod(power, power, number);
            power == number - 1
        })
    })
}

/// The first prime above `number`, if it has 64 bits.
fn next_prime(number: u64) -> Option<u64> {
    (number.checked_add(1)?..=u64::MAX).find(|&next| is_prime(next))
}

fn power_mod(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut power = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = times_mod(power, base, modulus);
        }
        base = times_mod(base, base, modulus);
        exponent >>= 1;
    }
    power
}

fn times_mod(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The product of two remainders, bit by bit.
    fn product(a: u64, b: u64) -> u64 {
        let mut out = 0;
        for bit in (0..64).rev() {
            let carry = out >> 63;
            out = (out << 1) ^ (carry * POLYNOMIAL);
            out ^= (b >> bit & 1) * a;
        }
        out
    }

    /// The degree of the greatest common divisor of x⁶⁴ + POLYNOMIAL and `b`.
    fn degree_of_common_divisor(b: u64) -> u32 {
        let degree = |a: u128| a.checked_ilog2().unwrap_or(0);
        let (mut a, mut b) = (1 << 64 | u128::from(POLYNOMIAL), u128::from(b));
        while b != 0 {
            while a != 0 && degree(a) >= degree(b) {
                a ^= b << (degree(a) - degree(b));
            }
            (a, b) = (b, a);
        }
        degree(a)
    }

    /// Rabin's test: p of degree 64 is irreducible if it divides x^(2^64) - x and has no factor in
    /// common with x^(2^32) - x.
    #[test]
    fn the_polynomial_is_irreducible() {
        let x = 2;
        let mut power = x;
        for step in 1..=64 {
            power = product(power, power);
            if step == 32 {
                assert_eq!(degree_of_common_divisor(power ^ x), 0);
            }
        }
        assert_eq!(power, x);
    }

    #[test]
    fn a_fingerprint_is_the_remainder_of_the_spelling() {
        let rabin = Rabin::new(None).unwrap();
        // A, boundary, number, boundary: 1, 28, 27, 28 in five bits each
        assert_eq!(rabin.fingerprint(["A", "#"]), 0b00001_11100_11011_11100);
        let long = ["DIETER", "RULFF", "FREIER", "JOURNALIST", "BERLIN"];
        let mut expected = 0;
        for letter in long.join("~").bytes().chain([b'~']) {
            let symbol = if letter == b'~' {
                28
            } else {
                letter - b'A' + 1
            };
            expected = product(expected, 32) ^ u64::from(symbol);
        }
        assert_eq!(rabin.fingerprint(long), expected);
        let prime = 1_000_003;
        let short = Rabin::new(Some(prime)).unwrap();
        assert_eq!(short.fingerprint(long), expected % prime);
    }

    #[test]
    fn short_texts_are_one_shingle() {
        let rabin = Rabin::new(None).unwrap();
        let mut out = Vec::new();
        rabin.shingles([], 5, &mut out);
        assert!(out.is_empty());
        rabin.shingles(["A", "B"], 5, &mut out);
        assert_eq!(out, [rabin.fingerprint(["A", "B"])]);
        assert_ne!(rabin.fingerprint(["AB"]), rabin.fingerprint(["A", "B"]));
    }

    #[test]
    fn the_modulus_must_be_prime() {
        for prime in [
            2,
            3,
            37,
            41,
            65_537,
            1_000_003,
            (1 << 61) - 1,
            18_446_744_073_709_551_557,
        ] {
            assert!(Rabin::new(Some(prime)).is_ok(), "{prime}");
        }
        // Among them Carmichael numbers and strong pseudoprimes to several bases.
        for other in [
            0,
            1,
            4,
            561,
            2047,
            3_215_031_751,
            3_825_123_056_546_413_051,
            1 << 40,
            u64::MAX,
        ] {
            let error = Rabin::new(Some(other)).unwrap_err();
            assert!(error.to_string().contains("is not a prime"), "{other}");
        }
        let error = Rabin::new(Some(1_000_000)).unwrap_err();
        assert_eq!(error.advice(), Some("the next prime is 1000003"));
        let sieve = |number: u64| {
            number >= 2
                && (2..number)
                    .take_while(|d| d * d <= number)
                    .all(|d| !number.is_multiple_of(d))
        };
        for number in 0..5000 {
            assert_eq!(is_prime(number), sieve(number), "{number}");
        }
    }

    #[test]
    fn other_normalisations_are_refused_by_name() {
        let steps = |name| Normalisation::preset(name).unwrap();
        assert!(Rabin::check(&steps("kupietz")).is_ok());
        let kept = Normalisation {
            keep_words: vec!["und".to_owned()],
            ..steps("kupietz")
        };
        assert!(Rabin::check(&kept).is_ok());
        let error = Rabin::check(&steps("plain")).unwrap_err();
        assert!(error.to_string().contains("`plain`"));
        assert!(error.advice().unwrap().contains("normalize = kupietz"));
    }

    proptest! {
        #[test]
        fn the_moving_window_equals_each_shingle_from_scratch(
            tokens in prop::collection::vec("[A-Z]{1,12}|#|[A-C]|É", 0..30),
            n in 0_usize..8,
            modulus in prop::option::of(Just(257)),
        ) {
            let rabin = Rabin::new(modulus).unwrap();
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let mut moving = Vec::new();
            rabin.shingles(tokens.iter().copied(), n, &mut moving);
            let width = n.max(1).min(tokens.len());
            let scratch: Vec<u64> = if width == 0 {
                Vec::new()
            } else {
                tokens.windows(width).map(|shingle| rabin.fingerprint(shingle.iter().copied())).collect()
            };
            prop_assert_eq!(moving, scratch);
        }
    }
}
