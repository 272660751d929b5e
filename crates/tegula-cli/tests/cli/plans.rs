//! Plans against runs, and runs under ceilings against runs without.

use crate::corpus;
use crate::rig::{RECIPES, Rig};
use serde_json::Value;
use std::io::Write as _;

const MIB: u64 = 1 << 20;

/// Those that are not for shorter texts only.
fn recipes() -> impl Iterator<Item = &'static str> {
    RECIPES.into_iter().filter(|recipe| *recipe != "messages")
}

fn json(rig: &Rig, line: &str) -> Value {
    serde_json::from_slice(&rig.ok(line).stdout).unwrap()
}

/// Panics where an estimate is off by more than a quarter.
fn close(what: &str, estimate: u64, found: u64) {
    assert!(
        estimate.abs_diff(found) <= found / 4,
        "{what}: a plan of {estimate}, and a run with {found}"
    );
}

/// By how much a program that is built for tests is itself larger than a plan says, in bytes: what a run
/// over one text takes. How much that is depends on the machine, which may map more of a program than is
/// called; no more than 48 MiB, so that it is noticed if all runs take more.
fn larger(rig: &Rig, recipe: &str) -> u64 {
    if !cfg!(debug_assertions) {
        return 0;
    }
    rig.write("one.jsonl", corpus::jsonl(&corpus::texts(1, 200)));
    let plan = json(rig, &format!("plan one.jsonl --recipe {recipe} --json"));
    let run = json(
        rig,
        &format!("dedup one.jsonl -o out.jsonl --overwrite --recipe {recipe} --json -q"),
    );
    let bytes = |value: &Value| value.as_u64().unwrap();
    let larger = bytes(&run["peak_memory"]).saturating_sub(bytes(&plan["estimate"]["peak"]));
    larger.min(48 * MIB)
}

/// Those that take ten times as long to read texts as others.
const SLOW: [&str; 5] = ["benko", "cops", "cosine", "i-match", "simfinder"];

#[test]
fn a_plan_of_one_file_says_what_a_run_takes() {
    // More than a sample has, so that there is something to extrapolate.
    let rig = Rig::new();
    rig.write("texts.jsonl", corpus::jsonl(&corpus::texts(12_000, 200)));
    plan_and_run(&rig, "texts.jsonl", ["copies", "sketch"]);
}

#[test]
fn a_plan_says_what_a_run_takes() {
    let rig = Rig::new();
    files(&rig, &corpus::texts(5000, 200));
    let quick = recipes().filter(|recipe| !SLOW.contains(recipe));
    plan_and_run(&rig, "texts", quick);
}

#[test]
fn a_plan_says_what_a_slow_run_takes() {
    let rig = Rig::new();
    files(&rig, &corpus::texts(4000, 200));
    plan_and_run(&rig, "texts", SLOW);
}

#[test]
fn a_plan_says_what_a_run_of_messages_takes() {
    let rig = Rig::new();
    files(&rig, &corpus::texts(40_000, 15));
    plan_and_run(&rig, "texts", ["messages"]);
}

/// Writes texts into a folder of so many files that only every second one is in a sample.
fn files(rig: &Rig, texts: &[String]) {
    for (at, part) in texts.chunks(texts.len() / 32).enumerate() {
        rig.write(&format!("texts/{at:02}.jsonl"), corpus::jsonl(part));
    }
}

/// Compares plans with runs over an input.
fn plan_and_run(rig: &Rig, input: &str, recipes: impl IntoIterator<Item = &'static str>) {
    let output = input.replace("texts", "out");
    for recipe in recipes {
        let plan = json(
            rig,
            &format!("plan {input} --recipe {recipe} --json --threads 1"),
        );
        let run = json(
            rig,
            &format!(
                "dedup {input} -o {output} --overwrite --recipe {recipe} --json -q --threads 1"
            ),
        );
        let (estimate, number) = (&plan["estimate"], |value: &Value| {
            value
                .as_u64()
                .unwrap_or_else(|| panic!("{recipe}: {value}"))
        });
        // A run of several stages says so of the whole only what it took.
        let first = run.get("stages").map_or(&run, |stages| &stages[0]);
        for stage in plan["stages"].as_array().unwrap() {
            assert!(
                stage["sample"]["records"].as_u64() < first["records"].as_u64(),
                "{recipe}: the sample is the whole"
            );
            let passes = stage["passes"].as_str().unwrap();
            assert!(
                passes.starts_with("one: ") || passes.starts_with("two: "),
                "{passes}"
            );
        }
        close(
            &format!("{recipe}: records"),
            number(&estimate["records"]),
            number(&first["records"]),
        );
        close(
            &format!("{recipe}: tokens"),
            number(&estimate["tokens"]),
            number(&first["balance"]["in"]["tokens"]),
        );
        if cfg!(target_os = "linux") {
            let (estimate, found) = (number(&estimate["peak"]), number(&run["peak_memory"]));
            let program = larger(rig, recipe);
            assert!(
                estimate.abs_diff(found) <= found / 4 + program,
                "{recipe}: a plan of {estimate} bytes, and a run with {found}"
            );
        }
        let least = number(&estimate["minimum"]).div_ceil(MIB);
        let above = least * 5 / 4;
        rig.ok(&format!("dedup {input} -o {output} --overwrite --recipe {recipe} -q --threads 1 --memory {above}M"));
        let below = least * 3 / 4;
        if below >= 64 {
            let ended =
                rig.run(&format!("dedup {input} -o {output} --overwrite --recipe {recipe} -q --threads 1 --memory {below}M"));
            assert_eq!(
                ended.code, 2,
                "{recipe}: the least is {least} MiB, but {below} are enough"
            );
        }
    }
}

