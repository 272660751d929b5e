//! Five small programs, each with nothing but what the crates document.
#![cfg(test)]

use std::fs;
use tegula::{Cancel, Dedup, ErrorKind, Record};
use tegula_run::{Host, PairsKept, RunSpec, recipe};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

const NOON: &str =
    "The harbour was closed at noon because of the storm, the port authority said on Monday.";
const FERRIES: &str = "Two more ferries were cancelled in the evening, and the last train left without its passengers.";

#[test]
fn strings_to_survivors() -> Result {
    let texts = [
        NOON.to_owned(),
        FERRIES.to_owned(),
        format!("HARBOUR NEWS. {NOON}"),
    ];
    let result = Dedup::recipe("copies")?.threshold("0.9")?.run(&texts)?;
    let kept: Vec<&String> = result.kept().map(|index| &texts[index]).collect();
    assert_eq!(kept, [&texts[1], &texts[2]]);
    for removed in result.removed() {
        assert_eq!(
            format!(
                "{} is a copy of {} ({})",
                removed.index, removed.witness, removed.score
            ),
            "0 is a copy of 2 (1)"
        );
    }
    Ok(())
}

#[test]
fn a_folder_of_jsonl_to_parquet_with_evidence() -> Result {
    let folder = tempfile::tempdir()?;
    let [input, output, run] = ["in", "out.parquet", "run"].map(|name| folder.path().join(name));
    fs::create_dir(&input)?;
    fs::write(
        input.join("a.jsonl"),
        format!("{{\"id\": 1, \"text\": \"{NOON}\"}}\n{{\"id\": 2, \"text\": \"{FERRIES}\"}}\n"),
    )?;
    fs::write(
        input.join("b.jsonl"),
        format!("{{\"id\": 3, \"text\": \"{NOON} More follows.\"}}\n"),
    )?;
    let spec = RunSpec::dedup(recipe("copies")?, [&input], &output).keeping(&run, PairsKept::All);
    let outcome = tegula_run::run(&Host::usual()?, &spec)?;
    assert_eq!(
        outcome
            .removed()
            .map(|removed| (removed.id, removed.witness))
            .collect::<Vec<_>>(),
        [("1".into(), Some("3".into()))]
    );
    assert!(output.is_file() && run.join("verdicts.parquet").is_file());
    Ok(())
}

#[test]
fn one_removal_explained() -> Result {
    let texts = [NOON.to_owned(), format!("{NOON} More follows.")];
    let dedup = Dedup::new();
    let result = dedup.run(&texts)?;
    let removed = result.removed().next().ok_or("nothing was removed")?;
    let witness = removed.witness.index().ok_or("there is no witness")?;
    let compared = dedup.compare(&texts[removed.index], &texts[witness])?;
    assert_eq!(
        &texts[witness][compared.passages[0].b.clone()],
        NOON.trim_end_matches('.')
    );
    Ok(())
}

#[test]
fn a_run_that_is_cancelled() -> Result {
    let cancel = Cancel::new();
    cancel.cancel();
    let error = Dedup::new()
        .cancel(&cancel)
        .run([NOON, FERRIES])
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    Ok(())
}

#[test]
fn a_recipe_from_toml() -> Result {
    let own = "recipe = 'ssr'\ntitle = 'Short messages'\nngram = 2\nthreshold = 0.5\n";
    let records = [
        Record::new("call now and win")
            .id("a")
            .field("date", "2024-01-01"),
        Record::new("call now and win big")
            .id("b")
            .field("date", "2024-01-02"),
    ];
    let result = Dedup::toml(own)?.keep("newest:date")?.run(&records)?;
    assert_eq!(
        result
            .kept()
            .filter_map(|index| result.id(index))
            .collect::<Vec<_>>(),
        ["b"]
    );
    Ok(())
}
