//! Quotations in mail: the text that a message replies to or forwards, its signature, and the
//! footer of a list.
//!
//! No standard says how these are written. These count as quotations: lines that begin with `>`,
//! and a short paragraph before them that ends with a colon and has an address or a number;
//! everything after a copied header, with or without a line of dashes or underscores above it; up
//! to 20 lines after a line `--`; and a last paragraph that contains an address and is below a line
//! of 20 dashes, underscores or equal signs.

use super::parts::Body;
use crate::options::Quoted;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Lines of a signature, or of the footer of a list, at most.
const FOOT: usize = 20;
/// Lines of the paragraph that introduces a quotation, at most.
const INTRODUCTION: usize = 3;
/// The number of lines that distinguish a copied header from text.
const HEADER: usize = 2;

/// A line of a copied header; the names that begin one.
#[expect(clippy::unwrap_used, reason = "constant, and built by the tests")]
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[*\s]*[\p{L}][\p{L}\p{M} -]{0,24}[*\s]*:[*\s]*\S").unwrap());
#[expect(clippy::unwrap_used, reason = "constant, and built by the tests")]
static SENDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[*\s]*(?:From|Von|De|Od|Da|Van|Från|Fra|Lähettäjä|Feladó|От|Від|Kimden|发件人|差出人)[*\s]*[:：]")
        .unwrap()
});

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    /// Quoted this many times.
    Quote(usize),
    /// An introduction, a signature or a footer.
    Frame,
    /// Below a copied header.
    Forward,
}

/// The texts of a message as one.
pub(super) fn join(texts: &[Body], quoted: Quoted) -> String {
    let mut out = String::new();
    let is_dropped = |text: &&Body| quoted == Quoted::Drop && text.is_forwarded;
    for text in texts.iter().filter(|text| !is_dropped(text)) {
        let lines: Vec<&str> = text.text.lines().collect();
        if quoted == Quoted::Keep {
            push(&mut out, lines.iter().copied());
            continue;
        }
        let kinds = kinds(&lines);
        let mut at = 0;
        while let Some(kind) = kinds.get(at) {
            let len = kinds[at..].iter().take_while(|next| *next == kind).count();
            let run = &lines[at..at + len];
            match (quoted, kind) {
                (Quoted::Unit, Kind::Quote(depth)) => {
                    push(&mut out, run.iter().map(|line| bare(line, *depth)));
                }
                (Quoted::Unit, _) | (_, Kind::Own) => push(&mut out, run.iter().copied()),
                _ => {}
            }
            at += len;
        }
    }
    out
}

/// Appends lines as a paragraph or several, without blank lines around them and with no more than
/// one between.
fn push<'t>(out: &mut String, lines: impl Iterator<Item = &'t str>) {
    let (mut blank, mut first) = (false, true);
    let begun = !out.is_empty();
    for line in lines {
        let line = line.trim_end();
        if line.is_empty() {
            blank = true;
            continue;
        }
        out.push_str(match (first, blank) {
            (true, _) if begun => "\n\n",
            (true, _) => "",
            (false, true) => "\n\n",
            (false, false) => "\n",
        });
        out.push_str(line);
        (blank, first) = (false, false);
    }
}

/// How often a line is quoted.
fn depth(line: &str) -> usize {
    let mut rest = line.strip_prefix(' ').unwrap_or(line);
    let mut depth = 0;
    while let Some(next) = rest.strip_prefix('>') {
        rest = next.strip_prefix(' ').unwrap_or(next);
        depth += 1;
    }
    depth
}

/// A line without its marks of quotation.
fn bare(line: &str, depth: usize) -> &str {
    let mut rest = line.strip_prefix(' ').unwrap_or(line);
    for _ in 0..depth {
        let Some(next) = rest.strip_prefix('>') else {
            break;
        };
        rest = next.strip_prefix(' ').unwrap_or(next);
    }
    rest
}

