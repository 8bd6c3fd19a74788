#!/bin/sh
# The package for Tcl: packed, unpacked, and its tests.
# packages: tcl
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=tcl
. "$root/tests/languages/support"

unset LD_LIBRARY_PATH  # the package has its own library
unpacks() {
  rm -rf "$scratch/packages" "$scratch"/mindtorch* && "$root/scripts/language-packages" "$prefix" "$scratch/packages" tcl &&
    tar -xzf "$scratch"/packages/mindtorch*.tar.gz -C "$scratch"
}
example() { tclsh "$root/examples/tcl/spiral.tcl"; }

check "tcl: the package is made" unpacks
export TCLLIBPATH="$scratch"
check "tcl: the example ends where torch ends" spiral_agrees example
(cd "$scratch" && tclsh "$root/tests/languages/tcl/mindtorch.test.tcl") >"$scratch/tests.txt" 2>&1
cat "$scratch/tests.txt"
# Reads the counts from a line such as: mindtorch.test.tcl: Total 26 Passed 26 Skipped 0 Failed 0
counted=$(sed -n 's/.*Passed[[:space:]]*\([0-9]*\)[[:space:]]*Skipped[[:space:]]*\([0-9]*\)[[:space:]]*Failed[[:space:]]*\([0-9]*\).*/\1 \3 \2/p' "$scratch/tests.txt")
# shellcheck disable=SC2086  # unquoted, because $counted is three arguments
[ -z "$counted" ] || add_counts $counted
check "tcl: the tests ran to their end" [ -n "$counted" ]
finish
