//! The declarations themselves.

/// Declares a struct of options: each field with its help, its type and a placeholder for its value.
///
/// The types are `bool` for a switch, `Option<T>` for one value and `Vec<T>` for several, where `T`
/// is [`Parsed`](crate::declare::Parsed). They are listed under their headings.
/// `blocks` are structs of further options, which are stored beside those of the struct, and listed
/// after them or, as `blocks before`, before them;
/// `besides` are fields that are no options.
///
/// A field of another type ([`Setting`](crate::declare::Setting)) must be given. Options under the
/// empty heading are those that a command line takes without a name, in this order.
#[doc(hidden)]
#[macro_export]
macro_rules! options {
    (
        $(#[doc = $about:literal])*
        pub struct $Name:ident $(under $heading:literal {
            $(
                $(#[doc = $help:literal])*
                $(#[serde($($serde:tt)*)])?
                pub $field:ident: $Type:ty => $value:literal,
            )*
        })*
        $(
            blocks $($before:ident)? {
                $($(#[doc = $block_doc:literal])* pub $block:ident: $Block:ty,)*
            }
            besides {
                $($(#[doc = $other_doc:literal])* pub $other:ident: $Other:ty,)*
            }
        )?
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $Name {
            $($(
                $(#[doc = $help])*
                #[serde(skip_serializing_if = "tegula::declare::is_unset")]
                $(#[serde($($serde)*)])?
                pub $field: $Type,
            )*)*
            $(
                $($(#[doc = $block_doc])* #[serde(flatten)] pub $block: $Block,)*
                $(
                    $(#[doc = $other_doc])*
                    #[serde(skip_serializing_if = "tegula::declare::is_default")]
                    pub $other: $Other,
                )*
            )?
        }

        impl $crate::declare::Options for $Name {
            fn declared() -> Vec<$crate::declare::Declared> {
                let own = [$($(
                    $crate::declare::Declared::of::<$Type>(
                        stringify!($field),
                        $value,
                        concat!($($help, "\n"),*),
                        $heading,
                    ),
                )*)*];
                #[allow(unused_mut, reason = "not every struct has blocks")]
                let mut blocks: Vec<$crate::declare::Declared> = Vec::new();
                #[allow(unused_mut, reason = "not every struct has blocks")]
                let mut is_before = false;
                $(
                    is_before = [$(stringify!($before))?].contains(&"before");
                    $(blocks.extend(<$Block as $crate::declare::Options>::declared());)*
                )?
                if is_before {
                    blocks.into_iter().chain(own).collect()
                } else {
                    own.into_iter().chain(blocks).collect()
                }
            }

            fn set(
                &mut self,
                name: &str,
                text: &std::ffi::OsStr,
            ) -> Option<$crate::error::Result<()>> {
                match name {
                    $($(stringify!($field) => {
                        return Some($crate::declare::Setting::set(&mut self.$field, text));
                    })*)*
                    _ => {}
                }
                $($(
                    if let Some(set) = $crate::declare::Options::set(&mut self.$block, name, text) {
                        return Some(set);
                    }
                )*)?
                None
            }

            fn given(&self) -> Vec<&'static str> {
                #[allow(unused_mut, reason = "not every struct has blocks")]
                let mut all: Vec<&'static str> = [$($(
                    (stringify!($field), $crate::declare::Setting::is_given(&self.$field)),
                )*)*]
                .into_iter()
                .filter(|(_, is_given)| *is_given)
                .map(|(name, _)| name)
                .collect();
                $($(all.extend($crate::declare::Options::given(&self.$block));)*)?
                all
            }
        }
    };
}

/// Declares an enum whose variants are the values of an option, each with its word and its meaning.
#[doc(hidden)]
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $about:literal])*
        pub enum $Name:ident $(, by default $Default:ident)? {
            $(
                $(#[doc = $help:literal])*
                $Variant:ident = $word:literal,
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $Name {
            $(
                $(#[doc = $help])*
                #[serde(rename = $word)]
                $Variant,
            )*
        }

        $(impl Default for $Name {
            fn default() -> Self {
                Self::$Default
            }
        })?

        impl $Name {
            /// All of them, in the order in which they are listed.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$Variant),*];

            /// Its word.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $word,)*
                }
            }
        }

        impl $crate::declare::Parsed for $Name {
            const HOLDS: $crate::declare::Holds = $crate::declare::Holds::Choice;

            fn choices() -> &'static [$crate::declare::Choice] {
                const ALL: &[$crate::declare::Choice] = &[$(
                    $crate::declare::Choice::new($word, concat!($($help),*)),
                )*];
                ALL
            }

            fn parsed(text: &str) -> $crate::error::Result<Self> {
                match text {
                    $($word => Ok(Self::$Variant),)*
                    _ => Err($crate::error::ErrorKind::Usage.expected([$($word),*].join(", ")).found(format!("'{text}'"))),
                }
            }
        }
    };
}
