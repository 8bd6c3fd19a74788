#!/bin/sh
# The package for Node.js: its tests, the example, its types.
# packages: nodejs node-typescript
# packages for /usr/include/node/node_api.h: libnode-dev
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=node
. "$root/tests/languages/support"

# Both programs run in a folder whose node_modules contains the package, which includes its own copy of the library.
unset LD_LIBRARY_PATH
modules=$scratch/node_modules
packs() {
  rm -rf "$scratch/packages" "$modules" && mkdir -p "$modules" &&
    "$root/scripts/language-packages" "$prefix" "$scratch/packages" node &&
    tar -xzf "$scratch"/packages/mindtorch-*.tgz -C "$modules" && mv "$modules/package" "$modules/mindtorch" &&
    cp "$root/examples/node/spiral.js" "$root/tests/languages/node/"* "$scratch/"
}
example() { node "$scratch/spiral.js"; }
# shellcheck disable=SC2016  # the dollar signs belong to JavaScript
loads_fast() { node -e 'require("mindtorch"); const { user, system } = process.cpuUsage(); const ms = (user + system) / 1000;
  console.log(`${ms} ms of the processor, of 500`); process.exit(ms < 500 ? 0 : 1)'; }
# Checks the package's types: correct TypeScript programs compile, and programs with type errors do not.
has_types() { (cd "$scratch" && tsc --noEmit --strict --target es2022 --module node16 --moduleResolution node16 types.ts); }

check "node: the package is made without a network" packs
check "node: the example ends where torch ends" spiral_agrees example
cd "$scratch" || exit 1
check "node: the package loads within half a second of the processor" loads_fast
MINDTORCH_PACKAGE=$modules/mindtorch node --test --test-reporter=tap "$scratch/mindtorch.test.mjs" >"$scratch/tests.txt" 2>&1
tests_status=$?
grep -A 12 '^ *not ok' "$scratch/tests.txt"
count_of() { sed -n "s/^# $1 //p" "$scratch/tests.txt" | tail -n 1; }
skipped=$(count_of skipped) failed=$(count_of fail)
add_counts "$(count_of pass)" "${failed:-0}" "${skipped:-0}"
check "node: the tests ran to their end" [ "$tests_status" -eq 0 ]
check "node: TypeScript accepts the declarations" has_types
finish
