#!/usr/bin/env bash
# The library's unit tests on a big-endian processor, emulated: hashes, verdicts and the bytes of files are the same there. Takes
# some minutes. Needs the target (rustup target add s390x-unknown-linux-gnu), its linker and libraries (Debian: gcc-s390x-linux-gnu,
# libc6-dev-s390x-cross) and qemu-user. Arguments are passed to the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER="qemu-s390x -L /usr/s390x-linux-gnu"
exec cargo test --package tegula --lib --target s390x-unknown-linux-gnu --locked -- "$@"
