# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `ledger`: exports, ledger and headers agree, and declarations and programs of earlier releases still work (tests/abi).
# Sourced by tests/run.
scratch=$root/build/ledger
mkdir -p "$scratch"
if need_release; then
  nm -D --defined-only "$root/build/release/lib/libmindtorch.so.0" | awk '$2 != "A" {sub(/@@/, " ", $3); print $3}' |
    sed 's/ MINDTORCH_/ /' | LC_ALL=C sort >"$scratch/exported"
  grep -E '^[A-Za-z_]' "$root/capi/abi/ledger.txt" | tr -s ' \t' ' ' | sed 's/ *$//' | LC_ALL=C sort >"$scratch/listed"
  cut -d' ' -f1 "$scratch/listed" | LC_ALL=C sort -u >"$scratch/listed-names"
  cat "$root"/capi/include/mindtorch/*.h | tr '\n' ' ' | grep -oE 'MT_API [^;(]*\(' | grep -oE 'mt_[a-z0-9_]+ ?\($' | tr -d ' (' |
    LC_ALL=C sort -u >"$scratch/declared"
  check "exported symbols and versions equal the ledger" diff "$scratch/listed" "$scratch/exported"
  check "declared functions equal the ledger" diff "$scratch/listed-names" "$scratch/declared"
  check "no symbol is listed twice" test "$(wc -l <"$scratch/listed")" = "$(wc -l <"$scratch/listed-names")"
  check "only names with the prefix mt_ are exported" sh -c "! grep -v '^mt_' '$scratch/exported'"
  # setenv and similar functions reallocate the list of variables, which other threads of the program may be reading.
  nm -D --undefined-only "$root/build/release/lib/libmindtorch.so.0" | sed 's/@.*//' | awk '{print $NF}' >"$scratch/imported"
  check "the library sets no variable of the environment" sh -c "! grep -xE '(un)?setenv|putenv|clearenv' '$scratch/imported'"
  count_checks ledger
  pytest ledger-abi tests/abi
else
  failed_to_start ledger
fi
