# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `service`: builds two container images, examples/docker's on mindtorch and the same on torch's CPU build (with debootstrap
# if there is no container engine), and queries the service of each. Sourced by tests/run.
service_dir=$root/build/service
requests=400 rounds=1
[ -z "$full" ] || requests=10000 rounds=3

# debian_mirror: prints the mirror from which this machine's apt installs.
debian_mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    awk '$1 == "URIs:" || $1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^[a-z]+:/) { print $i; exit } }'
}

# base_root: makes, once, a minimal Debian 12 with Python.
base_root() {
  [ -f "$service_dir/base.tar" ] && return 0
  mkdir -p "$service_dir"
  rm -rf "$service_dir/base"
  debootstrap --variant=minbase --include=python3,python3-venv bookworm "$service_dir/base" "$(debian_mirror)" &&
    rm -rf "$service_dir"/base/var/cache/apt/archives/*.deb "$service_dir"/base/var/lib/apt/lists/* &&
    tar -C "$service_dir/base" -cf "$service_dir/base.tar.part" . && mv "$service_dir/base.tar.part" "$service_dir/base.tar" &&
    rm -rf "$service_dir/base"
}

# fetch_wheels NAME REQUIREMENT...: downloads wheels with pip outside of the root, once.
fetch_wheels() {
  fetched=$service_dir/wheels-$1; shift
  [ -f "$fetched/complete" ] && return 0
  "$oracle/bin/python" -m pip download -q --disable-pip-version-check -d "$fetched" "$@" && touch "$fetched/complete"
}

# image NAME REQUIREMENTS: makes a root from base, an environment in /venv from the downloaded wheels only, and the service in
# /app.
image() {
  side=$service_dir/$1
  rm -rf "$side"
  mkdir -p "$side/app" "$side/wheels"
  tar -C "$side" -xf "$service_dir/base.tar" &&
    cp "$root/examples/docker/service.py" "$side/app/" &&
    cp "$service_dir/wheels-$1"/*.whl "$2" "$side/wheels/" &&
    chroot "$side" python3 -m venv /venv &&
    chroot "$side" /venv/bin/pip install -q --disable-pip-version-check --no-index --find-links /wheels -r "/wheels/$(basename "$2")" &&
    chroot "$side" /venv/bin/pip uninstall -q -y setuptools pip &&
    rm -rf "$side/wheels"
}

mindtorch_image() {
  wheels=$service_dir/wheels-mindtorch
  own=$service_dir/own-wheels
  rm -rf "$own"
  mkdir -p "$wheels" "$own"
  grep -v '^#' "$root/examples/docker/requirements.txt" >"$service_dir/requirements.txt"
  cp "$wheel" "$own/" && "$oracle/bin/python" -m mindtorch shim-wheel "$own" &&
    fetch_wheels mindtorch --find-links "$own" -r "$service_dir/requirements.txt" &&
    rm -f "$wheels"/mindtorch-*.whl "$wheels"/torch-*.whl && cp "$own"/*.whl "$wheels/" &&
    image mindtorch "$service_dir/requirements.txt"
}
torch_image() {
  sed 's/^torch==.*/torch==2.13.0+cpu/' "$service_dir/requirements.txt" >"$service_dir/requirements-torch.txt" &&
    fetch_wheels torch -r "$service_dir/requirements-torch.txt" && image torch "$service_dir/requirements-torch.txt"
}

# services_agree: checks that both services return the same numbers; prints their times and sizes.
services_agree() {
  "$oracle/bin/python" "$root/examples/docker/measure.py" mindtorch="$service_dir/mindtorch" torch="$service_dir/torch" \
    --requests "$requests" --rounds "$rounds" --json "$reports/service.json" >"$logs/service.txt" 2>&1
  service_status=$?
  cat "$logs/service.txt"
  return $service_status
}
# image_is_half_as_large: checks the claim of examples/docker/README.md about sizes.
image_is_half_as_large() {
  "$oracle/bin/python" - "$reports/service.json" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
ratio = rows["mindtorch"]["size_mb"] / rows["torch"]["size_mb"]
print(f"image contents: {ratio:.2f} of torch's")
sys.exit(ratio > 0.5)
END
}

if ! need_installed; then
  failed_to_start service
else
  need_packages debootstrap apache2-utils
  check "a minimal Debian 12 is made" base_root
  check "the image's contents on mindtorch" mindtorch_image
  check "the same on torch's CPU build" torch_image
  check "both services answer, with the same numbers" services_agree
  cat "$logs/service.txt" 2>/dev/null
  check "the image's contents are at most half of torch's" image_is_half_as_large
  count_checks service
fi
