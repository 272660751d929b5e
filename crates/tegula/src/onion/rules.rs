//! The parameters of a judgement.

use crate::error::{Error, Result};
use crate::threshold::Threshold;

/// The rules for removing a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Tokens in an n-gram, 1 or more.
    pub ngram: usize,
    /// A paragraph is removed if more than this share of its tokens was previously seen. Exactly at
    /// the threshold it is kept.
    pub threshold: Threshold,
    /// Runs of good paragraphs with at most this many tokens in total are removed with the bad ones
    /// around them; `None` disables smoothing.
    pub smooth: Option<u32>,
}

impl Rules {
    /// Onion's defaults: n-grams of 7 tokens, half of a paragraph, runs of 20 tokens.
    ///
    /// # Errors
    /// None; the default threshold is valid.
    pub fn onion() -> Result<Self> {
        Ok(Self {
            ngram: 7,
            threshold: Threshold::new(1, 2)?,
            smooth: Some(20),
        })
    }
}

/// Single-precision numbers from 1/256 to 1 are integer multiples of 1 over this.
const DENOMINATOR: u32 = 1 << 31;

/// The threshold with which the original program compares if given `text`: a decimal number is
/// rounded to single precision. 0.9 becomes slightly less than 0.9, and a paragraph of which
/// exactly nine tenths were previously seen is removed. Percentages and fractions, which the
/// original does not support, and numbers below 1/256 are used exactly; 0 becomes the smallest
/// possible share.
///
/// # Errors
/// If it is not a number from 0 to 1.
pub fn single_precision(text: &str) -> Result<Threshold> {
    let wrong = || {
        Error::of("threshold")
            .expected("a number from 0 to 1, such as 0.5, 50% or 1/2")
            .found(format!("'{text}'"))
    };
    let Ok(number) = text.trim().parse::<f64>() else {
        return text.parse::<Threshold>().map_err(|_| wrong());
    };
    let single = number as f32;
    if number == 0.0 {
        Threshold::new(1, u32::MAX)
    } else if !(0.0..=1.0).contains(&single) {
        Err(wrong())
    } else if single < 1.0 / 256.0 {
        // If it is smaller than thresholds can represent, the smallest share.
        text.parse::<Threshold>()
            .or_else(|_| Threshold::new(1, u32::MAX))
    } else {
        Threshold::new(
            (f64::from(single) * f64::from(DENOMINATOR)) as u32,
            DENOMINATOR,
        )
        .map_err(|_| wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_tenths_are_above_the_single_precision_number_nearest_to_them() {
        let nine = single_precision("0.9").unwrap();
        assert!(nine.exceeded_by(108, 120) && !nine.exceeded_by(107, 120));
        assert!(!single_precision("9/10").unwrap().exceeded_by(108, 120));
        let half = single_precision("0.5").unwrap();
        assert_eq!(half, Threshold::new(1, 2).unwrap());
        // 0.7 is also above its nearest number, 0.6 below.
        assert!(single_precision("0.7").unwrap().exceeded_by(7, 10));
        assert!(!single_precision("0.6").unwrap().exceeded_by(6, 10));
    }

    #[test]
    fn every_threshold_is_the_number_of_single_precision() {
        for hundredth in 1..=100_u32 {
            let text = format!("0.{hundredth:02}");
            let text = if hundredth == 100 { "1" } else { &text };
            let single: f32 = text.parse().unwrap();
            let exact = single_precision(text).unwrap();
            for whole in 1..400_u32 {
                for part in [hundredth * whole / 100, hundredth * whole / 100 + 1] {
                    let above = f64::from(part) / f64::from(whole) > f64::from(single);
                    assert_eq!(
                        exact.exceeded_by(part.into(), whole.into()),
                        above,
                        "{part}/{whole} > {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["", "x", "-0.1", "1.5", "nan", "inf", "2/1"] {
            assert!(single_precision(text).is_err(), "{text}");
        }
        assert!(single_precision("0").unwrap().exceeded_by(1, 1_000_000));
        assert!(!single_precision("1").unwrap().exceeded_by(5, 5));
        assert!(single_precision("0.000000001").unwrap().exceeded_by(1, 100));
    }
}
