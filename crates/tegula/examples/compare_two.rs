//! Two texts side by side: how alike they are by every measure, and the passages that they share.
#![allow(clippy::print_stdout, reason = "it shows what it finds")]

use tegula::Dedup;

fn main() -> tegula::Result<()> {
    let report = "The harbour was closed at noon because of the storm, the port authority said on Monday. \
                  Two hundred ships had to wait at sea.";
    let column = "Two hundred ships had to wait at sea, and nobody asked them. The harbour was closed at noon \
                  because of the storm: so much we know.";

    let found = tegula::compare(report, column)?;
    println!(
        "resemblance {}, coverage {}",
        found.resemblance, found.coverage
    );
    println!(
        "{:.2} of the first text's shingles are in the second",
        found.containment_a
    );
    for passage in &found.passages {
        let moved = if passage.is_in_order { "" } else { ", moved" };
        println!(
            "{} tokens{moved}: {}",
            passage.tokens,
            &report[passage.a.clone()]
        );
    }
    assert_eq!(found.passages.len(), 2);
    assert_eq!(
        &column[found.passages[1].b.clone()],
        "Two hundred ships had to wait at sea"
    );

    // By other rules: single words, whatever their order and their endings.
    let words = Dedup::recipe("ssr")?
        .ngram(1)?
        .set("normalise.stem", "en")?
        .set("normalise.stop_words", "en")?;
    let found = words.compare("The ships were waiting", "A ship waits")?;
    assert!(found.score.is_some_and(|score| score == tegula::Score::ONE));
    Ok(())
}
