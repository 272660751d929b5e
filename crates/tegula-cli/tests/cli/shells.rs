//! What shells and `man` get, and names that do not exist.

use crate::rig::Rig;

#[test]
fn completions_know_the_commands() {
    let rig = Rig::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = rig.ok(&format!("completions {shell}"));
        assert!(script.out().contains("min-tokens"), "{shell}");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let rig = Rig::new();
    rig.ok("man man1");
    let page = rig.text("man1/tegula-dedup.1");
    assert!(
        page.contains(".TH tegula-dedup 1") && page.contains("min\\-tokens"),
        "{page}"
    );
    assert!(rig.text("man1/tegula.1").contains("tegula"));
    rig.ok("man man1");
}

#[test]
fn slips_are_answered_with_what_was_meant() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        "{\"text\": \"a b c\", \"date\": \"2001-01-01\"}\n",
    );
    for (line, meant) in [
        (
            "dedup a.jsonl -o b.jsonl --recipe copis",
            "did you mean 'copies'?",
        ),
        (
            "dedup a.jsonl -o b.jsonl --keep newest:daet",
            "did you mean 'date'?",
        ),
        ("dedpu a.jsonl", "'dedup'"),
    ] {
        let refused = rig.run(line);
        assert!(
            refused.shown().contains(meant),
            "{line}: {}",
            refused.shown()
        );
    }
}

#[test]
fn versions_say_what_runs() {
    let rig = Rig::new();
    assert!(
        rig.ok("--version")
            .out()
            .contains("vector instructions in use: ")
    );
    assert_eq!(rig.ok("-V").out().lines().count(), 1);
    assert!(rig.ok("help dedup").out().contains("Usage: tegula dedup"));
}