#[test]
fn a_plan_announces_the_passes_of_a_run() {
    let rig = Rig::new();
    rig.write("in.jsonl", corpus::jsonl(&corpus::texts(20_000, 200)));
    let limits = "--recipe sscr --threads 1 --memory 64M --scratch scratch:20M";
    let plan = json(&rig, &format!("plan in.jsonl --json {limits}"));
    let fit = &plan["estimate"]["fit"];
    assert_eq!(fit["fit"], "passes", "{plan}");
    let passes = fit["passes"].as_u64().unwrap();
    let output = rig.ok(&format!("plan in.jsonl {limits}"));
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.contains(&format!("reads all texts {passes} times")),
        "{output}"
    );
    let run = rig.ok(&format!("dedup in.jsonl -o out.jsonl {limits}"));
    assert!(
        run.stderr.contains(&format!("read {passes} times")),
        "a plan of {passes} passes: {}",
        run.stderr
    );
    // With room on scratch, one pass.
    let plan = json(
        &rig,
        "plan in.jsonl --json --recipe sscr --threads 1 --memory 64M",
    );
    assert_eq!(plan["estimate"]["fit"]["fit"], "spills", "{plan}");
}

#[test]
fn a_plan_extrapolates_files_of_every_kind() {
    let texts = corpus::texts(15_000, 200);
    let rig = Rig::new();
    let zst = |content: &str| zstd::encode_all(content.as_bytes(), 3).unwrap();
    let lines = corpus::jsonl(&texts);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(lines.as_bytes()).unwrap();
    rig.write("a.jsonl.zst", zst(&lines))
        .write("a.jsonl.gz", gz.finish().unwrap())
        .write("a.csv", corpus::table(&texts, ','))
        .write("a.vert.zst", zst(&corpus::vertical(&texts)))
        .write("a.xml", corpus::tei(&texts));
    // Files of many sizes: the first are the smallest.
    let mut from = 0;
    for (at, end) in (0..40).map(|at| (at, 15_000 * (at + 1) * (at + 1) / 1600)) {
        rig.write(
            &format!("many/{at:02}.jsonl"),
            corpus::jsonl(&texts[from..end]),
        );
        from = end;
    }
    rig.ok("dedup a.csv -o a.parquet --recipe exact -q");
    let words: usize = texts.iter().map(|text| text.split(' ').count()).sum();
    for name in [
        "a.jsonl.zst",
        "a.jsonl.gz",
        "a.csv",
        "a.parquet",
        "a.vert.zst",
        "a.xml",
        "many",
    ] {
        let plan = json(&rig, &format!("plan {name} --json --threads 1"));
        let number = |what: &str| plan["estimate"][what].as_u64().unwrap();
        close(&format!("{name}: records"), number("records"), 15_000);
        close(&format!("{name}: tokens"), number("tokens"), words as u64);
    }
}

