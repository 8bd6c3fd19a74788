# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Counts the tests of tests/run that passed, failed and were skipped. Sourced; POSIX sh.
total_passed=0 total_failed=0 total_skipped=0 lines=''

# count NAME PASSED FAILED SKIPPED: adds the numbers of a suite to the totals, and a line to the table.
count() {
  total_passed=$((total_passed + $2)); total_failed=$((total_failed + $3)); total_skipped=$((total_skipped + $4))
  lines="$lines$(printf '%-10s %6d passed %5d failed %5d skipped' "$1" "$2" "$3" "$4")
"
}

# failed_to_start NAME [WHY]: counts one failure for a suite that cannot run, because its build failed or something is missing.
failed_to_start() {
  say "$1 failed: ${2:-the build}"
  printf '%s\n' "FAILED $1: ${2:-the build}" >>"$logs/failed.txt"
  count "$1" 0 1 0
}

# count_junit NAME FILE STATUS: counts a JUnit report. Counts one failure if there is no report, if it has no test, or if the
# program ended badly after passing tests (a leak, a crash at exit).
count_junit() {
  counts=$("$python" - "$2" "$3" "$1" "$logs/failed.txt" <<'END'
import sys
import xml.etree.ElementTree as tree
try:
    cases = list(tree.parse(sys.argv[1]).iter("testcase"))
except (OSError, tree.ParseError):
    cases = []
kinds = [{child.tag for child in case} for case in cases]
names = {}
for case in cases:
    for found in (child for child in case if child.tag in ("failure", "error")):
        names.setdefault(f"{case.get('classname')}.{case.get('name')}", " ".join(found.get("message", "").split())[:300])
failed = len(names)
skipped = sum("skipped" in kind or case.get("status") == "notrun" for kind, case in zip(kinds, cases))
ended_badly = not cases or sys.argv[2] != "0"
with open(sys.argv[4], "a") as list_of_failed:
    for name, message in list(names.items()) or [("the program", f"ended with status {sys.argv[2]}")] * ended_badly:
        print(f"FAILED {sys.argv[3]}: {name}: {message}", file=list_of_failed)
print(len(cases) - failed - skipped, failed or int(ended_badly), skipped)
END
  ) || counts='0 1 0'
  # shellcheck disable=SC2086
  count "$1" $counts
}

# check NAME COMMAND...: runs one test of a shell suite; shows its output if it fails.
shell_passed=0 shell_failed=0 shell_skipped=0
check() {
  title=$1; shift
  if "$@" >"$logs/check.log" 2>&1; then
    shell_passed=$((shell_passed + 1))
  else
    shell_failed=$((shell_failed + 1))
    printf '%s\n' "FAILED: $title" | tee -a "$logs/failed.txt"
    tail -n 20 "$logs/check.log"
  fi
}
skip() { shell_skipped=$((shell_skipped + 1)); printf '%s\n' "skipped: $1"; }
# count_checks NAME: adds the checks since the last call to the totals.
count_checks() {
  count "$1" $shell_passed $shell_failed $shell_skipped
  shell_passed=0 shell_failed=0 shell_skipped=0
}

# ---- time ----

times='' total_seconds=0 built_seconds=0

# note_time NAME SECONDS: adds a line to the table; warns if the time exceeds the budget.
note_time() {
  budget=$(printf '%s\n' "$budgets" | awk -v name="$1" '{ for (i = 1; i < NF; i += 2) if ($i == name) print $(i + 1) }')
  total_seconds=$((total_seconds + $2))
  remark=
  if [ -z "$budget" ]; then remark='  no budget is set'
  elif [ "$2" -gt "$budget" ] && [ -z "$full" ]; then remark='  WARNING: over its budget'
  fi
  times="$times$(printf '%-12s %6d s  of %6s s%s' "$1" "$2" "${budget:--}" "$remark")
"
}

# timed_build NAME COMMAND...: runs a step that several suites share; its time does not count for the suite that needs it first.
timed_build() {
  build_name=$1 build_begun=$(date +%s); shift
  "$@"
  build_status=$?
  build_seconds=$(($(date +%s) - build_begun))
  built_seconds=$((built_seconds + build_seconds))
  [ "$build_seconds" -lt 2 ] || note_time "$build_name" "$build_seconds"
  return "$build_status"
}

print_times() {
  say "seconds, and budgets for two cores without a compiler cache${full:+ (--full has none)}"
  printf '%s%-12s %6d s\n' "$times" all "$total_seconds"
}

# summary: prints failures, the table and the closing line, and exits with the status.
summary() {
  [ ! -s "$logs/failed.txt" ] || head -n 60 "$logs/failed.txt"
  printf '%s' "$lines"
  if [ $((total_passed + total_failed)) -eq 0 ]; then
    printf '%s\n' "error: no test ran" >&2
    total_failed=1
  fi
  closing="$total_passed passed, $total_failed failed"
  [ $total_skipped -eq 0 ] || closing="$closing, $total_skipped skipped"
  printf '%s\n' "$closing"
  [ $total_failed -eq 0 ] || exit 1
  exit 0
}
