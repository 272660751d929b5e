//! Logarithms in integers.

/// The unit of fixed-point logarithms: 1.0 as an integer.
pub const ONE: u32 = 1 << 10;

/// The binary logarithm of `a / b` in steps of 1/1024, rounded down; 0 unless `a` is above `b`.
pub fn log2(a: u64, b: u64) -> u32 {
    if a <= b || b == 0 {
        return 0;
    }
    let ratio = (u128::from(a) << 64) / u128::from(b);
    let whole = ratio.ilog2();
    // The mantissa, 1.0 to 2.0 in steps of 2^-31; squared, its carry is the next bit of the
    // logarithm.
    let mut mantissa = (ratio >> (whole - 31)) as u64;
    let mut log = whole - 64;
    for _ in 0..10 {
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        mantissa >>= carry;
        log = log << 1 | carry as u32;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_mathematicians() {
        assert_eq!(log2(8, 1), 3 * ONE);
        assert_eq!(log2(1, 1), 0);
        assert_eq!(log2(1, 2), 0);
        for (a, b) in [
            (3, 2),
            (10, 1),
            (1_000_000, 7),
            (u64::MAX, 1),
            (u64::MAX, u64::MAX - 1),
            (1001, 1000),
        ] {
            let expected = ((a as f64).log2() - (b as f64).log2()) * f64::from(ONE);
            let found = f64::from(log2(a, b));
            assert!(
                (found - expected).abs() <= 1.01,
                "{a}/{b}: {found} {expected}"
            );
        }
    }
}
