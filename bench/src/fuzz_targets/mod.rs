//! Fuzz targets: functions that take any bytes, call the public interface, and panic where an
//! invariant does not hold.
//!
//! The wrappers in `fuzz/` hand them to libFuzzer; the test below runs each of them on a few
//! thousand inputs, changed from good ones by a generator with a fixed seed, so that every run of
//! the tests is a short, repeatable fuzz run.
//!
//! What an invariant is: no panic on any input; what is read is in order and in range; reading
//! twice gives the same; writing back unchanged gives the same bytes; a fast path gives what its
//! definition gives; what is printed can be read again.

mod config;
mod cut;
mod files;
mod readers;
mod rig;
mod text;

pub use config::{recipe_toml, staged_toml, threshold};
pub use cut::cut_passages;
pub use files::{compressed, onion_drop_in, parquet_reader, quiet_guards, run_folder};
pub use readers::{
    conllu_reader, csv_reader, document_reader, encoding, json_reader, jsonl_reader, mail_reader,
    pairs_tsv, tags, tei_reader, vertical_reader, web_reader,
};
pub use text::{dates, segment, tokens};

use crate::random::Random;

/// A fuzz target with inputs to begin with.
pub struct Target {
    /// Its name, that of its wrapper too.
    pub name: &'static str,
    /// The function.
    pub run: fn(&[u8]),
    /// Good inputs, and pieces that bad ones may be made of.
    pub seeds: &'static [&'static str],
    /// Inputs in a short run; those that write files cost more.
    pub rounds: usize,
}

/// All targets.
pub const TARGETS: [Target; 23] = [
    Target {
        name: "tokens",
        run: tokens,
        seeds: text::SEEDS,
        rounds: 6000,
    },
    Target {
        name: "segment",
        run: segment,
        seeds: text::SEEDS,
        rounds: 6000,
    },
    Target {
        name: "cut_passages",
        run: cut_passages,
        seeds: cut::TEXTS,
        rounds: 1500,
    },
    Target {
        name: "dates",
        run: dates,
        seeds: text::DATES,
        rounds: 6000,
    },
    Target {
        name: "recipe_toml",
        run: recipe_toml,
        seeds: config::RECIPES,
        rounds: 4000,
    },
    Target {
        name: "threshold",
        run: threshold,
        seeds: config::THRESHOLDS,
        rounds: 10_000,
    },
    Target {
        name: "json_reader",
        run: json_reader,
        seeds: readers::JSON,
        rounds: 400,
    },
    Target {
        name: "web_reader",
        run: web_reader,
        seeds: readers::WEB,
        rounds: 400,
    },
    Target {
        name: "document_reader",
        run: document_reader,
        seeds: readers::DOCUMENTS,
        rounds: 200,
    },
    Target {
        name: "mail_reader",
        run: mail_reader,
        seeds: readers::MAIL,
        rounds: 400,
    },
    Target {
        name: "jsonl_reader",
        run: jsonl_reader,
        seeds: readers::JSONL,
        rounds: 400,
    },
    Target {
        name: "csv_reader",
        run: csv_reader,
        seeds: readers::CSV,
        rounds: 400,
    },
    Target {
        name: "vertical_reader",
        run: vertical_reader,
        seeds: readers::VERTICAL,
        rounds: 400,
    },
    Target {
        name: "tags",
        run: tags,
        seeds: readers::TAGS,
        rounds: 400,
    },
    Target {
        name: "conllu_reader",
        run: conllu_reader,
        seeds: readers::CONLLU,
        rounds: 400,
    },
    Target {
        name: "tei_reader",
        run: tei_reader,
        seeds: readers::TEI,
        rounds: 400,
    },
    Target {
        name: "encoding",
        run: encoding,
        seeds: readers::ENCODED,
        rounds: 400,
    },
    Target {
        name: "pairs_tsv",
        run: pairs_tsv,
        seeds: readers::PAIRS,
        rounds: 400,
    },
    Target {
        name: "staged_toml",
        run: staged_toml,
        seeds: config::STAGED,
        rounds: 3000,
    },
    Target {
        name: "parquet_reader",
        run: parquet_reader,
        seeds: files::CHANGES,
        rounds: 300,
    },
    Target {
        name: "compressed",
        run: compressed,
        seeds: files::PACKED,
        rounds: 400,
    },
    Target {
        name: "run_folder",
        run: run_folder,
        seeds: files::RUNS,
        rounds: 300,
    },
    Target {
        name: "onion_drop_in",
        run: onion_drop_in,
        seeds: readers::VERTICAL,
        rounds: 200,
    },
];

