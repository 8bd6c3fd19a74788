#!/bin/sh
# The module for Perl: its package, installed by MakeMaker, and its tests.
# packages: perl make
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=perl
. "$root/tests/languages/support"

unset LD_LIBRARY_PATH  # the package has its own library
installs() {
  rm -rf "$scratch/packages" "$scratch/installed" "$scratch"/MindTorch-* &&
    "$root/scripts/language-packages" "$prefix" "$scratch/packages" perl &&
    tar -xzf "$scratch"/packages/MindTorch-*.tar.gz -C "$scratch" && cd "$scratch"/MindTorch-* &&
    perl Makefile.PL INSTALL_BASE="$scratch/installed" && make && make test && make install
}
example() { perl "$root/examples/perl/spiral.pl"; }

check "perl: the package is made, tested and installed" installs
PERL5LIB=$(dirname "$(find "$scratch/installed" -name MindTorch.pm)")
export PERL5LIB
check "perl: the example ends where torch ends" spiral_agrees example
perl "$root/tests/languages/perl/mindtorch.t" >"$scratch/tests.txt" 2>&1
tests_status=$?
grep -v '^ok' "$scratch/tests.txt"
add_counts "$(grep '^ok' "$scratch/tests.txt" | grep -vc '# skip')" "$(grep -c '^not ok' "$scratch/tests.txt")" \
  "$(grep -c '# skip' "$scratch/tests.txt")"
check "perl: the tests ran to their end" [ "$tests_status" -eq 0 ]
finish
