//! The tables of a comparison of two runs.

use super::{Caught, Diff};
use crate::form::{capital, share};
use crate::run::{noun, plural};
use crate::table::{Cell, Kind, Table};
use crate::tables::class_name;
use std::fmt::Write as _;
use tegula::summary::Amounts;

impl Diff {
    /// The label of a kind of units, with the names of the runs.
    pub fn head(&self, caught: Caught) -> String {
        match caught {
            Caught::Both => "Both".to_owned(),
            Caught::First => format!("Only {}", self.names[0]),
            Caught::Second => format!("Only {}", self.names[1]),
            Caught::Neither => "Neither".to_owned(),
        }
    }

    /// Creates the tables: how much each caught, and the same by length class, in units and in
    /// tokens.
    pub fn tables(&self) -> Vec<Table> {
        vec![self.balance(), self.lengths(false), self.lengths(true)]
    }

    fn counting(&self) -> String {
        format!(
            "{} and their tokens are those of {} ({}).",
            capital(plural(self.level)),
            self.names[self.units_of],
            self.methods[self.units_of].join("; then ")
        )
    }

    fn balance(&self) -> Table {
        let units = capital(plural(self.level));
        let share_of = format!("{units} %");
        let columns = [
            ("Caught by", Kind::Text),
            (units.as_str(), Kind::Count),
            (share_of.as_str(), Kind::Percent),
            ("Tokens", Kind::Count),
            ("Tokens %", Kind::Percent),
        ];
        let title = format!(
            "What each run caught: {} and {}",
            self.names[0], self.names[1]
        );
        let mut table = Table::new("diff", &title, &columns);
        let all = sum(&self.total);
        let mut row = |head: String, amounts: Amounts| {
            table.rows.push(vec![
                Cell::Text(head),
                Cell::Count(amounts.units),
                Cell::Share(share(amounts.units, all.units)),
                Cell::Count(amounts.tokens),
                Cell::Share(share(amounts.tokens, all.tokens)),
            ]);
        };
        for caught in Caught::ALL {
            row(self.head(caught), self.total[caught as usize]);
        }
        row("Total".to_owned(), all);
        table.total = true;
        table.note = self.counting();
        if self.unmatched.units > 0 {
            let units = crate::form::plural(self.unmatched.units, noun(self.level));
            let tokens = crate::form::plural(self.unmatched.tokens, "token");
            let _ = write!(
                table.note,
                " Not counted, as the other run has no counterpart: {units} with {tokens}."
            );
        }
        table
    }

    fn lengths(&self, tokens: bool) -> Table {
        let of = |amounts: &Amounts| {
            if tokens {
                amounts.tokens
            } else {
                amounts.units
            }
        };
        let (name, what) = if tokens {
            ("diff-length-classes-tokens", "tokens")
        } else {
            ("diff-length-classes-units", plural(self.level))
        };
        let heads = Caught::ALL.map(|caught| self.head(caught));
        let shares = heads.clone().map(|head| format!("{head} %"));
        let mut columns = vec![("Length", Kind::Count)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.push(("Total", Kind::Count));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let title = format!(
            "{} caught by {} and {}, by length of the {}",
            capital(what),
            self.names[0],
            self.names[1],
            noun(self.level)
        );
        let mut table = Table::new(name, &title, &columns);
        let all = of(&sum(&self.total));
        let mut row = |head: Cell, parts: &[Amounts; 4]| {
            let mut cells = vec![head];
            cells.extend(parts.iter().map(|amounts| Cell::Count(of(amounts))));
            cells.push(Cell::Count(of(&sum(parts))));
            cells.extend(
                parts
                    .iter()
                    .map(|amounts| Cell::Share(share(of(amounts), all))),
            );
            table.rows.push(cells);
        };
        let first = self
            .classes
            .iter()
            .position(|parts| sum(parts).units > 0)
            .unwrap_or(0);
        for (class, parts) in self.classes.iter().enumerate().skip(first) {
            row(Cell::Count(class_name(class)), parts);
        }
        row(Cell::Text("Total".to_owned()), &self.total);
        table.total = true;
        table.note = format!(
            "Length in tokens: class 4 has 4 to 7, and so on. Percentages are of all {what}. {}",
            self.counting()
        );
        table
    }
}

fn sum(parts: &[Amounts; 4]) -> Amounts {
    let mut all = Amounts::default();
    for part in parts {
        crate::tables::add_amounts(&mut all, *part);
    }
    all
}