/// An input made from the seeds by one to eight changes: bytes flipped, put in, taken out,
/// repeated, or pieces of another seed put in.
pub fn mutated(seeds: &[&str], random: &mut Random) -> Vec<u8> {
    let mut input = random
        .pick(seeds)
        .map_or_else(Vec::new, |seed| seed.as_bytes().to_vec());
    for _ in 0..random.between(1, 8) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(12)).min(input.len());
        match random.below(6) {
            0 if at < input.len() => input[at] ^= 1 << random.below(8),
            1 => input.insert(at, random.below(256) as u8),
            2 => drop(input.drain(at..end)),
            3 => {
                let again = input[at..end].to_vec();
                input.splice(at..at, again);
            }
            4 => input.insert(
                at,
                *random.pick(b"\n\r\t\"'\\<>&{}[],;:=. 0\0").unwrap_or(&b' '),
            ),
            _ => {
                let other = random.pick(seeds).map_or(&b""[..], |seed| seed.as_bytes());
                let from = random.below(other.len() + 1);
                let to = (from + random.below(24)).min(other.len());
                input.splice(at..end, other[from..to].iter().copied());
            }
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str) {
        let target = TARGETS.iter().find(|target| target.name == name).unwrap();
        let mut random = Random::new(0x7e9);
        let seeds = target.seeds.iter().map(|seed| seed.as_bytes().to_vec());
        let changed: Vec<Vec<u8>> = (0..target.rounds)
            .map(|_| mutated(target.seeds, &mut random))
            .collect();
        for input in seeds.chain([Vec::new()]).chain(changed) {
            if let Err(panic) = std::panic::catch_unwind(|| (target.run)(&input)) {
                println!("{name} fails on b\"{}\"", input.escape_ascii());
                std::panic::resume_unwind(panic);
            }
        }
    }

    macro_rules! smoke {
        ($($name:ident),+) => {
            const SMOKED: &[&str] = &[$(stringify!($name)),+];
            $(#[test] fn $name() { run(stringify!($name)); })+
        };
    }

    smoke!(
        tokens,
        segment,
        cut_passages,
        dates,
        recipe_toml,
        threshold,
        json_reader,
        web_reader,
        document_reader,
        mail_reader,
        jsonl_reader,
        csv_reader,
        vertical_reader,
        tags,
        conllu_reader,
        tei_reader,
        encoding,
        pairs_tsv,
        staged_toml,
        parquet_reader,
        compressed,
        run_folder,
        onion_drop_in
    );

    #[test]
    fn what_long_runs_found_worth_keeping_is_run_again() {
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
        for target in &TARGETS {
            let Ok(entries) = std::fs::read_dir(corpus.join(target.name)) else {
                continue;
            };
            let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            for path in paths {
                let input = std::fs::read(&path).unwrap();
                if let Err(panic) = std::panic::catch_unwind(|| (target.run)(&input)) {
                    println!("{} fails on {}", target.name, path.display());
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }

    #[test]
    fn every_target_is_run_and_has_a_wrapper() {
        assert!(
            TARGETS
                .iter()
                .map(|target| target.name)
                .eq(SMOKED.iter().copied())
        );
        let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
        let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        for target in &TARGETS {
            let name = target.name;
            assert!(
                manifest.contains(&format!("name = \"{name}\"")),
                "fuzz/Cargo.toml: {name}"
            );
            let wrapper =
                std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
            assert!(
                wrapper.contains(&format!("fuzz_targets::{name}(data)")),
                "{name}"
            );
        }
    }
}
