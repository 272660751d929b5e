//! What was removed and kept: in total (Benko 2013, §2.2, first table), by length, by file and by
//! field.

use super::counts::{Counts, Parts};
use super::heads::Heads;
use crate::form::{capital, share};
use crate::run::{self, Run};
use crate::table::{Cell, Kind, Table};
use std::fmt::Write as _;
use tegula::summary::{Amounts, Balance};

/// One of the amounts.
type Measured = fn(&Amounts) -> u64;

/// Units, tokens and bytes removed, kept, and in total; for a run of several stages one block for
/// each and one for all.
pub(crate) fn balance(run: &Run, stages: &[Counts]) -> Table {
    let heads = Heads::of(stages);
    let staged = run.is_staged();
    let mut columns = vec![
        ("", Kind::Text),
        (heads.removed, Kind::Count),
        (heads.kept, Kind::Count),
        ("Total", Kind::Count),
    ];
    if staged {
        columns.insert(0, ("Stage", Kind::Text));
    }
    let mut table = Table::new(
        "balance",
        &format!("What was {}, and what was not", heads.removed_lower()),
        &columns,
    );
    let mut called: Vec<&str> = stages.iter().map(|counts| &counts.tokens[..]).collect();
    called.sort_unstable();
    called.dedup();
    let all_called = capital(&called.join(" and "));
    let mut note = format!(
        "{all_called} are those that the recipe sees after its normalisation; bytes are those of the texts."
    );
    for (stage, counts) in run.stages().iter().zip(stages) {
        let units = capital(run::plural(counts.level));
        let tokens = capital(&counts.tokens);
        let parts: [(&str, Measured); 3] = [
            (&units, |a| a.units),
            (&tokens, |a| a.tokens),
            ("Bytes", |a| a.bytes),
        ];
        let head = format!("{} ({})", stage.name, stage.method());
        block(
            &mut table,
            staged.then_some(head.as_str()),
            &counts.balance,
            &parts,
        );
        if counts.references.units > 0 {
            note.push_str(&format_references(counts));
        }
    }
    if staged {
        let (all, one_count) = together(run, stages);
        let name = capital(called[0]);
        let tokens: (&str, Measured) = (&name, |a| a.tokens);
        let bytes: (&str, Measured) = ("Bytes", |a| a.bytes);
        let parts: &[(&str, Measured)] = if one_count {
            &[tokens, bytes]
        } else {
            &[bytes]
        };
        block(&mut table, Some("all stages"), &all, parts);
        note.push_str(
            " Each stage reads what earlier ones kept; the last block counts what any of them removed, relative to what the first read.",
        );
        if !one_count {
            let _ = write!(
                note,
                " {all_called} are not added up, as the stages count them differently."
            );
        }
    }
    table.note = note;
    table
}

fn format_references(counts: &Counts) -> String {
    let units = crate::form::plural(counts.references.units, run::noun(counts.level));
    format!(" Not counted: {units} of references.")
}

/// Two rows for each of `parts`: amounts, and their percentages of the total.
fn block(table: &mut Table, stage: Option<&str>, balance: &Balance, parts: &[(&str, Measured)]) {
    for (number, (name, of)) in parts.iter().enumerate() {
        let (removed, kept, all) = (of(&balance.removed), of(&balance.kept), of(&balance.input));
        let first = |first: bool| {
            stage
                .map(|stage| {
                    if first {
                        Cell::Text(stage.to_owned())
                    } else {
                        Cell::Empty
                    }
                })
                .into_iter()
        };
        let counts = [removed, kept, all].map(Cell::Count);
        let shares = [removed, kept, all].map(|part| Cell::Share(share(part, all)));
        table.rows.push(
            first(number == 0)
                .chain([Cell::Text((*name).to_owned())])
                .chain(counts)
                .collect(),
        );
        table.rows.push(
            first(false)
                .chain([Cell::Text(format!("{name} in %"))])
                .chain(shares)
                .collect(),
        );
    }
}

/// What all stages removed, relative to what the first read, and whether all count tokens in the
/// same way.
fn together(run: &Run, stages: &[Counts]) -> (Balance, bool) {
    let mut all = Balance {
        input: stages[0].balance.input,
        ..Balance::default()
    };
    for counts in stages {
        all.removed.tokens += counts.balance.removed.tokens;
        all.removed.bytes += counts.balance.removed.bytes;
    }
    all.kept.tokens = all.input.tokens.saturating_sub(all.removed.tokens);
    all.kept.bytes = all.input.bytes.saturating_sub(all.removed.bytes);
    let counting = |stage: &run::Stage| stage.recipe_field("normalise");
    (
        all,
        run.stages()
            .windows(2)
            .all(|two| counting(&two[0]) == counting(&two[1])),
    )
}

