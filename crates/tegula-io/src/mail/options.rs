//! Options for mail.

use crate::format_name::{FormatName, OfFormats};

tegula::options! {
    /// Options for mail.
    pub struct MailOptions under "Mail" {
        /// Mail: how to treat quoted replies, forwarded messages, signatures and list footers
        /// [default: keep]
        pub quoted: Option<Quoted> => "HOW",

        /// Mail: whether to compare attachments as well [default: compare]
        pub attachments: Option<Attachments> => "HOW",
    }
}

impl OfFormats for MailOptions {
    const FORMATS: &'static [FormatName] = &[FormatName::Eml, FormatName::Mbox];
}

impl MailOptions {
    /// How to treat quoted text.
    pub fn quoted(&self) -> Quoted {
        self.quoted.unwrap_or_default()
    }

    /// Whether attachments are part of what a message is.
    pub fn attachments(&self) -> Attachments {
        self.attachments.unwrap_or_default()
    }
}

tegula::choices! {
    /// How to treat quoted text in mail: replies, forwarded messages, signatures and list footers.
    pub enum Quoted, by default Keep {
        /// Compare them as part of the message
        Keep = "keep",
        /// Remove them from the text
        Drop = "drop",
        /// Make each quotation a separate paragraph, without its > marks
        Unit = "unit",
    }
}

tegula::choices! {
    /// Whether the attachments of mail are part of what a message is.
    pub enum Attachments, by default Compare {
        /// Compare only messages with the same attachments, by their contents
        Compare = "compare",
        /// Compare texts only
        Ignore = "ignore",
    }
}
