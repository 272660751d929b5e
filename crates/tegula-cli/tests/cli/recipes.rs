//! `tegula recipes`: what is built in, and files that people write.

use crate::rig::{Rig, assert_shown};

/// Every built-in recipe with all its values: results depend on them, and run folders hold their
/// hash.
#[test]
fn built_in_recipes_have_these_values() {
    assert_shown!("recipes_json", Rig::new().run("recipes --json"));
}

const PRESS: &str = r#"recipe = "sscr"
title = "press releases and what became of them"
not_for = "interviews"
ngram = 4
normalise = "kupietz"
"#;

#[test]
fn a_file_is_shown_as_what_is_built_in() {
    let rig = Rig::new();
    rig.write("press.toml", PRESS)
        .write("copies.toml", "recipe = 'copies'")
        .write("benko.toml", rig.ok("recipes benko").out());
    assert_shown!("recipes_file", rig.run("recipes press.toml"));
    assert_shown!("recipes_file_json", rig.run("recipes press.toml --json"));
    rig.write("again.toml", rig.ok("recipes press.toml").out());
    assert_eq!(
        rig.ok("recipes again.toml").out(),
        rig.ok("recipes press.toml").out()
    );
    for name in ["copies", "benko"] {
        for json in ["", " --json"] {
            assert_eq!(
                rig.ok(&format!("recipes {name}.toml{json}")).out(),
                rig.ok(&format!("recipes {name}{json}")).out()
            );
        }
    }
}

#[test]
fn files_that_are_no_recipes_are_named() {
    let rig = Rig::new();
    let mut all = String::new();
    for (name, toml) in [
        ("field", "ngrm = 3"),
        ("syntax", "ngram = = 3"),
        ("text", "title = 3"),
        ("base", "recipe = 'nothing'"),
        ("steps", "normalise = 'nothing'"),
        ("stage", "[[stage]]\ntitle = 'a stage has a name'"),
        ("staged", "colour = 'red'\n[[stage]]"),
    ] {
        rig.write(&format!("{name}.toml"), toml);
        all += &rig.run(&format!("recipes {name}.toml")).stderr;
    }
    all += &rig.run("recipes missing.toml").stderr;
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("recipes_broken", all);
    });
}
