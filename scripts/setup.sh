# shellcheck shell=sh disable=SC2154,SC2034  # sourced: it shares variables with its caller
# Shared set-up of examples/run and tests/run: system packages, Python environments, build, stamps. Sourced; POSIX sh,
# which has no local variables, so each function's variables have their own prefix.
# Expects `root` (the checkout). Writes only to $root/build; stamps record completed steps.

torch_requirement='torch==2.13.0+cpu'
stamps=$root/build/stamps
environments=$root/build/venv
logs=$root/build/logs
mkdir -p "$stamps" "$environments" "$logs"
# ccache uses paths relative to the checkout, so that all build trees share its cache.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
unset PYTHONPATH PYTHONHOME  # use only the packages of the environments

say() { printf '%s\n' "== $*"; }
die() { printf '%s\n' "error: $*" >&2; exit 1; }

# fresh NAME HASH: whether the last run of step NAME had exactly these inputs.
fresh() { [ -f "$stamps/$1" ] && [ "$(cat "$stamps/$1")" = "$2" ]; }
stamp() { printf '%s\n' "$2" >"$stamps/$1"; }
hash_text() { printf '%s' "$*" | sha256sum | cut -d' ' -f1; }
# hash_files PATH...: a hash of the names and contents of all files below the paths.
hash_files() {
  (cd "$root" && find "$@" -type f ! -name '*.pyc' ! -name '_C.*.so' ! -name '*.md' 2>/dev/null | LC_ALL=C sort |
    xargs -r sha256sum | sha256sum | cut -d' ' -f1)
}

# need_packages NAME...: installs missing Debian packages; does nothing if all are installed.
need_packages() {
  command -v apt-get >/dev/null 2>&1 || { need_commands; return 0; }
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "installing Debian packages:$missing"
  if [ "$(id -u)" = 0 ]; then as_root=
  elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then as_root=sudo
  else
    printf '%s\n' "These packages are missing, and only root may install them. Run this command, then start again:" >&2
    printf '%s\n' "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 2
  fi
  # shellcheck disable=SC2086
  $as_root apt-get update -q >"$logs/apt.log" 2>&1 || say "apt-get update failed (no network?); continuing with the existing package lists"
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >>"$logs/apt.log" 2>&1 || {
    tail -n 5 "$logs/apt.log" >&2
    die "apt-get could not install$missing (no network?); its log: $logs/apt.log"
  }
}
need_commands() {
  for tool in g++ cmake ninja pkg-config; do
    command -v "$tool" >/dev/null 2>&1 || die "this is not a Debian system, and '$tool' is missing: install it yourself"
  done
}

# need_python: sets `python` to the first CPython 3.11 or later in PATH that has headers and venv.
need_python() {
  python=
  for candidate in python3 python3.11 python3.12 python3.13; do
    path=$(command -v "$candidate" 2>/dev/null) || continue
    if "$path" -c "import ensurepip, os, sys, sysconfig
sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(sysconfig.get_path('include') + '/Python.h')))" 2>/dev/null; then
      python=$path
      break
    fi
  done
  [ -n "$python" ] && return 0
  [ -z "${1:-}" ] || die "no Python 3.11 or later with headers and venv, even after installing Debian's"
  need_packages python3 python3-dev python3-venv
  hash -r
  need_python again
}

# need_environment NAME: creates a virtual environment, again if its Python is gone; sets `environment` and `venv_python`.
need_environment() {
  environment=$environments/$1
  venv_python=$environment/bin/python
  "$venv_python" -c 'import pip' 2>/dev/null && return 0
  say "creating the virtual environment build/venv/$1"
  rm -rf "$environment"
  rm -f "$stamps"/pip-"$1"-* "$stamps"/install-"$1"
  "$python" -m venv "$environment" >"$logs/venv-$1.log" 2>&1 || { cat "$logs/venv-$1.log" >&2; die "could not create $environment"; }
}

# need_pip NAME STEP ARG...: `pip install ARG...` in environment NAME, once per arguments and contents of requirement files.
need_pip() {
  pip_name=$1; pip_step=$2; shift 2
  pip_key=$(hash_text "$*" "$(for arg in "$@"; do [ -f "$arg" ] && cat "$arg"; done)")
  fresh "pip-$pip_name-$pip_step" "$pip_key" && return 0
  say "installing Python packages ($pip_step) into build/venv/$pip_name"
  if ! "$environments/$pip_name/bin/python" -m pip install -q --disable-pip-version-check "$@" >"$logs/pip-$pip_name-$pip_step.log" 2>&1; then
    tail -n 5 "$logs/pip-$pip_name-$pip_step.log" >&2
    return 1
  fi
  stamp "pip-$pip_name-$pip_step" "$pip_key"
}
pip_failed() { die "pip could not install $1 (no network?); see the logs in $logs"; }

