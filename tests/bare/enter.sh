#!/bin/sh
# Runs inside new namespaces (unshare): mounts a root from its layers, and runs a command in it.
# usage: enter.sh LAYERS FOLDER [SETTING=VALUE]... -- COMMAND...
# LAYERS: read-only folders, the topmost first. FOLDER: receives everything that is written. Settings: SHM_SIZE, READ_ONLY (a folder
# inside), ROOT_USER (uid:gid), WHEELS and SOURCES (folders outside, mounted as /wheels and /sources).
set -eu
layers=$1 folder=$2
shift 2
SHM_SIZE=1g READ_ONLY='' ROOT_USER='' WHEELS='' SOURCES=''
while [ "$1" != -- ]; do
  case $1 in
    SHM_SIZE=* | READ_ONLY=* | ROOT_USER=* | WHEELS=* | SOURCES=*) eval "${1%%=*}=\${1#*=}" ;;
    *) printf '%s\n' "enter.sh: no setting '$1'" >&2; exit 1 ;;
  esac
  shift
done
shift
mkdir -p "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=$layers,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount -t tmpfs -o mode=755 dev dev
for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
  # shellcheck disable=SC2086
  set -- $device "$@"
  mknod -m 666 "dev/$1" c "$2" "$3"
  shift 3
done
ln -s /proc/self/fd dev/fd
mkdir dev/shm
mount -t tmpfs -o "mode=1777,size=$SHM_SIZE" shm dev/shm
# Mounts control groups as a container sees them, with its own group as the root.
mount -t tmpfs -o mode=755 sys sys
mkdir -p sys/fs/cgroup
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup sys/fs/cgroup
else
  mkdir sys/fs/cgroup/cpu
  mount -t cgroup -o cpu cgroup sys/fs/cgroup/cpu || true  # a kernel that has it together with another
fi
for shared in "wheels $WHEELS" "sources $SOURCES"; do
  outside=${shared#* }
  [ -n "$outside" ] || continue
  mkdir -p "${shared%% *}"
  mount --bind "$outside" "${shared%% *}"
  mount -o remount,bind,ro "${shared%% *}"
done
if [ -n "$READ_ONLY" ]; then
  mount --bind "./$READ_ONLY" "./$READ_ONLY"
  mount -o remount,bind,ro "./$READ_ONLY"
fi
exec chroot ${ROOT_USER:+--userspec="$ROOT_USER"} . /usr/bin/env -i PATH=/opt/env/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 \
  HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels PIP_DISABLE_PIP_VERSION_CHECK=1 \
  PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore "$@"
