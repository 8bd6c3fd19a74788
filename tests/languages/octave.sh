#!/bin/sh
# The package for Octave: compiled by pkg install from its archive, its tests, the example.
# packages: octave octave-dev
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=octave
. "$root/tests/languages/support"

run_octave() { octave-cli --norc --no-history --quiet --eval "pkg local_list $scratch/list; pkg prefix $scratch/installed $scratch/installed;" --eval "$1"; }
installs() {
  rm -rf "$scratch/packages" "$scratch/installed" "$scratch/list" && mkdir -p "$scratch/installed" &&
    "$root/scripts/language-packages" "$prefix" "$scratch/packages" octave &&
    run_octave "pkg install $scratch/packages/mindtorch-*.tar.gz" && [ -n "$(find "$scratch/installed" -name torch.oct)" ]
}
example() { run_octave "source $root/examples/octave/spiral.m"; }

check "octave: the package is made and installed" installs
check "octave: the example ends where torch ends" spiral_agrees example
run_octave "source $root/tests/languages/octave/mindtorch.m" >"$scratch/tests.txt" 2>"$scratch/errors.txt"
cat "$scratch/errors.txt" "$scratch/tests.txt"
counted=$(sed -n '$s/^\([0-9]* [0-9]* [0-9]*\)$/\1/p' "$scratch/tests.txt")
# shellcheck disable=SC2086  # unquoted, because $counted is three arguments
[ -z "$counted" ] || add_counts $counted
check "octave: the tests ran to their end" [ -n "$counted" ]
finish
