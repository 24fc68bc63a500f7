#!/bin/bash
# Boots a real systemd as PID 1 of a container of its own over this very system, and runs a script in it, as root:
#   system_unit.sh FOLDER SCRIPT PYTHON_PREFIX NSPAWN
# All is written to an overlay in memory; the folder is /srv inside, and what the script prints is left in FOLDER/told.
set -eu
folder=$1 script=$2 prefix=$3 nspawn=$4
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/bankd-test.$$
mkdir "$group"
trap 'for _ in 1 2 3 4 5 6 7 8 9 10; do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break; sleep 0.2; done' EXIT
(
  echo $BASHPID >"$group/cgroup.procs"
  exec unshare --mount --pid --cgroup --fork --kill-child --mount-proc bash -eu -c '
    folder=$1 script=$2 prefix=$3 nspawn=$4
    mount --make-rprivate /
    umount -R /sys/fs/cgroup
    mount -t cgroup2 none /sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir /run/over
    mount -t tmpfs -o mode=755 tmpfs /run/over
    mkdir /run/over/upper /run/over/work /run/over/merged
    mount -t overlay -o lowerdir=/,upperdir=/run/over/upper,workdir=/run/over/work overlay /run/over/merged
    root=/run/over/merged
    rm -rf "$root"/etc/machine-id "$root"/etc/systemd/system/*.wants
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    cat >"$root/etc/systemd/system/try.service" <<UNIT
[Unit]
After=basic.target dbus.service
[Service]
Type=oneshot
TimeoutStartSec=150
ExecStart=/bin/bash -c "/bin/bash /srv/$script >/srv/told 2>&1"
ExecStopPost=/bin/systemctl exit 0
UNIT
    ln -s ../try.service "$root/etc/systemd/system/multi-user.target.wants/try.service"
    grep -q "^ann:" "$root/etc/passwd" || { echo "ann:x:4242:4242::/home/ann:/bin/sh" >>"$root/etc/passwd"; echo "ann:x:4242:" >>"$root/etc/group"; }
    set -- --bind="$folder:/srv"
    case $prefix in /root/*) chmod 755 "$root/root" ;; esac
    exec "$nspawn" --quiet --register=no --keep-unit --directory="$root" --boot --private-network --console=read-only --link-journal=no "$@" >/run/console.log 2>&1
  ' bash "$folder" "$script" "$prefix" "$nspawn"
)
