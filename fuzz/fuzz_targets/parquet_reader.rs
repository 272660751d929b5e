#![no_main]

libfuzzer_sys::fuzz_target!(init: tegula_bench::fuzz_targets::quiet_guards(), |data: &[u8]| {
    tegula_bench::fuzz_targets::parquet_reader(data);
});
