# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# The slow part of suite `packages`: the complete scripts/release, again from its own sdist, for 64-bit ARM under emulation, and
# Debian packages in a minimal root. Sourced by packages.sh under --full.
made_here=$root/build/release-files
there=$scratch/there/mindtorch-$version

makes_a_release() { rm -rf "$made_here" && sh "$root/scripts/release" --dirty; }
is_complete() {
  ls "$made_here" "$made_here/debian"
  for kind in mindtorch-"$version".tar.gz "*-cp311-*x86_64.whl" "*-cp313-*x86_64.whl" "*-cp311-*aarch64.whl" "*-cp313-*aarch64.whl" \
    "debian/libmindtorch0_*.deb" "debian/libmindtorch-dev_*.deb" "debian/python3-mindtorch_*.deb" "debian/mindtorch-npu-sim_*.deb"; do
    [ -n "$(find "$made_here" -path "$made_here/$kind")" ] || { echo "there is no $kind"; return 1; }
  done
  (cd "$made_here" && sha256sum --quiet -c SHA256SUMS)
}
# Builds from the sdist in another folder, without the compiled files of this checkout.
makes_the_same_again() {
  mkdir -p "$scratch/there"
  tar -xf "$made_here/mindtorch-$version.tar.gz" -C "$scratch/there" &&
    CCACHE_DISABLE=1 sh "$there/scripts/release" --only sdist --only wheels || return 1
  for file in "$made_here"/*.tar.gz "$made_here"/*x86_64.whl; do
    case $file in *-docs.tar.gz) continue ;; esac
    same_bytes "$file" "$there/build/release-files/$(basename "$file")" || { echo "$(basename "$file") differs"; return 1; }
  done
}

# Unpacks Debian's Python for 64-bit ARM, which runs under qemu.
arm_root=$root/build/debian/arm64-python
# The default processor of qemu claims SME, and OpenBLAS's kernels for SME compute wrong factors there; this one has NEON alone.
on_arm() { qemu-aarch64-static -cpu neoverse-n1 -L "$arm_root" -E LD_LIBRARY_PATH="$arm_libraries" -E PYTHONHOME="$arm_root/usr" -E PYTHONPATH="$arm_site" "$@"; }
needs_arm_python() {
  unpack_debian bookworm arm64 "$arm_root" libc6 libgcc-s1 libstdc++6 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib zlib1g \
    libexpat1 libffi8 libbz2-1.0 liblzma5 libuuid1 libgfortran5 || return 1
  arm_site=$scratch/arm-site
  arm_libraries=$arm_root/lib/aarch64-linux-gnu:$arm_root/usr/lib/aarch64-linux-gnu
  "$oracle/bin/python" -m pip install -q --disable-pip-version-check --no-warn-conflicts --target "$arm_site" --python-version 3.11 \
    --only-binary=:all: --platform "${manylinux}_aarch64" --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 \
    "$made_here"/*-cp311-*aarch64.whl
}
computes_on_arm() { on_arm "$arm_root/usr/bin/python3.11" "$root/tests/install/smoke.py"; }
passes_cpp_tests_on_arm() {
  build_aarch64 -DMINDTORCH_TESTS=ON &&
    qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$sysroot/usr/lib/aarch64-linux-gnu" \
      "$packages/aarch64/mindtorch_tests" --gtest_brief=1 --gtest_filter="$arm_tests"
}
# Selects tests of kernels, whose portable variants run on ARM, and of code that depends on byte and memory order.
arm_tests='CpuGemm*:CpuConvert*:CpuCopy*:CpuSort*:CpuFft*:CpuRandom*:VecMath*:Capi*-*Fork*:*Death*'

# Installs the Debian packages in a minimal root.
bare=$packages/bookworm
in_bare() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive unshare --mount --pid --fork \
  --mount-proc="$bare/proc" chroot "$bare" "$@"; }
has_a_bare_root() {
  [ -f "$bare/.complete" ] && return 0
  rm -rf "$bare"
  debootstrap --variant=minbase bookworm "$bare" "$(debian_mirror)" && cp /etc/resolv.conf /etc/hosts "$bare/etc/" && in_bare apt-get update -q &&
    touch "$bare/.complete"
}
installs_in_bare_root() {
  rm -rf "$bare/sources" && mkdir -p "$bare/sources" && cp "$made_here"/debian/*.deb "$bare/sources/" &&
    cp -r "$root/examples" "$root/debian" "$bare/sources/" || return 1
  # shellcheck disable=SC2016
  in_bare sh -c 'apt-get install -y -q --no-install-recommends /sources/*.deb gcc libc6-dev pkg-config'
}
passes_debian_test() { in_bare sh -c "cd /sources && sh debian/tests/$1"; }
leaves_nothing() {
  in_bare dpkg --purge python3-mindtorch mindtorch-npu-sim libmindtorch-dev libmindtorch0 || return 1
  left=$(find "$bare/usr" "$bare/etc" "$bare/var/lib/dpkg/info" -name '*mindtorch*')
  [ -z "$left" ] || { echo "left: $left"; return 1; }
}

need_packages qemu-user-static debootstrap
check "scripts/release makes a release" makes_a_release
check "it is complete" is_complete
check "the same bytes from its own sdist, elsewhere" makes_the_same_again
find_python_headers ''
check "the wheel of Python $own_level works" works_in "$python" "$made_here"/*-cp"$(printf '%s' "$own_level" | tr -d .)"-*x86_64.whl
for folder in $headers; do
  level=$(python_level "$folder")
  program=$folder/../../bin/python$level
  if [ -x "$program" ]; then
    check "the wheel of Python $level works" works_in "$program" "$made_here"/*-cp"$(printf '%s' "$level" | tr -d .)"-*x86_64.whl
  else
    skip "the wheel of Python $level (its headers are here, no interpreter)"
  fi
done
check "a Python for 64-bit ARM gets its wheel" needs_arm_python
check "it computes, emulated" computes_on_arm
check "the C++ tests of kernels pass on 64-bit ARM, emulated" passes_cpp_tests_on_arm
if [ "$(id -u)" != 0 ]; then
  skip "Debian's packages in a bare root (only root may make one)"
elif has_a_bare_root >"$logs/bare-root.log" 2>&1; then
  check "the Debian packages are installed in a bare root" installs_in_bare_root
  check "a C program by pkg-config works there" passes_debian_test c-program
  check "the Python package works there" passes_debian_test python
  check "their removal leaves nothing" leaves_nothing
else
  tail -n 3 "$logs/bare-root.log"
  check "a bare root is made" false
fi
