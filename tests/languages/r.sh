#!/bin/sh
# The package for R: installed from its source archive, its tests, the example.
# packages: r-base-core
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=r
. "$root/tests/languages/support"

export R_LIBS="$scratch/library"
installs() {
  rm -rf "$scratch/packages" "$R_LIBS" && mkdir -p "$R_LIBS" &&
    "$root/scripts/language-packages" "$prefix" "$scratch/packages" r &&
    MAKEFLAGS=CXX20FLAGS=-O1 R CMD INSTALL --no-docs "$scratch"/packages/mindtorch_*.tar.gz
}
example() { Rscript --vanilla "$root/examples/r/spiral.R"; }

check "r: the package is made and installed" installs
check "r: the example ends where torch ends" spiral_agrees example
Rscript --vanilla "$root/tests/languages/r/mindtorch.R" >"$scratch/tests.txt" 2>&1
cat "$scratch/tests.txt"
counted=$(sed -n '$s/^\([0-9]* [0-9]* [0-9]*\) *$/\1/p' "$scratch/tests.txt")
# shellcheck disable=SC2086  # unquoted, because $counted is three arguments
[ -z "$counted" ] || add_counts $counted
check "r: the tests ran to their end" [ -n "$counted" ]
finish
