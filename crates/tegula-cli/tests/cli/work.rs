//! What runs do, in figures that no machine changes: a change that makes them do more is seen here.

use crate::corpus;
use crate::rig::Rig;
use serde_json::Value;

/// For each recipe its features, pairs met and pairs compared, and how often the input is read, on
/// two thousand made texts.
const FIGURES: [(&str, [u64; 4]); 16] = [
    ("exact", [0, 0, 0, 1]),
    ("plain", [0, 0, 0, 1]),
    ("copies", [3633, 564, 564, 2]),
    ("ssr", [3633, 231, 220, 2]),
    ("sscr", [3633, 600, 600, 2]),
    ("ssr-containment", [3633, 357, 356, 2]),
    ("sscr-containment", [3633, 1200, 1200, 2]),
    ("cosine", [184_462, 7181, 1730, 2]),
    ("i-match", [554, 113, 113, 2]),
    ("simhash", [833, 399, 399, 2]),
    ("sketch", [2693, 451, 451, 3]),
    ("sketch-mod", [2603, 591, 591, 3]),
    ("super-shingle", [332, 133, 133, 3]),
    ("simfinder", [30172, 766, 766, 4]),
    ("messages", [623_360, 1_865_912, 1_437_023, 2]),
    ("onion", [0, 0, 0, 2]),
];

fn figures(rig: &Rig, line: &str, length: u64) -> [u64; 4] {
    let run: Value = serde_json::from_slice(&rig.ok(line).stdout).unwrap();
    let work = |name: &str| {
        run["work"][name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name}: {run}"))
    };
    [
        work("features"),
        work("met"),
        work("compared"),
        work("read_bytes") / length,
    ]
}

#[test]
fn runs_do_no_more_than_they_did() {
    let rig = Rig::new();
    let lines = corpus::jsonl(&corpus::texts(2_000, 120));
    rig.write("in.jsonl", &lines);
    let length = lines.len() as u64;
    let (mut seen, mut wrong) = (Vec::new(), Vec::new());
    for (recipe, expected) in FIGURES {
        let line = format!("dedup in.jsonl -o out.jsonl --overwrite --recipe {recipe} --json -q");
        let found = figures(&rig, &format!("{line} --threads 1"), length);
        assert_eq!(
            figures(&rig, &format!("{line} --threads 3"), length),
            found,
            "{recipe}: threads change what is done"
        );
        seen.push(format!("    (\"{recipe}\", {found:?}),"));
        for (name, (found, expected)) in ["features", "met", "compared", "readings"]
            .iter()
            .zip(found.iter().zip(expected))
        {
            // A twentieth more is too much; a tenth less is a new figure.
            if *found * 20 > expected * 21 || *found * 10 < expected * 9 {
                wrong.push(format!(
                    "{recipe}, {name}: expected {expected}, found {found}"
                ));
            }
        }
    }
    let (said, figures) = (wrong.join("\n"), seen.join("\n"));
    assert!(
        wrong.is_empty(),
        "{said}\n\nIf that is as it should be, these are the new figures:\n{figures}"
    );
}
