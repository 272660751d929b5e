//! Numbers and names for display.

/// A number with thousands separators.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun.
pub fn plural(number: u64, noun: &str) -> String {
    let shown = count(number);
    let stem = noun.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        _ if number == 1 => format!("{shown} {noun}"),
        Some(stem) => format!("{shown} {stem}ies"),
        None => format!("{shown} {noun}s"),
    }
}

/// A score, with four decimals.
pub fn decimal(number: f64) -> String {
    format!("{number:.4}")
}

/// An interval of scores, with three decimals; of differences, with signs.
pub fn interval(ends: [f64; 2]) -> String {
    // Adding 0 takes the sign from what is rounded to 0.
    let [low, high] = ends.map(|end| (1000.0 * end).round() / 1000.0 + 0.0);
    if low < 0.0 || high < 0.0 {
        format!("{low:+.3} to {high:+.3}")
    } else {
        format!("{low:.3}\u{2013}{high:.3}")
    }
}

/// A share in percent; a share above 0 is never shown as 0, and one below 1 never as 100.
pub fn percent(share: f64) -> String {
    let hundredths = 10_000.0 * share;
    if share > 0.0 && hundredths < 0.5 {
        "<0.01 %".to_owned()
    } else if share < 1.0 && hundredths >= 9_999.5 {
        ">99.99 %".to_owned()
    } else {
        format!("{:.2} %", 100.0 * share)
    }
}

/// A part of a whole, 0 to 1; 0 of nothing.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// A file name stem for any text: letters and digits in lower case, everything else a hyphen.
pub(crate) fn slug(text: &str) -> String {
    let letters: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let parts: Vec<&str> = letters.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "field".to_owned()
    } else {
        parts.join("-")
    }
}

/// With a capital first letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [0.0, 0.000_01, 0.5, 0.999_99, 1.0].map(percent),
            ["0.00 %", "<0.01 %", "50.00 %", ">99.99 %", "100.00 %"]
        );
        assert_eq!(plural(1, "text"), "1 text");
        assert_eq!(
            [[0.5, 1.0], [-0.25, 0.125], [-1e-9, 0.0]].map(interval),
            [
                "0.500\u{2013}1.000",
                "-0.250 to +0.125",
                "0.000\u{2013}0.000"
            ]
        );
    }
}
