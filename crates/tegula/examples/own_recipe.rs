//! A recipe of one's own: short messages, in which numbers and links do not count.
#![allow(clippy::print_stdout, reason = "it shows what it finds")]

use tegula::Dedup;

const RECIPE: &str = "
recipe = 'messages'       # starts from this one: shingles of characters, disguises undone
title = 'parcel messages'
ngram = 4
threshold = '60%'
unmasked = 'ignore'       # what is masked does not count

[normalise]
digits = 'drop'
masks = ['url', 'phone']
";

fn main() -> tegula::Result<()> {
    let messages = [
        "Your parcel 48213 is waiting! Pay 1,99 EUR at https://post.example/a8f now",
        "Are you coming to the concert tonight? Doors open at eight.",
        "Your p\u{430}rcel 99 is waiting! Pay 2,49 EUR at https://deliver.example/zz1 now", // with a Cyrillic letter
    ];
    let dedup = Dedup::toml(RECIPE)?.keep("first")?;

    let seen: String = dedup
        .tokens(messages[2])?
        .into_iter()
        .map(|token| token.token)
        .collect();
    println!(
        "{}: what is compared of the last message is {seen}",
        dedup.about().title
    );

    let result = dedup.run(messages)?;
    for removed in result.removed() {
        println!("{removed}");
    }
    assert_eq!(result.kept().collect::<Vec<_>>(), [0, 1]);

    // A wrong field is an error that names it, before any text is read.
    match Dedup::toml("recipe = 'messages'\nngrams = 4") {
        Err(error) => println!("{:?}: {error}", error.kind()),
        Ok(_) => unreachable!("there is no field of that name"),
    }
    Ok(())
}
