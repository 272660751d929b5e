//! The page on all methods, generated from their cards.

use std::fmt::Write as _;
use tegula::error::Result;
use tegula::recipe::{Card, Recipe, Staged, cards};
use tegula_run::describe;

const HEAD: &str = "# Methods

Every method is a recipe: named data for the same engine. `tegula recipes --markdown` prints this page: do not edit it.

A recipe defines the features of a text, the pairs to compare, and the score. An *ordered join* finds all pairs at or above
the threshold. *Keys* generate candidates: only texts that share a key are compared. Scores are exact in both; only measures of
signatures (simhash, i-match) and a selection of shingles (`select`) give estimates, which results label.

| recipe | finds | features | keys | a score is | threshold |
| --- | --- | --- | --- | --- | ---: |
";

const CHANGE: &str = "
Any field can be changed with `--set`, or in a file: `tegula recipes NAME > mine.toml` prints and explains all fields, and
`--recipe mine.toml` uses it. Below, the usual values of `unit`, `rejoin`, `digest` and `fingerprint` are left out.
[The papers, item by item](papers.md) has a command for each of their methods. The measure of one recipe can be combined with the keys of another:

    tegula dedup big.jsonl -o out.jsonl --recipe i-match --set measure=resemblance --set ngram=5 --threshold 0.8

generates candidates from the digests of I-Match, and compares the texts. Conversely, `--recipe sketch --set measure=agreement` reports
what sketches estimate. `--set least_keys=2` compares only texts that share two keys; `--check-recall N` reports how many matches of N sampled texts
keys missed. Under `--set common=50`, keys, or shingles or terms where there are no keys, in more than 50 groups of equal texts generate no candidates, but
count in scores. `--recipe ssr --set measure=rarity-dice --set \"weights={type='uncommon',most=50}\"` leaves shingles in more than 50 texts out of the comparison
(KOALA, Heintze 1996; Broder et al. 1997): a resemblance of r is a Dice coefficient of 2r / (1 + r).
Scores of weights are rounded down to billionths, and so is the threshold when they are compared: a score of exactly 2/3 reaches 2/3.

Under resemblance and its containment, `--set \"select={type='every',nth=25}\"` compares every 25th shingle (DSC; by occurrences), `--set
\"select={type='modulo',modulus=25}\"` those whose fingerprint is divisible by 25, and `--set \"select={type='winnow',window=8}\"` the least of each 8 in a row
(Schleimer et al. 2003). Scores are then estimates; that of containment by a modulus is too high, by a third and more, where texts have fewer than 300
shingles. Pairs have their score as a fraction in the columns `part` and `whole`.

`--set \"keys={type='terms',count=5}\"` generates candidates by the five heaviest terms, with `by='rocchio'` the best by Rocchio's formula (Sanderson 1997).
Under `simfinder`, `--class-weights FILE.toml` replaces the weights of word classes. Of a class, rare words weigh most, as weights are to discriminate;
equation (1) as printed is `--set weights.frequent=high --set weights.scale=linear`
([why](../bench/papers/simfinder.md#the-interpretation-of-equation-1)). `--set weights.present=5` treats terms in more than 5 % of the units as if in every
unit (Kołcz et al. 2004), and with `--set weights.floor=20` only those in more than 20: in a small collection a twentieth is less than one cluster of copies.
";

/// What most recipes have in common.
const USUAL: [&str; 4] = [
    "\nunit = \"document\"\n",
    "\nrejoin = false\n",
    "\ndigest = \"tegula\"\n",
    "\n[fingerprint]\ntype = \"tokens\"\n",
];

/// The page.
pub(super) fn page() -> Result<String> {
    let mut page = String::from(HEAD);
    for card in cards() {
        let recipe = card.recipe();
        let (measure, features) = (recipe.measure.says(), describe::features(&recipe));
        let row = [
            card.texts.title.as_str(),
            &features,
            &describe::keys(&recipe),
            measure,
            &recipe.threshold.to_string(),
        ]
        .join(" | ");
        let _ = writeln!(page, "| [{name}](#{name}) | {row} |", name = card.name);
    }
    page.push_str(CHANGE);
    for card in cards() {
        section(&mut page, card)?;
    }
    for staged in Staged::built_in()? {
        let _ = write!(
            page,
            "\n## {}\n\n{}. From: {}.\n\n",
            staged.recipe,
            capital(&staged.texts.title),
            staged.texts.paper
        );
        for (number, stage) in (1..).zip(&staged.stages) {
            let _ = writeln!(
                page,
                "{number}. {}, {}",
                describe::recipe(&stage.recipe),
                stage.action.verb()
            );
        }
    }
    Ok(page)
}

fn section(page: &mut String, card: &Card) -> Result<()> {
    let recipe = card.recipe();
    let default = if card.name == Recipe::DEFAULT {
        " This is the default."
    } else {
        ""
    };
    let _ = write!(
        page,
        "\n## {}\n\n{}.{default}\n\n| | |\n| --- | --- |\n",
        card.name,
        capital(&card.texts.title)
    );
    let steps = recipe.normalise.preset_name().unwrap_or("own");
    let [from, rest @ ..] = card.texts.labelled();
    let facts = [
        ("features", &*describe::features(&recipe)),
        ("keys", &describe::keys(&recipe)),
        ("normalised by", &format!("`{steps}`")),
        ("a score is", recipe.measure.says()),
        ("removed", &recipe.removal().unwrap_or_default()),
        ("threshold", &recipe.levels().unwrap_or_default()),
    ];
    for (label, text) in [from].into_iter().chain(facts).chain(rest) {
        if !text.is_empty() {
            let _ = writeln!(page, "| {label} | {text} |");
        }
    }
    if let Some(bands) = recipe.curve()? {
        let points: Vec<_> = bands
            .table()
            .into_iter()
            .filter(|(s, _)| *s >= 0.3)
            .collect();
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let _ = write!(
            page,
            "\nThe S-curve of these keys: the probability that a pair becomes a candidate, by its resemblance.\n\n"
        );
        page.push_str(&row(points
            .iter()
            .map(|(s, _)| format!("{s:.2}"))
            .collect()));
        page.push_str(&row(points.iter().map(|_| "---".to_owned()).collect()));
        page.push_str(&row(points
            .iter()
            .map(|(_, p)| format!("{p:.3}"))
            .collect()));
    }
    let toml = (USUAL.iter()).fold(recipe.to_toml()?, |toml, usual| toml.replace(usual, "\n"));
    // Most recipes share the steps of normalisation, which have a name.
    let (fields, after) = toml.split_once("[normalise]").unwrap_or((&toml, ""));
    let after = after.find("\n[").map_or("", |at| &after[at..]);
    let _ = write!(
        page,
        "\n```toml\n{}{}\n```\n",
        fields.trim(),
        after.trim_end()
    );
    Ok(())
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