#[test]
fn every_format_keeps_to_every_ceiling_and_gives_the_same_bytes() {
    let texts = corpus::texts(1_500, 200);
    let rig = Rig::new();
    let lines = corpus::jsonl(&texts);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(lines.as_bytes()).unwrap();
    rig.write("a.jsonl", &lines)
        .write(
            "a.jsonl.zst",
            zstd::encode_all(lines.as_bytes(), 3).unwrap(),
        )
        .write("a.jsonl.gz", gz.finish().unwrap())
        .write("a.csv", corpus::table(&texts, ','))
        .write("a.tsv", corpus::table(&texts, '\t'))
        .write("a.vert", corpus::vertical(&texts))
        .write("a.xml", corpus::tei(&texts));
    rig.ok("dedup a.csv -o a.parquet --recipe exact -q");
    for name in [
        "a.jsonl",
        "a.jsonl.zst",
        "a.jsonl.gz",
        "a.csv",
        "a.tsv",
        "a.parquet",
        "a.vert",
        "a.xml",
    ] {
        keeps_to_ceilings(&rig, name, "copies");
    }
    // Fewer texts for recipes that take ten times as long to read as others.
    rig.write("few.jsonl", corpus::jsonl(&texts[..600]));
    for recipe in recipes() {
        let name = if SLOW.contains(&recipe) {
            "few.jsonl"
        } else {
            "a.jsonl"
        };
        keeps_to_ceilings(&rig, name, recipe);
    }
}

/// Runs under ceilings, with one thread and two; a run that is refused is run again under the
/// ceiling that it names.
fn keeps_to_ceilings(rig: &Rig, name: &str, recipe: &str) {
    let line = format!("dedup {name} -o out-{name} --overwrite --recipe {recipe} --json -q");
    rig.ok(&line);
    let expected = rig.read(&format!("out-{name}"));
    let program = larger(rig, recipe);
    for (ceiling, threads) in [(64, 1), (64, 2), (96, 2)] {
        let under =
            |ceiling: u64| rig.run(&format!("{line} --memory {ceiling}M --threads {threads}"));
        let (mut ceiling, mut ended) = (ceiling, under(ceiling));
        if ended.code == 2 {
            let named = ended
                .stderr
                .split("at least ")
                .nth(1)
                .and_then(|rest| rest.split('M').next())
                .map(str::parse);
            ceiling = named
                .unwrap_or_else(|| panic!("{name}, {recipe}: {}", ended.stderr))
                .unwrap();
            ended = under(ceiling);
        }
        assert_eq!(
            ended.code, 0,
            "{name}, {recipe}, {threads} threads under {ceiling}M: {}",
            ended.stderr
        );
        assert!(
            rig.read(&format!("out-{name}")) == expected,
            "{name}, {recipe}: other bytes under {ceiling}M"
        );
        let run: Value = serde_json::from_slice(&ended.stdout).unwrap();
        if let Some(peak) = run["peak_memory"].as_u64() {
            let most = (ceiling + 16).max(ceiling * 11 / 10);
            assert!(
                peak <= most * MIB + program,
                "{name}, {recipe}, {threads} threads: {} MiB under {ceiling}M",
                peak / MIB
            );
        }
    }
}

#[test]
fn a_plan_says_what_a_cluster_would_cost() {
    let rig = Rig::new();
    rig.write("texts.jsonl", corpus::jsonl(&corpus::texts(2_000, 200)));
    let cost = |options: &str| {
        json(&rig, &format!("plan texts.jsonl --json {options}"))["cluster"].clone()
    };
    let number = |cost: &Value, name: &str| {
        cost[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name}: {cost}"))
    };
    assert!(cost("").is_null());
    let unknown = cost("--engine spark");
    assert!(unknown["seconds"].is_null());
    let (few, many) = (cost("--executors 1"), cost("--engine spark --executors 8"));
    for name in ["shuffled", "cpu", "driver"] {
        assert!(number(&few, name) > 0 && few[name] == many[name] && few[name] == unknown[name]);
    }
    assert!(number(&few, "seconds") >= number(&many, "seconds"));
    // Keys of texts are less than rows of all shingles, and terms more.
    let shuffled = |recipe: &str| {
        number(
            &cost(&format!("--executors 1 --recipe {recipe}")),
            "shuffled",
        )
    };
    assert!(shuffled("exact") < shuffled("sketch"));
    assert!(shuffled("sketch") < shuffled("copies"));
    assert!(shuffled("copies") < shuffled("cosine"));
    let shown = String::from_utf8(rig.ok("plan texts.jsonl --executors 1").stdout).unwrap();
    assert!(shown.contains("with 1 executor of 4 cores each"), "{shown}");
    for (options, reason) in [
        ("--executors 0", "1 or more"),
        ("--engine here --executors 2", "--engine spark"),
        (
            "--engine spark --recipe onion",
            "not supported on a cluster",
        ),
    ] {
        let said = rig.refused("plan texts.jsonl", &[options]);
        assert!(said.contains(reason), "{said}");
    }
}