fn kinds(lines: &[&str]) -> Vec<Kind> {
    let is_blank = |at: usize| lines[at].trim().is_empty();
    let mut kinds: Vec<Kind> = (lines.iter())
        .map(|line| match depth(line) {
            0 => Kind::Own,
            depth => Kind::Quote(depth),
        })
        .collect();
    if let Some((from, header)) = forward(lines, &kinds) {
        kinds[from..header].fill(Kind::Frame);
        kinds[header..].fill(Kind::Forward);
    }
    // Blank lines between two of a quotation belong to it.
    for at in 1..lines.len() {
        if kinds[at] == Kind::Own && is_blank(at) && matches!(kinds[at - 1], Kind::Quote(_)) {
            let next = (at..lines.len()).find(|at| !is_blank(*at));
            if let Some(next) = next.filter(|next| kinds[*next] == kinds[at - 1]) {
                let quote = kinds[at - 1];
                kinds[at..next].fill(quote);
            }
        }
    }
    for at in 1..lines.len() {
        if matches!(kinds[at], Kind::Quote(_)) && kinds[at - 1] == Kind::Own {
            let range = introduction(lines, &kinds, at);
            kinds[range].fill(Kind::Frame);
        }
    }
    foot(lines, &mut kinds);
    kinds
}

/// Where a copied header begins, with the line above it, and where the header itself begins.
fn forward(lines: &[&str], kinds: &[Kind]) -> Option<(usize, usize)> {
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if kinds[at] != Kind::Own || line.trim().is_empty() {
            at += 1;
            continue;
        }
        let header = if is_rule(line) {
            (at + 1..lines.len().min(at + 4)).find(|at| !lines[*at].trim().is_empty())
        } else {
            SENDER.is_match(line).then_some(at)
        };
        if let Some(header) = header {
            let fields = lines[header..].iter();
            let fields = fields.take_while(|line| FIELD.is_match(line)).count();
            let mut said = lines[header..header + fields].iter();
            // Without a line above, there must be more evidence.
            let least = HEADER + usize::from(header == at);
            if fields >= least && said.any(|line| SENDER.is_match(line)) {
                return Some((at, header));
            }
        }
        at += 1;
    }
    None
}

/// Whether a line can separate a forwarded message: dashes or underscores, with or without words
/// between them, or words that announce it.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let drawn = |c: char| matches!(c, '-' | '_');
    let inner = line.trim_start_matches(drawn);
    if inner.is_empty() {
        return line.chars().count() >= FOOT;
    }
    let left = line.len() - inner.len();
    let right = inner.len() - inner.trim_end_matches(drawn).len();
    (left >= 4 && right >= 4) || (line.ends_with(':') && line.to_lowercase().contains("forwarded"))
}

/// The lines that introduce a quotation, such as `On Monday, A wrote:`.
fn introduction(lines: &[&str], kinds: &[Kind], quote: usize) -> Range<usize> {
    let own = |at: usize| kinds[at] == Kind::Own;
    let last = (0..quote)
        .rev()
        .find(|at| !own(*at) || !lines[*at].trim().is_empty());
    let Some(last) = last.filter(|at| own(*at) && quote - at <= 2) else {
        return quote..quote;
    };
    if !lines[last].trim_end().ends_with([':', '：']) {
        return quote..quote;
    }
    let first = (0..last)
        .rev()
        .take_while(|at| own(*at) && !lines[*at].trim().is_empty())
        .last()
        .unwrap_or(last);
    let has_address = |from: usize| {
        let mut lines = lines[from..=last].iter();
        lines.any(|line| line.contains(|c: char| c == '@' || c.is_ascii_digit()))
    };
    if last - first < INTRODUCTION && has_address(first) {
        first..quote
    } else if has_address(last) && last - first >= INTRODUCTION {
        last..quote
    } else {
        quote..quote
    }
}

/// Marks the signature and the footer of a list.
fn foot(lines: &[&str], kinds: &mut [Kind]) {
    let end = lines.len()
        - lines
            .iter()
            .rev()
            .take_while(|line| line.trim().is_empty())
            .count();
    let own = |kinds: &[Kind], at: usize| kinds[at] == Kind::Own;
    let is_rule = |line: &str| {
        line.len() >= FOOT
            && ['-', '_', '=']
                .iter()
                .any(|c| line.chars().all(|d| d == *c))
    };
    let rule =
        (end.saturating_sub(FOOT)..end).find(|at| own(kinds, *at) && is_rule(lines[*at].trim()));
    if let Some(rule) = rule
        && (rule..end).all(|at| own(kinds, at))
        && lines[rule + 1..end]
            .iter()
            .any(|line| line.contains('@') || line.contains("://"))
    {
        kinds[rule..].fill(Kind::Frame);
    }
    for at in 0..end {
        if own(kinds, at) && matches!(lines[at], "--" | "-- ") {
            let rest = kinds[at..].iter().take(FOOT + 1);
            let len = rest.take_while(|kind| **kind == Kind::Own).count();
            if len <= FOOT {
                kinds[at..at + len].fill(Kind::Frame);
            }
        }
    }
}
