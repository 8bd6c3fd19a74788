# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `packages`: checks the files of a release. Sourced by tests/run. Packs the existing build; with --full, builds everything
# that scripts/release makes, again to check reproducibility, for 64-bit ARM, and runs it in minimal roots.
scratch=$root/build/packages-test
rm -rf "$scratch"
mkdir -p "$scratch/wheel"
. "$root/scripts/packages.sh"

shared_objects() { find "$1" -type f \( -name '*.so' -o -name '*.so.*' \); }
own_shared_objects() { shared_objects "$1" | grep -v /libtbb; }
# for_each_object FOLDER CHECK: whether the check passes for every shared object of ours; names those that fail.
for_each_object() {
  objects=$(own_shared_objects "$1") bad=
  [ -n "$objects" ] || { echo "no shared object in $1"; return 1; }
  for object in $objects; do "$2" "$object" || bad="$bad $object"; done
  [ -z "$bad" ] || { echo "$2 fails for$bad"; return 1; }
}
has_full_relro() { readelf -lW "$1" | grep -q GNU_RELRO && readelf -dW "$1" | grep -q 'BIND_NOW\|Flags: NOW'; }
# Removes the path of the checkout, and any other prefix of impl/.
has_no_path_of_here() { ! strings -a "$1" | grep -F -e "$root" -e /impl/; }
# All linked libraries must be used: `ldd -u` prints unused ones.
uses_what_it_links() { unused=$(ldd -u "$1" | grep -F .so); [ -z "$unused" ] || { echo "$unused"; return 1; }; }

same_bytes() { sha256sum "$@" | cut -d' ' -f1 | uniq | awk 'END { exit NR != 1 }'; }
repacks_alike() {
  repack "$scratch/first" "$own_tag-${manylinux}_x86_64" && first=$made || return 1
  # Packs the same wheel again with other file times: the bytes must not change.
  "$python" -m zipfile -e "$base_wheel" "$scratch/loose" && (cd "$scratch/loose" && "$python" -m zipfile -c "$scratch/loose.whl" ./*) || return 1
  "$python" "$root/scripts/repack_wheel.py" "$scratch/loose.whl" --out "$scratch/second" --tag "$own_tag-${manylinux}_x86_64" &&
    same_bytes "$first" "$scratch/second"/*.whl
}
sdists_alike() {
  make_sdist "$scratch/sdist-1" && touch "$root/README.md" && make_sdist "$scratch/sdist-2" &&
    same_bytes "$scratch"/sdist-*/*.tar.gz
}
# The sdist contains git's files, except those that pyproject.toml excludes, and PKG-INFO.
sdist_is_complete() {
  tar -tzf "$scratch/sdist-1"/*.tar.gz | sed "s,^mindtorch-$version/,," | grep -v '/$' | grep -vx PKG-INFO | LC_ALL=C sort >"$scratch/in-sdist"
  git -C "$root" ls-files --cached --others --exclude-standard | grep -v '^\.ci/' | LC_ALL=C sort >"$scratch/in-git"
  diff "$scratch/in-git" "$scratch/in-sdist"
}
licences_name_what_travels() {
  # The libraries in lib/libtorch are ours, under the names that extensions request.
  for library in $(shared_objects "$scratch/wheel" | grep -v /libtorch/ | grep -oE 'lib[a-z_]+\.so\.[0-9]+' | grep -v libmindtorch); do
    grep -q "$library" "$root/LICENSES/README.md" || { echo "$library is in the wheel, and not in LICENSES/README.md"; return 1; }
  done
  # shellcheck disable=SC2013  # names without blanks
  for library in $(grep -oE 'lib[a-z_]+\.so\.[0-9]+' "$root/LICENSES/README.md"); do
    [ -n "$(find "$scratch/wheel" -name "$library")" ] || { echo "LICENSES/README.md names $library, which is not in the wheel"; return 1; }
  done
}

# works_in PYTHON WHEEL: installs the wheel into a new environment of that Python and computes, also with LAPACK.
works_in() {
  level=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || return 1
  "$1" -m venv "$scratch/venv$level" && "$scratch/venv$level/bin/python" -m pip install -q --disable-pip-version-check "$2" &&
    (cd "$scratch" && "$scratch/venv$level/bin/python" "$root/tests/install/smoke.py")
}

if need_installed; then
  need_backend
  need_auditwheel
  base_wheel=$wheel own_tag=$(basename "$wheel" .whl | cut -d- -f3,4)
  "$python" -m zipfile -e "$wheel" "$scratch/wheel"
  check "the versions agree" versions_agree
  check "the wheel passes auditwheel as $manylinux" repack "$scratch" "$own_tag-${manylinux}_$(uname -m)"
  check "the wheel's binaries have full RELRO" for_each_object "$scratch/wheel" has_full_relro
  check "no path of the build is in them" for_each_object "$scratch/wheel" has_no_path_of_here
  check "they use what they link" for_each_object "$scratch/wheel" uses_what_it_links
  check "LICENSES names the libraries that travel along" licences_name_what_travels
  check "a wheel packed again is the same bytes" repacks_alike
  check "an sdist made again is the same bytes" sdists_alike
  if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
    check "the sdist has every file of the repository" sdist_is_complete
  else
    skip "the sdist's list of files (no git)"
  fi
  if [ -n "$full" ]; then
    . "$root/tests/install/release.sh"
  else
    skip "everything that scripts/release makes, for every Python and processor, and Debian's packages in a bare root (--full)"
  fi
  count_checks packages
else
  failed_to_start packages
fi
