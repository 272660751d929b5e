#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tegula_bench::fuzz_targets::document_reader(data));
