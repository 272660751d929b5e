//! The page on the papers: each of its commands runs, and writes what it names.

use crate::guides::{copy, run};
use crate::rig::testdata;
use std::fs;

/// The papers, and the fewest commands of each.
const PAPERS: [(&str, usize); 5] = [
    ("Kupietz 2005", 15),
    ("Benko 2013", 12),
    ("Flamming 2009/10", 12),
    ("Gong et al. 2008", 8),
    ("*Near Duplicate Algorithms*", 12),
];

/// Options that name an output.
const OUTPUTS: [&str; 6] = ["-o", "--run", "--tables", "--fingerprints", "--sheet", ">"];

#[test]
fn every_item_of_the_papers_has_a_command_that_runs() {
    let page = fs::read_to_string(testdata().join("../docs/papers.md")).unwrap();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), PAPERS.len());
    let folder = tempfile::tempdir().unwrap();
    copy(&testdata().join("guides"), folder.path());
    fs::copy(
        testdata().join("peps.jsonl"),
        folder.path().join("peps.jsonl"),
    )
    .unwrap();
    for (section, (paper, fewest)) in sections.iter().zip(PAPERS) {
        assert!(section.starts_with(paper), "{paper}");
        let block = section.split("```sh\n").nth(1).unwrap();
        let commands: Vec<&str> = block.split("```").next().unwrap().lines().collect();
        assert!(commands.len() >= fewest, "{paper}: {}", commands.len());
        for command in commands {
            let (code, said) = run(command, folder.path());
            assert_eq!(code, 0, "{command}\n{}", said.join("\n"));
            let words: Vec<&str> = command
                .split("  #")
                .next()
                .unwrap()
                .split_whitespace()
                .collect();
            for named in words.windows(2).filter(|two| OUTPUTS.contains(&two[0])) {
                let path = folder.path().join(named[1].trim_end_matches('/'));
                assert!(path.exists(), "{command}: {}", named[1]);
            }
        }
    }
}
