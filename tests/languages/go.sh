#!/bin/sh
# The Go package: its tests, the example, formatting.
# packages: golang-go
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
language=go
. "$root/tests/languages/support"

go_workspace "$root/examples/go" "$root/tests/languages/go"

is_formatted() { [ -z "$(gofmt -l "$root/bindings/go" "$root/examples/go" "$root/tests/languages/go")" ]; }
builds() { go build mindtorch.org/mindtorch && go vet mindtorch.org/mindtorch mindtorch.org/tests spiral; }
example() { cd "$root/examples/go" && go run .; }

check "go: sources have gofmt's format" is_formatted
check "go: the package compiles, and vet finds nothing" builds
check "go: the example ends where torch ends" spiral_agrees example
(cd "$root/tests/languages/go" && go test -count=1 -v .) >"$scratch/tests.txt" 2>&1
grep -E '^(---|FAIL|panic|\s+\w+_test.go)' "$scratch/tests.txt" | grep -v '^--- PASS'
add_counts "$(grep -c '^--- PASS' "$scratch/tests.txt")" "$(grep -c '^--- FAIL' "$scratch/tests.txt")" "$(grep -c '^--- SKIP' "$scratch/tests.txt")"
check "go: the tests ran to their end" grep -q '^ok' "$scratch/tests.txt"
finish
