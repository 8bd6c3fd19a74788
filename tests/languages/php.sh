#!/bin/sh
# The package for PHP: compiled from the SDK's files, its tests, the example.
# packages: php-cli php-dev swig
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=php
. "$root/tests/languages/support"

unset LD_LIBRARY_PATH  # the package has its own library
export MINDTORCH_PHP="$scratch/mindtorch-php"
packs() {
  rm -rf "$scratch/packages" "$MINDTORCH_PHP" && "$root/scripts/language-packages" "$prefix" "$scratch/packages" php &&
    tar -xzf "$scratch"/packages/mindtorch-php-*.tar.gz -C "$scratch"
}
run_php() { php -n -d extension="$MINDTORCH_PHP/mindtorch.so" "$1"; }
example() { run_php "$root/examples/php/spiral.php"; }

check "php: the package is made" packs
check "php: the example ends where torch ends" spiral_agrees example
run_php "$root/tests/languages/php/mindtorch.php" >"$scratch/tests.txt" 2>&1
cat "$scratch/tests.txt"
counted=$(sed -n '$s/^\([0-9]* [0-9]* [0-9]*\)$/\1/p' "$scratch/tests.txt")
# shellcheck disable=SC2086  # unquoted, because $counted is three arguments
[ -z "$counted" ] || add_counts $counted
check "php: the tests ran to their end" [ -n "$counted" ]
finish
