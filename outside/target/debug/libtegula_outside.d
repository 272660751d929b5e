/work/main/outside/target/debug/libtegula_outside.rlib: /work/main/outside/tests/programs.rs
