//! A stream of pages, each judged as it comes: paragraphs that were seen before go, and no page is
//! held.
#![allow(clippy::print_stdout, reason = "it shows what it finds")]

use tegula::{Dedup, Onion, Unit};

fn main() -> tegula::Result<()> {
    let recipe = Dedup::recipe("onion")?
        .ngram(4)?
        .threshold("1/2")?
        .unit(Unit::Paragraph)
        .set("onion.smooth", "false")?;
    let mut onion = Onion::new(&recipe)?;
    let cookies =
        "We use cookies to make this page better for you and for the people who pay for it.";
    let articles = [
        "The council has decided to build the new bridge over the Elbe by the end of the decade.",
        "A rare owl was seen in the woods behind the observatory for the third night in a row.",
        "Once more: the council has decided to build the new bridge over the Elbe by the end of the decade.",
    ];

    let mut kept = Vec::new();
    for article in articles {
        // A page as downloaded.
        let page = format!("{cookies}\n\n{article}");
        let judgement = onion.judge(&page)?;
        for part in judgement.parts {
            let verdict = if part.is_kept { "kept   " } else { "removed" };
            println!(
                "{verdict} {} previously seen: {}",
                part.share,
                &page[part.range.clone()]
            );
            if part.is_kept {
                kept.push(page[part.range].to_owned());
            }
        }
    }
    println!("{} bytes for the n-grams seen", onion.bytes());
    assert_eq!(kept, [cookies, articles[0], articles[1]]);
    Ok(())
}
