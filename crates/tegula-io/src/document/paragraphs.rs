//! Text that grows by paragraphs.

/// Paragraphs with blank lines between them.
#[derive(Debug, Default)]
pub(super) struct Paragraphs {
    text: String,
    /// Where the paragraph begins that is being written.
    start: usize,
}

impl Paragraphs {
    /// Adds to the paragraph.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a character to the paragraph.
    pub(super) fn push_char(&mut self, char: char) {
        self.text.push(char);
    }

    /// Ends the paragraph, without the white space around it; one without text is dropped.
    pub(super) fn end(&mut self) {
        let paragraph = &self.text[self.start..];
        let indent = paragraph.len() - paragraph.trim_start().len();
        self.text.drain(self.start..self.start + indent);
        self.text
            .truncate(self.text.trim_end().len().max(self.start));
        if self.text.len() == self.start {
            return;
        }
        self.text.push_str("\n\n");
        self.start = self.text.len();
    }

    /// The text, without white space at its end.
    pub(super) fn finish(mut self) -> String {
        self.end();
        self.text.truncate(self.text.trim_end().len());
        self.text
    }
}
