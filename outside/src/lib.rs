//! Programs with no more than what the crates document: they are the tests of this package.
