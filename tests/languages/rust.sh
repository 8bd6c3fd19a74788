#!/bin/sh
# The Rust crates: their tests, the example, the layout of the declarations, formatting.
# packages: rustc cargo rustfmt
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=rust
. "$root/tests/languages/support"

# Debian's compiler, the oldest that the crates support, even if the user has a newer one in front of it.
export PATH="/usr/bin:$PATH" CARGO_TARGET_DIR="$scratch/target" CARGO_HOME="$scratch/cargo" CARGO_TERM_COLOR=never
crates=$(folder_of share/mindtorch/rust)

compiles() { (cd "$root/tests/languages/rust" && RUSTFLAGS='-D warnings' with_crates test --no-run); }
example() { (cd "$root/examples/rust" && RUSTFLAGS='-D warnings' with_crates run --bin spiral); }
adds_up() {
  (cd "$root/examples/rust" && RUSTFLAGS='-D warnings' with_crates run --bin allreduce) >"$scratch/allreduce.txt" &&
    [ "$(cat "$scratch/allreduce.txt")" = "every process has 10 20 30 40 50" ]
}
is_formatted() {
  # shellcheck disable=SC2046  # find prints paths without blanks; lib.rs is left out, because it includes generated files
  (cd "$root" && rustfmt --edition 2021 --config-path bindings/rust/rustfmt.toml --check bindings/rust/*/build.rs examples/rust/src/*.rs examples/rust/src/bin/*.rs \
    tests/languages/rust/src/*.rs tests/languages/rust/tests/*.rs $(find bindings/rust/*/src -name '*.rs' ! -name lib.rs))
}
# Every struct of the declarations has the size that C gives it.
has_sizes_of_c() {
  structs=$(sed -n '/^pub struct mt_/{N;/_private/!s/^pub struct \(mt_[a-z_]*\) {.*/\1/p}' "$crates/mindtorch-sys/src/abi.rs" | grep -v mt_value_)
  {
    printf '#include <mindtorch/mindtorch.h>\n#include <stdio.h>\nint main(void) {\n'
    for name in $structs; do printf '  printf("%s %%zu\\n", sizeof(%s));\n' "$name" "$name"; done
    printf '}\n'
  } >"$scratch/sizes.c"
  {
    printf '#![allow(dead_code, non_camel_case_types)]\n'
    cat "$crates/mindtorch-sys/src/abi.rs"
    printf 'fn main() {\n'
    for name in $structs; do printf '    println!("%s {}", std::mem::size_of::<%s>());\n' "$name" "$name"; done
    printf '}\n'
  } >"$scratch/sizes.rs"
  # shellcheck disable=SC2046  # unquoted, because pkg-config prints several options
  (cd "$scratch" && cc -o sizes-c sizes.c $(pkg-config --cflags mindtorch) && ./sizes-c >sizes-c.txt &&
    rustc -o sizes-rust sizes.rs && ./sizes-rust >sizes-rust.txt && [ "$(wc -l <sizes-c.txt)" -gt 20 ] && diff sizes-c.txt sizes-rust.txt)
}

check "rust: sources have rustfmt's format" is_formatted
check "rust: the structs of mindtorch-sys have C's sizes" has_sizes_of_c
check "rust: crates and tests compile without warnings" compiles
check "rust: the example ends where torch ends" spiral_agrees example
check "rust: four processes add up over Gloo" adds_up
(
  cd "$root/tests/languages/rust" || exit 1
  # With real torch available, also runs the tests that cargo ignores by default, which need a file written by it.
  RUSTFLAGS='-D warnings' with_crates test --no-fail-fast -- ${oracle:+--include-ignored}
) >"$scratch/tests.txt" 2>&1
tests_status=$?
grep -E '^(test .* FAILED|error)|panicked at' "$scratch/tests.txt"
add_counts "$(grep -c '^test .* ok$' "$scratch/tests.txt")" "$(grep -c '^test .* FAILED$' "$scratch/tests.txt")" \
  "$(grep -c '^test .*[.][.][.] ignored' "$scratch/tests.txt")"
check "rust: the tests ran to their end" [ "$tests_status" -eq 0 ]
finish
