# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `headers`: each public header compiles alone, in every language standard that we promise. Sourced by tests/run.
include=$root/capi/include
scratch=$root/build/headers
mkdir -p "$scratch"
for header in "$include"/mindtorch/*; do
  name=$(basename "$header")
  printf '#include <mindtorch/%s>\n' "$name" >"$scratch/one.c"
  cp "$scratch/one.c" "$scratch/one.cpp"
  flags="-fsyntax-only -Wall -Wextra -pedantic -Werror -I$include"
  case $name in
    *.h)
      # shellcheck disable=SC2086
      for standard in c99 c11; do check "$name as $standard" gcc -x c -std=$standard $flags "$scratch/one.c"; done
      # shellcheck disable=SC2086
      check "$name as c++11" g++ -std=c++11 $flags "$scratch/one.cpp"
      ;;
    *.hpp)
      # shellcheck disable=SC2086
      for standard in c++11 c++17 c++20; do check "$name as $standard" g++ -std=$standard $flags "$scratch/one.cpp"; done
      ;;
  esac
done
count_checks headers