# build_jobs: the number of parallel compilers that cores and memory allow; the largest translation units need about 1 GiB.
build_jobs() {
  cores=$(nproc 2>/dev/null || echo 1)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo 2>/dev/null || echo 2)
  [ "$memory" -ge 1 ] || printf '%s\n' "warning: less than 1 GiB of memory is free; the compiler may be killed" >&2
  [ "$memory" -ge 1 ] || memory=1
  [ "$cores" -le "$memory" ] && echo "$cores" || echo "$memory"
}

# explain LOG: prints a known reason for a failed build in one line.
explain() {
  if grep -qE 'Killed signal|std::bad_alloc|Cannot allocate memory|out of memory|virtual memory exhausted' "$1"; then
    printf '%s\n' "error: not enough memory to build: free some, or run again with CMAKE_BUILD_PARALLEL_LEVEL=1" >&2
  elif grep -q 'No space left on device' "$1"; then
    printf '%s\n' "error: the disk is full" >&2
  elif grep -qE 'CMAKE_CXX_COMPILER|No CMAKE_C' "$1"; then
    printf '%s\n' "error: no working C++ compiler was found" >&2
  fi
}

# run_logged NAME COMMAND...: runs with output in build/logs/NAME.log; shows its end on failure.
run_logged() {
  run_log=$logs/$1.log; shift
  "$@" >"$run_log" 2>&1 && return 0
  grep -nE 'error:|FAILED|Error' "$run_log" | head -n 10 >&2
  tail -n 25 "$run_log" >&2
  explain "$run_log"
  printf '%s\n' "error: '$*' failed; full output: $run_log" >&2
  return 1
}

# The sources of the wheel.
wheel_sources='CMakeLists.txt pyproject.toml cmake capi impl bindings python LICENSE LICENSES README.md'

# build_preset PRESET [CMAKE_ARG...]: configures if needed and builds the tree of a preset; warnings are errors.
build_preset() {
  preset=$1; shift
  export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(build_jobs)}"
  (cd "$root" &&
    run_logged "configure-$preset" cmake --preset "$preset" -DMINDTORCH_WERROR=ON "$@" &&
    run_logged "build-$preset" cmake --build --preset "$preset")
}

# make_wheel: builds build/wheel/mindtorch-*.whl from the release tree if a source changed. Uses a fixed environment, because
# scikit-build empties a build tree when it runs from another one. Sets `wheel` and `sources_key`.
make_wheel() {
  # shellcheck disable=SC2086
  sources_key=$(hash_files $wheel_sources)
  if ! fresh wheel "$sources_key" || ! ls "$root"/build/wheel/mindtorch-*.whl >/dev/null 2>&1; then
    need_environment build
    need_pip build backend 'scikit-build-core>=0.10' || pip_failed scikit-build-core
    need_pip build requirements scipy-openblas32 'typing_extensions>=4.10' || pip_failed scipy-openblas32
    say "building the wheel"
    export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(build_jobs)}"
    rm -rf "$root/build/wheel"
    (cd "$root" && run_logged wheel "$environments/build/bin/python" -m pip wheel -v --disable-pip-version-check --no-index \
      --no-build-isolation --no-deps -w build/wheel .) || return 1
    stamp wheel "$sources_key"
  fi
  wheel=$(ls "$root"/build/wheel/mindtorch-*.whl)
}

# install_mindtorch NAME: installs the wheel and its requirements into an environment if a source changed.
install_mindtorch() {
  make_wheel || return 1
  fresh "install-$1" "$sources_key" && return 0
  need_pip "$1" requirements scipy-openblas32 'typing_extensions>=4.10' || pip_failed scipy-openblas32
  say "installing mindtorch into build/venv/$1"
  run_logged "install-$1" "$environments/$1/bin/python" -m pip install --disable-pip-version-check --no-index --no-deps \
    --force-reinstall "$wheel" || return 1
  stamp "install-$1" "$sources_key"
}
