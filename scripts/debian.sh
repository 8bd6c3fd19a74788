# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Unpacks packages of other Debian releases and architectures into a folder, without changing the system or running the packages'
# scripts. Sourced after setup.sh; POSIX sh.

# debian_mirror: prints the mirror that this system's apt uses.
debian_mirror() {
  # shellcheck disable=SC2016  # apt fills these in
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# unpack_debian SUITE ARCHITECTURE FOLDER PACKAGE...: unpacks the named packages, without their dependencies.
unpack_debian() {
  deb_suite=$1 deb_arch=$2 deb_folder=$3
  shift 3
  deb_key=$(hash_text "$deb_suite $deb_arch $*")
  [ ! -f "$deb_folder/.complete" ] || [ "$(cat "$deb_folder/.complete")" != "$deb_key" ] || return 0
  deb_apt=$root/build/debian/$deb_suite-$deb_arch
  deb_log=$logs/debian-$deb_suite-$deb_arch.log
  deb_mirror=$(debian_mirror)
  [ -n "$deb_mirror" ] || { say "apt knows no Debian mirror, so $* for $deb_arch cannot be had"; return 1; }
  say "unpacking from Debian $deb_suite ($deb_arch): $*"
  rm -rf "$deb_folder"
  mkdir -p "$deb_folder" "$deb_apt/state/lists/partial" "$deb_apt/cache/archives/partial"
  : >"$deb_apt/status"
  printf '%s\n' "deb [arch=$deb_arch signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $deb_mirror $deb_suite main" \
    >"$deb_apt/sources.list"
  # Variables of apt itself take precedence over the system's configuration files.
  printf '%s\n' "Dir::State \"$deb_apt/state\";" "Dir::State::status \"$deb_apt/status\";" "Dir::Cache \"$deb_apt/cache\";" \
    "Dir::Etc::sourcelist \"$deb_apt/sources.list\";" 'Dir::Etc::sourceparts "/dev/null";' 'APT::Sandbox::User "root";' \
    "APT::Architecture \"$deb_arch\";" "#clear APT::Architectures;" "APT::Architectures { \"$deb_arch\"; };" >"$deb_apt/apt.conf"
  (
    cd "$deb_apt/cache" && rm -f ./*.deb &&
      APT_CONFIG=$deb_apt/apt.conf apt-get update -q && APT_CONFIG=$deb_apt/apt.conf apt-get download -q "$@" &&
      for deb in ./*.deb; do dpkg-deb -x "$deb" "$deb_folder" || exit 1; done
  ) >"$deb_log" 2>&1 || { tail -n 3 "$deb_log" >&2; return 1; }
  printf '%s\n' "$deb_key" >"$deb_folder/.complete"
}
