//! `tegula judge`: pairs of a run judged by hand, and what the answers say about all pairs.

use crate::commands::{Asked, Show};
use crate::form;
use crate::terminal::{self, plural, say};
use crate::{interrupt, output};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_report::judge::{Answer, Answers, Judging, Shown};
use tegula_report::side_by_side::{self, Style};
use tegula_run::command::Answer as _;
use tegula_run::commands::judge::{Asker, JudgeSpec, Judged};
use tegula_run::options::Form;

/// Rows of a table.
const ROWS: usize = 60;

impl Show for JudgeSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let form = asked.shown.form.unwrap_or_default();
        let spec = JudgeSpec {
            prints_tsv: form == Form::Tsv,
            ..asked.spec.clone()
        };
        let mut asker = Terminal {
            width: asked.width(),
            path: spec.output.clone().unwrap_or_default(),
        };
        let judged = tegula_run::commands::judge::judge(&asked.host()?, &spec, Some(&mut asker))?;
        if let Some(path) = spec.output.as_deref().filter(|_| !asked.is_quiet()) {
            tell(&judged, path);
        }
        if let Some(estimate) = &judged.estimate {
            let size = (asked.width(), ROWS);
            let formulas = spec.formulas.of(true)?;
            form::print(form, || judged.json(), &estimate.tables(), size, formulas)?;
            if !judged.has_recall && !asked.is_quiet() {
                output::hint(
                    "to estimate recall, draw pairs below the threshold as well: with --near-misses, or with --threshold from a run made at a lower one",
                );
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Says what was written.
fn tell(judged: &Judged, path: &Path) {
    let what = if judged.is_page {
        format!("{} to judge", plural(judged.drawn, "pair"))
    } else {
        plural(judged.answered, "answer")
    };
    output::say(&format!("{what} written to {}", path.display()));
    if judged.is_page {
        output::hint("open it in a browser, save the answers, and estimate with --answers FILE");
    }
}

/// Asks the user of the terminal.
struct Terminal {
    width: usize,
    path: PathBuf,
}

impl Asker for Terminal {
    fn ask(
        &mut self,
        drawn: &Judging,
        texts: &Shown,
        answers: &mut Answers,
        keep: &dyn Fn(&Answers) -> Result<()>,
    ) -> Result<()> {
        interrupt::advise(&format!(
            "the answers so far are in {}: the same command continues",
            self.path.display()
        ));
        let open: Vec<usize> = (0..drawn.drawn.len())
            .filter(|at| !drawn.drawn[*at].is_answered)
            .collect();
        let style = Style {
            width: self.width,
            colours: terminal::colours(),
            full: false,
        };
        let mut stdin = std::io::stdin().lock();
        let (mut at, mut is_shown) = (0, false);
        while let Some(pair) = open.get(at) {
            let ids = &drawn.drawn[*pair].ids;
            if !is_shown {
                let [a, b] = &texts.texts[*pair];
                let found = texts.comparer.compare(a, b);
                let columns = side_by_side::show(&found, (a, b), (&ids[0], &ids[1]), style);
                let mut head = format!("\nPair {} of {}\n", at + 1, open.len());
                if let Some(sentence) = texts.items.compare((a, b)).sentence() {
                    say!(head, "{sentence}");
                }
                output::show(&format!("{head}\n{columns}"))?;
                is_shown = true;
            }
            output::tell("Copies? y yes, n no, ? unsure, b back, q save and quit: ");
            let mut line = Vec::new();
            let read = stdin
                .read_until(b'\n', &mut line)
                .map_err(|error| Error::io("read", Path::new("-"), error))?;
            let answer = match line.trim_ascii() {
                _ if read == 0 => break,
                b"y" | b"Y" => Answer::Copies,
                b"n" | b"N" => Answer::Different,
                b"?" => Answer::Unsure,
                b"q" | b"Q" => break,
                b"b" | b"B" => {
                    at = at.saturating_sub(1);
                    is_shown = false;
                    continue;
                }
                _ => continue,
            };
            answers.set(ids, Some(answer));
            keep(answers)?;
            at += 1;
            is_shown = false;
        }
        output::tell("\n");
        Ok(())
    }
}
