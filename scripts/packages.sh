# shellcheck shell=sh disable=SC2154,SC2119,SC2120  # sourced: it shares variables with its caller, which passes options
# Builds the sdist, wheels and Debian packages; shared by scripts/release and the suite `packages`. Sourced after setup.sh; POSIX
# sh.
. "$root/scripts/debian.sh"

packages=$root/build/packages
mkdir -p "$packages"
# The oldest C library on which wheels run; auditwheel checks it. The bundled oneTBB of Debian requires as much.
manylinux=manylinux_2_34
release_pythons='3.11 3.12 3.13 3.14'
# The Debian releases whose packages contain headers of these Pythons.
debian_pythons='3.11=bookworm 3.13=trixie 3.14=sid'
# Archives that were built on different days or in different folders have the same bytes.
version=$(sed -n 's/^mindtorch = "\(.*\)"$/\1/p' "$root/python/mindtorch/version.py")
released=$(sed -n "s/^## \[$version\] - \([0-9-]*\)$/\1/p" "$root/CHANGELOG.md")
SOURCE_DATE_EPOCH=$(date -u -d "${released:-1980-01-01}" +%s)
export SOURCE_DATE_EPOCH

# versions_agree: whether version.py, CHANGELOG.md and debian/changelog state the same version.
versions_agree() {
  top_of_changelog=$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$root/CHANGELOG.md" | head -n 1)
  top_of_debian=$(sed -n '1s/^mindtorch (\([0-9.]*\)).*/\1/p' "$root/debian/changelog")
  printf '%s\n' "version.py: $version; CHANGELOG.md: $top_of_changelog, released $released; debian/changelog: $top_of_debian"
  [ -n "$version" ] && [ -n "$released" ] && [ "$version" = "$top_of_changelog" ] && [ "$version" = "$top_of_debian" ]
}

# version_covers_additions: whether the version is at least the newest one in the two ledgers of capi/abi; names what it does not cover.
version_covers_additions() {
  later=$(awk -v version="$version" '
    function number(text, part) { split(text, part, "."); return part[1] * 1000 + part[2] }
    BEGIN { ours = number(version) }
    /^#/ || NF < 2 { next }
    { since = FILENAME ~ /ledger/ ? $2 : $1 }
    number(since) > ours { print since ": " (FILENAME ~ /ledger/ ? $1 : substr($0, length($1) + 2)) }' \
    "$root/capi/abi/ledger.txt" "$root/capi/abi/declarations.txt") || return 1
  [ -z "$later" ] || { printf '%s\n' "the version is $version, but capi/abi lists additions of a later one:" "$later"; return 1; }
}

need_backend() {
  need_environment build
  need_pip build backend 'scikit-build-core>=0.10' || pip_failed scikit-build-core
  need_pip build requirements scipy-openblas32 'typing_extensions>=4.10' || pip_failed scipy-openblas32
}
need_auditwheel() {
  need_environment build
  need_pip build auditwheel auditwheel || pip_failed auditwheel
}

# make_sdist FOLDER: makes mindtorch-VERSION.tar.gz.
make_sdist() {
  need_backend
  mkdir -p "$1"
  (cd "$root" && run_logged sdist "$environments/build/bin/python" -c \
    'import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))' "$1")
}

# python_level FOLDER: prints the version, such as "3.13", of a folder with Python's headers.
python_level() { sed -n 's/^#define PY_\(MAJOR\|MINOR\)_VERSION[ \t]*\([0-9]*\).*/\2/p' "$1/patchlevel.h" | paste -sd.; }

# find_python_headers FOLDERS: sets `headers` to folders with headers of the Pythons to build for, except the one of `python`.
find_python_headers() {
  own_level=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  headers=$1
  [ -z "$headers" ] || return 0
  for level in $release_pythons; do
    [ "$level" != "$own_level" ] || continue
    folder=
    for candidate in "$("python$level" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)" \
      "${PYENV_ROOT:-$HOME/.pyenv}/versions/$level".*/include/python"$level"; do
      if [ -f "$candidate/Python.h" ]; then folder=$candidate; fi
    done
    for known in $debian_pythons; do
      [ -z "$folder" ] && [ "${known%%=*}" = "$level" ] || continue
      unpack_debian "${known#*=}" amd64 "$root/build/debian/python$level" "libpython$level-dev" || continue
      folder=$root/build/debian/python$level/usr/include/python$level
    done
    if [ -n "$folder" ]; then headers="$headers $folder"; else say "Python $level: no headers here, so no wheel (see --python-headers)"; fi
  done
}

# make_base_wheel: builds one libmindtorch and an extension for every Python of `headers` in build/packages/x86_64; sets
# `base_wheel`.
make_base_wheel() {
  # shellcheck disable=SC2086
  base_key=$(hash_text "$(hash_files $wheel_sources) $headers")
  if ! fresh base-wheel "$base_key" || ! ls "$packages"/base/mindtorch-*.whl >/dev/null 2>&1; then
    need_backend
    say "building for x86-64: Python $own_level$(for folder in $headers; do printf ', %s' "$(python_level "$folder")"; done)"
    export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(build_jobs)}"
    rm -rf "$packages/base"
    (cd "$root" && run_logged base-wheel "$environments/build/bin/python" -m pip wheel -v --disable-pip-version-check --no-index \
      --no-build-isolation --no-deps -w "$packages/base" -C build-dir="$packages/x86_64" -C cmake.define.Python_EXECUTABLE="$python" \
      -C cmake.define.MINDTORCH_PYTHON_HEADERS="$(printf '%s' "$headers" | sed 's/^ *//; s/  */;/g')" .) || return 1
    stamp base-wheel "$base_key"
  fi
  base_wheel=$(ls "$packages"/base/mindtorch-*.whl)
}

