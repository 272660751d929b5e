//! Copies among texts in memory: what is removed and because of what, what is kept, and which belong
//! together.
#![allow(clippy::print_stdout, reason = "it shows what it finds")]

use tegula::{Dedup, Record};

fn main() -> tegula::Result<()> {
    let agency = "Hamburg (dpa) - The harbour was closed at noon on Monday because of the storm, the port authority said. \
                  Two hundred ships had to wait at sea until the evening.";
    let longer = format!("{agency} Ferries to the islands were cancelled as well.");
    let records = [
        Record::new(agency).id("agency").field("date", "2024-01-22"),
        Record::new("The theatre opens its season with a comedy by Nestroy.")
            .id("theatre")
            .field("date", "2024-01-23"),
        Record::new(longer).id("daily").field("date", "2024-01-23"),
        Record::new(agency.to_uppercase())
            .id("weekly")
            .field("date", "2024-01-25"),
    ];

    let result = Dedup::recipe("copies")?
        .threshold("0.9")?
        .keep("longest,oldest:date")?
        .run(&records)?;

    for removed in result.removed() {
        println!("{removed}");
    }
    println!("{}", result.summary());
    let kept: Vec<_> = result.kept().filter_map(|index| result.id(index)).collect();
    assert_eq!(kept, ["theatre", "daily"]);
    assert_eq!(result.clusters()[0].members.len(), 3);

    // The same texts, and how alike each two are: by resemblance, to which all of both texts
    // counts.
    let pairs = Dedup::recipe("ssr")?.threshold(0.5)?.pairs(&records)?;
    for pair in pairs.iter() {
        let pair = pair?;
        println!(
            "{} and {}: {}, with {} common shingles",
            pair.a,
            pair.b,
            pair.score,
            pair.measures.common.unwrap_or(0)
        );
    }
    assert_eq!(pairs.len(), 3);
    Ok(())
}