/// Units or tokens removed, kept and in total by length class, as numbers and as percentages.
pub(crate) fn lengths(counts: &Counts, tokens: bool) -> Table {
    let heads = Heads::of(std::slice::from_ref(counts));
    let (what, of): (&str, Measured) = if tokens {
        (&counts.tokens, |a| a.tokens)
    } else {
        (run::plural(counts.level), |a| a.units)
    };
    let removed_share = format!("{} %", heads.removed);
    let kept_share = format!("{} %", heads.kept);
    let class_share = format!("{} % of class", heads.removed);
    let columns = [
        ("Length", Kind::Count),
        (heads.removed, Kind::Count),
        (heads.kept, Kind::Count),
        ("Total", Kind::Count),
        (&removed_share, Kind::Percent),
        (&kept_share, Kind::Percent),
        ("Total %", Kind::Percent),
        (&class_share, Kind::Percent),
    ];
    let name = if tokens {
        "length-classes-tokens"
    } else {
        "length-classes-units"
    };
    let noun = capital(run::noun(counts.level));
    let title = format!(
        "{} {} and {}, by length of the {}",
        capital(what),
        heads.removed_lower(),
        heads.kept_lower(),
        noun.to_lowercase()
    );
    let mut table = Table::new(name, &title, &columns);
    table.note = format!(
        "Length in {0}: class 4 has the {1} of 4 to 7 {0}, class 8 those of 8 to 15, and so on. Percentages are of all {what}, \
         in the last column of those of the class.",
        counts.tokens,
        run::plural(counts.level)
    );
    if counts.lengths.filled().any(|(class, _)| class == 0) {
        let _ = write!(
            table.note,
            " Class 0 has those without {}, or too long to be compared.",
            counts.tokens
        );
    }
    let all = of(&counts.balance.input);
    let mut row = |head: Cell, balance: &Balance| {
        let parts = [of(&balance.removed), of(&balance.kept), of(&balance.input)];
        let shares = parts.map(|part| Cell::Share(share(part, all)));
        let of_class = Cell::Share(share(parts[0], parts[2]));
        table.rows.push(
            std::iter::once(head)
                .chain(parts.map(Cell::Count))
                .chain(shares)
                .chain([of_class])
                .collect(),
        );
    };
    for (class, balance) in counts.lengths.filled() {
        row(Cell::Count(class), balance);
    }
    row(Cell::Text("Total".to_owned()), &counts.balance);
    table.total = true;
    table
}

/// Units and tokens removed, kept and in total, by a name that each unit has.
pub(crate) fn parts(name: &str, by: &str, counts: &Counts, parts: &Parts) -> Table {
    let heads = Heads::of(std::slice::from_ref(counts));
    let units = capital(run::plural(counts.level));
    let names: Vec<String> = [&units, &capital(&counts.tokens)]
        .iter()
        .flat_map(|what| {
            let (removed, kept) = (heads.removed_lower(), heads.kept_lower());
            [
                format!("{what} {removed}"),
                format!("{what} {kept}"),
                format!("{what} in all"),
                format!("{what} {removed} %"),
            ]
        })
        .collect();
    let mut columns = vec![(by, Kind::Text)];
    columns.extend(names.iter().map(|name| {
        (
            name.as_str(),
            if name.ends_with('%') {
                Kind::Percent
            } else {
                Kind::Count
            },
        )
    }));
    let title = format!(
        "{units} and {} {} and {}, by {}",
        counts.tokens,
        heads.removed_lower(),
        heads.kept_lower(),
        by.to_lowercase()
    );
    let mut table = Table::new(name, &title, &columns);
    table.note = if parts.are_dates() {
        "In the order of time; percentages are of each row.".to_owned()
    } else {
        format!(
            "Those with the most {} {} come first; percentages are of each row.",
            heads.removed_lower(),
            units.to_lowercase()
        )
    };
    let mut row = |name: &str, balance: &Balance| {
        let mut cells = vec![Cell::Text(name.to_owned())];
        let both: [Measured; 2] = [|a| a.units, |a| a.tokens];
        for of in both {
            let [removed, kept, all] = [&balance.removed, &balance.kept, &balance.input].map(of);
            cells.extend([removed, kept, all].map(Cell::Count));
            cells.push(Cell::Share(share(removed, all)));
        }
        table.rows.push(cells);
    };
    for (name, balance) in parts.sorted() {
        row(name, &balance);
    }
    if let Some(rest) = parts.rest() {
        row("(others)", &rest);
        let most = crate::form::count(Parts::MOST as u64);
        let _ = write!(
            table.note,
            " Only the first {most} values are counted separately, all others together."
        );
    }
    row("Total", &counts.balance);
    table.total = true;
    table
}