# passes_audit WHEEL: whether the wheel's binaries run on the systems that its file name promises.
passes_audit() {
  "$environments/build/bin/auditwheel" show "$1" >"$logs/auditwheel.log" 2>&1 || { cat "$logs/auditwheel.log"; return 1; }
  audited=$(tr '\n' ' ' <"$logs/auditwheel.log" | sed -n 's/.*consistent with the following platform tag: *"\([^"]*\)".*/\1/p')
  promised=$(basename "$1" .whl | sed 's/.*-//')
  printf '%s\n' "$(basename "$1"): auditwheel says $audited"
  case $audited in manylinux*) ;; *) cat "$logs/auditwheel.log"; return 1 ;; esac
  # A wheel may support older systems than its file name promises.
  [ "$(printf '%s\n' "${audited%%_[ax]*}" "${promised%%_[ax]*}" | sort -V | tail -n 1)" = "${promised%%_[ax]*}" ]
}

# repack FOLDER TAG [BINARIES]: makes a wheel with that tag from the base wheel, with its own binaries or others.
repack() {
  "$environments/build/bin/python" "$root/scripts/repack_wheel.py" "$base_wheel" --out "$1" --tag "$2" ${3:+--binaries "$3"} \
    >"$logs/repack.log" 2>&1 || { cat "$logs/repack.log" >&2; return 1; }
  made=$(tail -n 1 "$logs/repack.log")
  passes_audit "$made"
}

# make_wheels_x86_64 FOLDER: makes a wheel for each Python.
make_wheels_x86_64() {
  need_auditwheel
  repack "$1" "$(printf 'cp%s-cp%s' "$own_level" "$own_level" | tr -d .)-${manylinux}_x86_64" || return 1
  for folder in $headers; do
    tag=cp$(python_level "$folder" | tr -d .)
    stage=$packages/stage/x86_64-$tag
    rm -rf "$stage"
    for component in wheel "wheel-$tag"; do
      run_logged "stage-$tag" cmake --install "$packages/x86_64" --strip --component "$component" --prefix "$stage" || return 1
      # The extension modules for the Python that runs the build.
      [ "$component" = "wheel-$tag" ] || find "$stage" -name '*.cpython-*.so' -delete
    done
    repack "$1" "$tag-$tag-${manylinux}_x86_64" "$stage" || return 1
  done
}

