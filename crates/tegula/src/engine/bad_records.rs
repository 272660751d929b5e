//! Records that cannot be read, and what is done with them.

use crate::error::Result;
use crate::record::BadRecord;

/// What to do with records that cannot be read.
pub trait BadRecords {
    /// Receives each, in input order, with the index of its file; an error ends the run.
    ///
    /// # Errors
    /// If the run is to end.
    fn bad(&mut self, file: u32, record: BadRecord) -> Result<()>;
}

/// Ends the run at the first bad record.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailOnBad;

impl BadRecords for FailOnBad {
    fn bad(&mut self, _: u32, record: BadRecord) -> Result<()> {
        Err(record.error)
    }
}

/// Passes on each bad record once, however often the input is read from its beginning.
pub(crate) struct Once<'a> {
    to: &'a mut dyn BadRecords,
    reported: u64,
    met: u64,
}

impl<'a> Once<'a> {
    pub(crate) fn new(to: &'a mut dyn BadRecords) -> Self {
        Self {
            to,
            reported: 0,
            met: 0,
        }
    }

    /// The input is about to be read from its beginning.
    pub(crate) fn begin(&mut self) {
        self.met = 0;
    }
}

impl BadRecords for Once<'_> {
    fn bad(&mut self, file: u32, record: BadRecord) -> Result<()> {
        self.met += 1;
        if self.met <= self.reported {
            return Ok(());
        }
        self.to.bad(file, record)?;
        self.reported = self.met;
        Ok(())
    }
}

/// Skips bad records without a report, as they were reported in an earlier pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told;

impl BadRecords for Told {
    fn bad(&mut self, _: u32, _: BadRecord) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// Accepts some records, and then none.
    struct Accepts(Vec<u64>, usize);

    impl BadRecords for Accepts {
        fn bad(&mut self, _: u32, record: BadRecord) -> Result<()> {
            if self.0.len() == self.1 {
                return Err(record.error);
            }
            self.0.push(record.number);
            Ok(())
        }
    }

    #[test]
    fn bad_records_are_told_once_and_refused_again() {
        let read = |once: &mut Once, records: &[u64]| {
            once.begin();
            records.iter().try_for_each(|number| {
                once.bad(
                    0,
                    BadRecord {
                        number: *number,
                        bytes: 0..1,
                        raw: Vec::new(),
                        error: ErrorKind::Data.expected("a record").found("another"),
                    },
                )
            })
        };
        let mut reported = Accepts(Vec::new(), 3);
        let mut once = Once::new(&mut reported);
        // A reading that ends early, two whole ones, and one with a record that ends it each time.
        for some in [&[2, 5][..], &[2, 5, 7], &[2, 5, 7]] {
            assert!(read(&mut once, some).is_ok());
        }
        for _ in 0..2 {
            assert!(read(&mut once, &[2, 5, 7, 9]).is_err());
        }
        assert_eq!(reported.0, [2, 5, 7]);
    }
}
