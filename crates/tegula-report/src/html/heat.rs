//! A heat map: a table of shares, in which larger shares have darker cells.

use maud::{Markup, html};

use super::clean;

/// A table of shares.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Its title.
    pub title: String,
    /// What the rows differ in, and what the columns do.
    pub corner: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The head of each row, and its shares, 0 to 1.
    pub rows: Vec<(String, Vec<f64>)>,
}

/// The CSS class of a share: 1 to 10 by tenths.
pub(super) fn shade(share: f64) -> String {
    format!("c{}", ((share * 10.0) as usize + 1).min(10))
}

/// The map.
pub fn heat(heat: &Heat) -> Markup {
    html! {
        div.box tabindex="0" role="group" aria-label=(clean(&heat.title)) {
            table.heat {
                caption { (clean(&heat.title)) }
                thead { tr { td { (clean(&heat.corner)) } @for head in &heat.columns { th.n scope="col" { (clean(head)) } } } }
                tbody { @for (head, shares) in &heat.rows { tr {
                    th.n scope="row" { (clean(head)) }
                    @for share in shares { td class=(shade(*share)) { (format!("{:.1} %", 100.0 * share)) } }
                } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_shares_are_darker() {
        assert_eq!([0.0, 0.09, 0.5, 1.0].map(shade), ["c1", "c1", "c6", "c10"]);
        let shown = heat(&Heat {
            title: "Tokens <removed>".into(),
            corner: "threshold".into(),
            columns: vec!["5-grams".into()],
            rows: vec![("0.9".into(), vec![0.256])],
        })
        .into_string();
        assert!(
            shown.contains("<td class=\"c3\">25.6 %</td>") && shown.contains("&lt;removed&gt;"),
            "{shown}"
        );
    }
}
