//! A comparison as JSON, for `explain` and `compare`.

use serde_json::{Map, Value, json};
use tegula::compare::{Comparison, Row, Side};
use tegula::measure::Counts;

/// Measures, passages and rows.
pub fn json(found: &Comparison, texts: (&str, &str), n: usize) -> Map<String, Value> {
    let (a, b) = (&found.a, &found.b);
    let passages: Vec<Value> = found
        .passages
        .iter()
        .map(|p| {
            json!({
                "a": range(a, &p.a), "b": range(b, &p.b), "in_order": p.in_order,
                "text_a": texts.0.get(a.bytes(p.a.clone())), "text_b": texts.1.get(b.bytes(p.b.clone())),
            })
        })
        .collect();
    let rows: Vec<Value> = found
        .rows
        .iter()
        .map(|row| match row {
            Row::Both { a: x, b: y, covered } => {
                json!({"kind": "both", "a": range(a, x), "b": range(b, y), "covered": covered})
            }
            Row::OnlyA { a: x, elsewhere } => {
                json!({"kind": "only_a", "a": range(a, x), "elsewhere": elsewhere.as_ref().map(|y| range(b, y))})
            }
            Row::OnlyB { b: y, elsewhere } => {
                json!({"kind": "only_b", "b": range(b, y), "elsewhere": elsewhere.as_ref().map(|x| range(a, x))})
            }
        })
        .collect();
    let mut map = Map::new();
    map.insert("measures".to_owned(), measures(&found.counts, n));
    map.insert("passages".to_owned(), passages.into());
    map.insert("rows".to_owned(), rows.into());
    map
}

/// Tokens, and their bytes in the text.
fn range(side: &Side, tokens: &std::ops::Range<usize>) -> Value {
    let bytes = side.bytes(tokens.clone());
    json!({"tokens": [tokens.start, tokens.end], "bytes": [bytes.start, bytes.end]})
}

/// All measures, under the names of `pairs.parquet`.
pub fn measures(m: &Counts, n: usize) -> Value {
    let (shingles, tokens) = (m.shingle_containment(), m.token_containment());
    json!({
        "ngram": n,
        "equal": m.equal,
        "ssr": m.ssr().as_f64(),
        "sscr": m.sscr().as_f64(),
        "ssr_containment_a": shingles.0.as_f64(),
        "ssr_containment_b": shingles.1.as_f64(),
        "sscr_containment_a": tokens.0.as_f64(),
        "sscr_containment_b": tokens.1.as_f64(),
        "common": m.common,
        "size_a": m.set_a,
        "size_b": m.set_b,
        "covered_a": m.covered_a,
        "covered_b": m.covered_b,
        "tokens_a": m.tokens_a,
        "tokens_b": m.tokens_b,
    })
}
