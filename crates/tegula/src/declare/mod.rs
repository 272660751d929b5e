//! Options, declared once: a struct whose fields are options, with their names, kinds of values and
//! help.
//!
//! [`options!`](crate::options) declares such a struct. From it come the arguments of the command
//! line, the keys of configuration files, keywords of other languages, the JSON of a specification,
//! and pages of documentation: each front end reads [`Options::declared`] and calls
//! [`Options::set`]. A field is given if it differs from an empty one ([`Options::given`]), so that
//! defaults belong to the code that uses it. [`choices!`](crate::choices) declares an enum that is a
//! value.

mod macros;
mod setting;

pub use setting::{
    Character, Choice, Commas, Holds, Kind, Number, Parsed, Setting, is_default, is_unset,
};

use crate::error::Result;
use std::ffi::OsStr;

/// An option.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    /// Its name, in snake case.
    pub name: &'static str,
    /// A placeholder for its value, such as `N`; empty for a switch.
    pub value: &'static str,
    /// What it does: a paragraph, and more after an empty line. Other options in it are marks
    /// ([`option`](mod@crate::option)).
    pub help: &'static str,
    /// The heading under which it is listed; empty if a command line takes it without a name.
    pub heading: &'static str,
    /// How often it may be given.
    pub kind: Kind,
    /// What its value is.
    pub holds: Holds,
    /// The values that it may have, if there are few.
    pub choices: &'static [Choice],
}

impl Declared {
    /// An option with values of a type.
    pub fn of<T: Setting>(
        name: &'static str,
        value: &'static str,
        help: &'static str,
        heading: &'static str,
    ) -> Self {
        Self {
            name,
            value,
            help,
            heading,
            kind: T::KIND,
            holds: T::HOLDS,
            choices: T::choices(),
        }
    }

    /// The paragraphs of its help, each on one line.
    pub fn paragraphs(&self) -> Vec<String> {
        let lines: Vec<&str> = self.help.lines().map(str::trim).collect();
        let paragraphs = lines.split(|line| line.is_empty());
        paragraphs
            .map(|lines| lines.join(" "))
            .filter(|paragraph| !paragraph.is_empty())
            .collect()
    }
}

/// Options that belong together.
pub trait Options: Default + 'static {
    /// All options, in the order in which they are listed.
    fn declared() -> Vec<Declared>;

    /// Sets an option from text, or adds to one that may be repeated; none if there is no such
    /// option.
    ///
    /// # Errors
    /// What was expected and found, if the value is invalid.
    fn set(&mut self, name: &str, text: &OsStr) -> Option<Result<()>>;

    /// The names of the options that are given.
    fn given(&self) -> Vec<&'static str>;
}

#[cfg(test)]
#[expect(
    unreachable_pub,
    dead_code,
    reason = "declarations are public, and have what a test does not use"
)]
mod tests {
    use super::*;

    crate::choices! {
        /// What to do.
        pub enum What, by default Nothing {
            /// Nothing.
            Nothing = "nothing",
            /// All of it, at once.
            All = "all",
        }
    }

    crate::options! {
        /// Some options.
        pub struct Few under "Some" {
            /// How many
            /// [default: any]
            ///
            /// More about it.
            pub count: Option<u32> => "N",
            /// Whether.
            pub whether: bool => "",
            /// Which.
            pub which: Vec<String> => "NAME",
            /// What to do.
            pub what: Option<What> => "WHAT",
        }
    }

    fn set(options: &mut Few, name: &str, text: &str) -> Option<Result<(), String>> {
        let is_set = options.set(name, OsStr::new(text));
        is_set.map(|is_set| is_set.map_err(|error| error.message()))
    }

    #[test]
    fn options_are_set_by_name_and_say_what_is_given() {
        let mut some = Few::default();
        assert_eq!(some.given(), [""; 0]);
        assert_eq!(set(&mut some, "count", "0"), Some(Ok(())));
        assert_eq!(set(&mut some, "which", "a"), Some(Ok(())));
        assert_eq!(set(&mut some, "which", "b"), Some(Ok(())));
        assert_eq!(set(&mut some, "what", "nothing"), Some(Ok(())));
        assert_eq!(set(&mut some, "no such", ""), None);
        // A value that equals the default is given.
        assert_eq!(some.given(), ["count", "which", "what"]);
        let (count, which, what) = (some.count, &some.which, some.what);
        assert_eq!((count, what), (Some(0), Some(What::default())));
        assert_eq!(*which, ["a", "b"]);
        let wrong = set(&mut some, "count", "many").unwrap().unwrap_err();
        assert!(
            wrong.contains("whole number") && wrong.contains("many"),
            "{wrong}"
        );
        let wrong = set(&mut some, "what", "al").unwrap().unwrap_err();
        assert!(wrong.contains("nothing, all"), "{wrong}");
    }

    #[test]
    fn only_what_is_given_is_stored() {
        let mut some = Few::default();
        assert!(toml::Table::try_from(&some).unwrap().is_empty());
        set(&mut some, "whether", "true").unwrap().unwrap();
        set(&mut some, "what", "all").unwrap().unwrap();
        let stored = toml::Table::try_from(&some).unwrap();
        assert_eq!(stored.to_string(), "whether = true\nwhat = \"all\"\n");
        assert_eq!(stored.try_into::<Few>().unwrap(), some);
    }

    #[test]
    fn declarations_say_what_front_ends_need() {
        let all = Few::declared();
        let names: Vec<&str> = all.iter().map(|option| option.name).collect();
        assert_eq!(names, ["count", "whether", "which", "what"]);
        assert_eq!(
            all[0].paragraphs(),
            ["How many [default: any]", "More about it."]
        );
        assert_eq!((all[0].kind, all[0].holds), (Kind::One, Holds::Whole));
        assert_eq!((all[1].kind, all[2].kind), (Kind::Switch, Kind::Many));
        assert_eq!(all[3].choices[1].name, "all");
        assert_eq!(all[3].choices[1].help, "All of it, at once");
    }
}