# need_sysroot: unpacks Debian's oneTBB and GoogleTest for arm64; sets `sysroot`.
need_sysroot() {
  sysroot=$root/build/debian/arm64
  unpack_debian bookworm arm64 "$sysroot" libtbb-dev libtbb12 libtbbmalloc2 libtbbbind-2-5 libgtest-dev \
    zlib1g-dev libzstd-dev
}

# find_arm_headers: sets `arm_headers` to the headers of the same Pythons for arm64. Debian's headers are for one processor;
# others serve both.
find_arm_headers() {
  arm_headers=
  for folder in "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" $headers; do
    level=$(python_level "$folder")
    for known in $debian_pythons; do
      [ "${known%%=*}" = "$level" ] || continue
      unpack_debian "${known#*=}" arm64 "$root/build/debian/python$level-arm64" "libpython$level-dev" || return 1
      folder=$root/build/debian/python$level-arm64/usr/include/python$level
    done
    arm_headers="$arm_headers $folder"
  done
}

# build_aarch64: cross-compiles in build/packages/aarch64.
build_aarch64() {
  need_sysroot && find_arm_headers || return 1
  export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(build_jobs)}"
  run_logged configure-aarch64 cmake -S "$root" -B "$packages/aarch64" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/cmake/Aarch64.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DMINDTORCH_SYSROOT="$sysroot" -DMINDTORCH_PYTHON=OFF \
    -DMINDTORCH_PYTHON_HEADERS="$(printf '%s' "$arm_headers" | sed 's/^ *//; s/  */;/g')" "$@" &&
    run_logged build-aarch64 cmake --build "$packages/aarch64"
}

# make_wheels_aarch64 FOLDER: makes the base wheel with the cross-compiled binaries, for each Python.
make_wheels_aarch64() {
  need_auditwheel
  build_aarch64 || return 1
  for folder in $arm_headers; do
    tag=cp$(python_level "$folder" | tr -d .)
    stage=$packages/stage/aarch64-$tag
    rm -rf "$stage"
    for component in wheel "wheel-$tag"; do
      run_logged "stage-$tag" cmake --install "$packages/aarch64" --strip --component "$component" --prefix "$stage" || return 1
    done
    repack "$1" "$tag-$tag-${manylinux}_aarch64" "$stage" || return 1
  done
}

# make_debian_packages FOLDER: builds them from the sdist with dpkg-buildpackage, and checks them with lintian.
make_debian_packages() {
  deb_source=$packages/debian/mindtorch-$version
  # shellcheck disable=SC2086
  debian_key=$(hash_files $wheel_sources debian)
  if ! fresh debian "$debian_key" || ! ls "$packages"/debian/*.deb >/dev/null 2>&1; then
    rm -rf "$packages/debian"
    mkdir -p "$packages/debian"
    make_sdist "$packages/debian" && tar -xf "$packages/debian/mindtorch-$version.tar.gz" -C "$packages/debian" || return 1
    export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(build_jobs)}"
    # debhelper sets an empty home directory for the build.
    (cd "$deb_source" && CCACHE_DIR=${CCACHE_DIR:-$(ccache -k cache_dir)} run_logged debian \
      dpkg-buildpackage -us -uc --buildinfo-option="-u$packages/debian") || return 1
    (cd "$packages/debian" && lintian --no-cfg --allow-root --fail-on error ./*.changes >"$logs/lintian.log" 2>&1) ||
      { cat "$logs/lintian.log" >&2; return 1; }
    stamp debian "$debian_key"
  fi
  mkdir -p "$1/debian"
  cp "$packages"/debian/*.deb "$packages"/debian/*.dsc "$packages"/debian/mindtorch_*.tar.* "$1/debian/"
}

# make_docs FOLDER: makes mindtorch-VERSION-docs.tar.gz.
make_docs() {
  [ -x "$root/scripts/docs" ] || { say "there is no scripts/docs, so no documentation"; return 0; }
  run_logged docs "$root/scripts/docs" || return 1
  tar -C "$root/build/docs/html" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --transform "s,^\.,mindtorch-$version-docs," -cf - . | gzip -n9 >"$1/mindtorch-$version-docs.tar.gz"
}
