/work/main/outside/target/debug/deps/tegula_outside-cbbd7a0a80249b8b.d: tests/programs.rs

/work/main/outside/target/debug/deps/libtegula_outside-cbbd7a0a80249b8b.rlib: tests/programs.rs

/work/main/outside/target/debug/deps/libtegula_outside-cbbd7a0a80249b8b.rmeta: tests/programs.rs

tests/programs.rs:
