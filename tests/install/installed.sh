# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `install`: uses the installed tree from C, C++ and the languages of SWIG. Sourced by tests/run. Every spiral example must
# end with torch's numbers for the same seed (tests/install/expect_spiral.py).
scratch=$root/build/install
sdk=$scratch/sdk
rm -rf "$scratch"
mkdir -p "$scratch"

spiral_agrees() { "$@" >"$scratch/spiral.txt" && "$python" "$root/tests/install/expect_spiral.py" "$scratch/spiral.txt"; }

# by_find_package LANGUAGE PREFIX NAME: builds and runs the spiral example with CMake, which finds the library by find_package.
by_find_package() {
  cmake -S "$root/examples/$1" -B "$scratch/$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$2" &&
    cmake --build "$scratch/$3" && spiral_agrees "$scratch/$3/spiral"
}

# by_pkg_config COMPILER SOURCE FOLDER-OF-PC NAME: builds and runs the spiral example with the flags that pkg-config prints.
by_pkg_config() {
  # shellcheck disable=SC2046
  PKG_CONFIG_PATH=$3 $1 "$root/examples/$2" -Wall -Wextra -Werror -pedantic -o "$scratch/$4" \
    $(PKG_CONFIG_PATH=$3 pkg-config --cflags --libs mindtorch) -lm -Wl,-rpath,"$(PKG_CONFIG_PATH=$3 pkg-config --variable=libdir mindtorch)" &&
    spiral_agrees "$scratch/$4"
}

# typed_calls COMPILER...: tests the header of typed calls, which is generated and so exists only in an installed tree.
typed_calls() { printf '#include <mindtorch/ops.h>\n#include <mindtorch/ops_short.h>\n' | "$@" -fsyntax-only -Wall -Wextra -pedantic -Werror -I"$sdk/include" -; }

# run_LANGUAGE SOURCE: runs a program against the SDK, found through the variables that a user would set.
folder_of() { dirname "$(find "$sdk" -path "*/$1")"; }
run_ruby() { RUBYLIB=$(folder_of mindtorch.rb) ruby -w "$1"; }
run_perl() { PERL5LIB=$(folder_of MindTorch.pm) perl "$1"; }
run_lua() {
  LUA_PATH="$(folder_of mindtorch.lua)/?.lua" LUA_CPATH="$(dirname "$(folder_of 'lua/*/mindtorch/capi.so')")/?.so" lua5.4 "$1"
}
run_tcl() { TCLLIBPATH=$(folder_of mindtorch.tcl) tclsh "$1"; }
run_csharp() {
  binary=$scratch/$(basename "$1" .cs).exe
  mcs -nologo -r:"$(folder_of MindTorch.dll)/MindTorch.dll" -out:"$binary" "$1" && MONO_PATH=$(folder_of MindTorch.dll) mono "$binary"
}
run_java() {
  jar=$(folder_of mindtorch.jar)/mindtorch.jar
  javac -nowarn -cp "$jar" -d "$scratch/java" "$1" &&
    java -cp "$jar:$scratch/java" -Djava.library.path="$(folder_of libmindtorch_java.so)" "$(basename "$1" .java)"
}
# Languages without their own test file use what the SDK contains.
run_php() {
  # shellcheck disable=SC2046
  { [ -f "$scratch/php/mindtorch.so" ] || by_swig php "$libdir" $(php-config --includes); } && php -n -d extension="$scratch/php/mindtorch.so" "$1"
}
run_r() {
  # shellcheck disable=SC2046
  { [ -f "$scratch/r/mindtorch.so" ] || by_swig r "$libdir" $(R CMD config --cppflags); } && MINDTORCH_R=$scratch/r R --vanilla --no-echo -f "$1"
}
# by_swig LANGUAGE FOLDER-OF-LIBRARY INCLUDES...: SWIG and a compiler make mindtorch.so.
by_swig() {
  swig_language=$1 swig_libraries=$2
  shift 2
  mkdir -p "$scratch/$swig_language"
  share=$(folder_of swig/mindtorch.i)
  swig -c++ "-$swig_language" -module mindtorch -DSWIGWORDSIZE64 -w312,314,451 -I"$sdk/include" -I"$share" -outdir "$scratch/$swig_language" \
    -o "$scratch/$swig_language/wrap.cxx" "$share/mindtorch.i" &&
    g++ -std=c++20 -Os -w -fPIC -shared "$@" -I"$sdk/include" -I"$share" "$scratch/$swig_language/wrap.cxx" \
      -o "$scratch/$swig_language/mindtorch.so" -L"$swig_libraries" -lmindtorch -Wl,-rpath,"$swig_libraries"
}

# says_what_torch_says LANGUAGE PROGRAM EXPECTED...: compares the output of operators, errors and gradients with torch's;
# arguments are files of lines.
says_what_torch_says() {
  "run_$1" "$languages/$2" >"$scratch/$1.txt" || return 1
  shift 2
  (cd "$languages" && cat "$@") | diff - "$scratch/$language.txt"
}

# stays_small COMMAND...: runs a program that drops gigabytes of tensors without calling the garbage collector; checks the peak memory
# that it prints, in MB.
stays_small() {
  peak=$("$@") || return 1
  echo "peak: $peak MB, of 600"
  [ "$peak" -lt 600 ]
}

# is_idiomatic LANGUAGE PROGRAM: runs a program that checks by itself that the package behaves as the language's programmers expect.
is_idiomatic() { "run_$1" "$languages/$2"; }

# Makes the package of a language, which includes the native libraries; the next functions run a program with nothing else.
packed() { "$root/scripts/language-packages" "$sdk" "$scratch/packages" "$1"; }
runs_from_maven_repository() {
  packed java && mkdir -p "$scratch/packed-java" || return 1
  jars=$(find "$scratch/packages/maven" -name '*.jar' | tr '\n' ':')
  javac -nowarn -cp "$jars" -d "$scratch/packed-java" "$languages/Idioms.java" &&
    (cd "$scratch" && java -cp "$jars:$scratch/packed-java" Idioms)
}
runs_from_gem() {
  packed ruby &&
    GEM_HOME=$scratch/gems gem install --silent --local --no-document "$scratch"/packages/mindtorch-*.gem &&
    GEM_HOME=$scratch/gems ruby -w "$languages/idioms.rb"
}
runs_from_nuget_package() {
  packed csharp && mkdir -p "$scratch/nuget" || return 1
  (cd "$scratch/nuget" && jar xf "$scratch"/packages/MindTorch.*.nupkg) || return 1
  mcs -nologo -r:"$scratch/nuget/lib/netstandard2.1/MindTorch.dll" -out:"$scratch/nuget/Idioms.exe" "$languages/Idioms.cs" || return 1
  natives=$(dirname "$(find "$scratch/nuget/runtimes" -name libmindtorch_csharp.so)")
  MONO_PATH=$scratch/nuget/lib/netstandard2.1 LD_LIBRARY_PATH=$natives mono "$scratch/nuget/Idioms.exe"
}

is_installed() { [ -n "$(find "$sdk" -name "$1")" ]; }

# speaks LANGUAGE INTERPRETER INSTALLED-FILE SPIRAL MEMORY CHECK EXPECTED...: runs a language's three test programs, and compares
# the output of CHECK with the files EXPECTED.
speaks() {
  language=$1 interpreter=$2 file=$3 spiral=$4 memory=$5 program=$6
  shift 6
  check "$language: $interpreter is there" command -v "$interpreter"
  check "$language: the SDK has $file" is_installed "$file"
  check "$language trains the network" spiral_agrees "run_$language" "$root/examples/$language/$spiral"
  check "$language says what torch says" says_what_torch_says "$language" "$program" "$@"
  check "$language frees dropped tensors in time" stays_small "run_$language" "$languages/$memory"
}

# plugin_is_built: builds the device plugin of examples/ against the installed headers alone.
plugin_is_built() {
  cmake -S "$root/examples/plugin" -B "$scratch/plugin" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$sdk" &&
    cmake --build "$scratch/plugin"
}
conforms() { "$sdk/bin/mindtorch-device-conformance" "$1"; }
no_device_is_refused() {
  "$sdk/bin/mindtorch-device-conformance" "$1"
  [ $? -eq 2 ]
}

# Prints the size of what a user installs besides OpenBLAS: sources, byte code, headers and libraries.
wheel_is_small() {
  size=$(find "$1" -type f -printf '%s\n' | awk '{ bytes += $1 } END { print bytes }')
  echo "$size bytes installed, of 30000000"
  [ "$size" -le 30000000 ]
}

if need_installed && run_logged install-sdk cmake --install "$root/build/release" --component sdk --prefix "$sdk"; then
  pc=$(dirname "$(find "$sdk" -name mindtorch.pc)")
  libdir=$(dirname "$pc")
  check "C by find_package, installed prefix" by_find_package c "$sdk" c-sdk
  # shellcheck disable=SC2016
  check "four processes in C add up over Gloo" sh -c 'test "$("$1")" = "every process has 10 20 30 40 50"' - "$scratch/c-sdk/allreduce"
  check "C++ by find_package, installed prefix" by_find_package cpp "$sdk" cpp-sdk
  check "C by pkg-config, installed prefix" by_pkg_config 'gcc -std=c99' c/spiral.c "$pc" c-pc
  check "C++ by pkg-config, installed prefix" by_pkg_config 'g++ -std=c++11' cpp/spiral.cpp "$pc" cpp-pc
  check "typed calls compile as C99" typed_calls gcc -std=c99 -x c
  check "typed calls compile as C++11" typed_calls g++ -std=c++11 -x c++
  check "a device plugin in C is built" plugin_is_built
  check "the plugin's device conforms" conforms "$scratch/plugin/libtoy_device.so"
  check "the simulator is installed" cmake --install "$root/build/release" --component simulator --prefix "$sdk"
  check "the simulator conforms" conforms "$libdir/libmindtorch_npu_sim.so"
  check "a library that is no device is refused" no_device_is_refused "$libdir/libmindtorch.so.0"
  mv "$sdk" "$scratch/moved"
  check "C by find_package, prefix moved elsewhere" by_find_package c "$scratch/moved" c-moved
  mv "$scratch/moved" "$sdk"

  package=$("$oracle/bin/python" -c 'import importlib.util as u; print(u.find_spec("mindtorch").submodule_search_locations[0])')
  check "C by find_package, python -m mindtorch --cmake-dir" \
    by_find_package c "$("$oracle/bin/python" -m mindtorch --cmake-dir)" c-wheel
  check "C++ by pkg-config, inside the wheel" by_pkg_config 'g++ -std=c++17' cpp/spiral.cpp "$package/lib/pkgconfig" cpp-wheel
  check "SWIG Python trains the network" spiral_agrees "$oracle/bin/python" "$root/examples/swig-python/spiral.py"
  check "the installed package is at most 30 MB" wheel_is_small "$package"
  languages=$root/tests/install/languages
  # The idioms of Java, Ruby, Lua and C# read a checkpoint that real torch wrote.
  export MINDTORCH_TORCH_CHECKPOINT=
  if [ -n "$have_torch" ]; then
    MINDTORCH_TORCH_CHECKPOINT=$scratch/torch.pt
    check "real torch writes a checkpoint" sh -c 'cd / && "$@"' - "$oracle/bin/python" "$root/tests/languages/torch_checkpoint.py" \
      "$MINDTORCH_TORCH_CHECKPOINT"
  else
    for language in java ruby lua csharp; do skip "$language reads a checkpoint of real torch: there is no real torch"; done
  fi
  speaks java javac mindtorch.jar Spiral.java Memory.java Check.java expected.txt expected-hooks.txt
  speaks ruby ruby mindtorch.rb spiral.rb memory.rb check.rb expected.txt expected-hooks.txt
  speaks perl perl MindTorch.pm spiral.pl memory.pl check.pl expected.txt expected-hooks.txt
  speaks lua lua5.4 mindtorch.lua spiral.lua memory.lua check.lua expected.txt
  speaks tcl tclsh mindtorch.tcl spiral.tcl memory.tcl check.tcl expected.txt
  speaks csharp mono MindTorch.dll Spiral.cs Memory.cs Check.cs expected.txt expected-hooks.txt
  language=php
  check "PHP says what torch says" says_what_torch_says php check.php expected.txt
  # R has no 64-bit integers and no strings of bytes.
  language=r
  grep -v -e '^whole' -e '^bytes' "$languages/expected.txt" >"$scratch/expected-r.txt"
  check "a language without a file, R, says what torch says" says_what_torch_says r check.R "$scratch/expected-r.txt"
  check "R frees dropped tensors in time" stays_small run_r "$languages/memory.R"
  check "ruby is idiomatic" is_idiomatic ruby idioms.rb
  check "Ruby's collector finds what calls hold" run_ruby "$languages/stress.rb"
  check "the gem has all that a program requires" runs_from_gem
  check "the Maven repository has all that a program requires" runs_from_maven_repository
  check "the NuGet package has all that a program requires" runs_from_nuget_package
  check "java is idiomatic" is_idiomatic java Idioms.java
  check "lua is idiomatic" is_idiomatic lua idioms.lua
  check "csharp is idiomatic" is_idiomatic csharp Idioms.cs
  check "PHP frees dropped tensors in time" stays_small run_php "$languages/memory.php"
  check "SWIG Python frees dropped tensors in time" stays_small "$oracle/bin/python" "$languages/memory.py"
  count_checks install
  pytest install-python tests/install
else
  failed_to_start install
fi
