//! A text in memory, with its metadata.

use crate::record::Batch;
use std::borrow::Cow;

/// A text with optional id and metadata fields. Methods that take texts accept records and anything
/// that converts to one: `&str`, `&String`, `String`, `Cow<str>`, references to these, and pairs
/// `(id, text)`.
///
/// A borrowed text is not copied: the record refers to it.
///
/// ```
/// use tegula::Record;
///
/// let record = Record::new("The harbour was closed at noon.").id("a-17").field("date", "2020-01-01");
/// assert_eq!((record.text(), record.value("date")), ("The harbour was closed at noon.", Some("2020-01-01")));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record<'a> {
    text: Cow<'a, str>,
    /// Most records have only a text, and there may be many.
    more: Option<Box<More<'a>>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct More<'a> {
    id: Option<Cow<'a, str>>,
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Record<'a> {
    /// Creates a record from a text.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text: text.into(),
            more: None,
        }
    }

    /// Sets the id, which results show. Ids are only labels: two records may have the same.
    #[must_use]
    pub fn id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.more.get_or_insert_default().id = Some(id.into());
        self
    }

    /// Sets a metadata field, for [`Dedup::keep`](crate::Dedup::keep),
    /// [`Dedup::within`](crate::Dedup::within) and similar methods. If a field is set twice, the
    /// later value counts.
    #[must_use]
    pub fn field(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        self.more
            .get_or_insert_default()
            .fields
            .push((name.into(), value.into()));
        self
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value of a field, if the record has one.
    pub fn value(&self, field: &str) -> Option<&str> {
        let fields = self.more.iter().flat_map(|more| more.fields.iter().rev());
        fields
            .clone()
            .find(|(name, _)| name == field)
            .map(|(_, value)| value.as_ref())
    }

    /// The names of its fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.more
            .iter()
            .flat_map(|more| &more.fields)
            .map(|(name, _)| name.as_ref())
    }

    /// Whether it has an id.
    pub(super) fn has_id(&self) -> bool {
        self.given_id().is_some_and(|id| !id.is_empty())
    }

    fn given_id(&self) -> Option<&str> {
        self.more.as_ref()?.id.as_deref()
    }
}

impl<'a, T: AsRef<str> + ?Sized> From<&'a T> for Record<'a> {
    fn from(text: &'a T) -> Self {
        Self::new(text.as_ref())
    }
}

impl<'a> From<&'a Record<'_>> for Record<'a> {
    fn from(record: &'a Record<'_>) -> Self {
        let borrowed = |value: &'a Cow<str>| Cow::Borrowed(value.as_ref());
        let more = record.more.as_ref().map(|more| {
            let fields = more
                .fields
                .iter()
                .map(|(name, value)| (borrowed(name), borrowed(value)))
                .collect();
            Box::new(More {
                id: more.id.as_ref().map(borrowed),
                fields,
            })
        });
        Self {
            text: borrowed(&record.text),
            more,
        }
    }
}

impl From<String> for Record<'_> {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<Box<str>> for Record<'_> {
    fn from(text: Box<str>) -> Self {
        Self::new(String::from(text))
    }
}

impl<'a> From<Cow<'a, str>> for Record<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::new(text)
    }
}

impl<'a, I: Into<Cow<'a, str>>, T: Into<Cow<'a, str>>> From<(I, T)> for Record<'a> {
    fn from((id, text): (I, T)) -> Self {
        Self::new(text).id(id)
    }
}

impl Batch {
    /// Appends a record: its text, id, and values of the fields `names`, which are those of
    /// [`Source::field_names`](crate::source::Source::field_names). `number` is its place in its
    /// file, counted from 1.
    pub fn push(&mut self, number: u64, record: &Record<'_>, names: &[String]) {
        let mark = self.begin();
        self.text.push_str(record.text());
        if let Some(id) = record.given_id() {
            self.ids.push_str(id);
        }
        self.fields.extend(
            names
                .iter()
                .map(|name| record.value(name).map(str::to_owned)),
        );
        self.finish(
            &mark,
            number,
            number.saturating_sub(1)..number,
            record.given_id().is_some(),
        );
    }
}
