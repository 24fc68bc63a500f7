#!/bin/bash
# Runs a script under a systemd user manager of its own, as root, with nothing of it visible outside; the folder is
# /srv inside, because services with a private /tmp would not see it below /tmp:
#   user_manager.sh UID FOLDER SCRIPT PYTHON_PREFIX
# The manager lives in its own mount, PID and cgroup namespaces below a control group made for it: started in the root
# group it would move every process of the machine, and a visible /run/systemd/system would look like a booted systemd.
set -eu
uid=$1 folder=$2 script=$3 prefix=$4
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/bankd-test.$$
mkdir "$group"
chown -R "$uid" "$group"
trap 'for _ in 1 2 3 4 5 6 7 8 9 10; do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break; sleep 0.2; done' EXIT
(
  echo $BASHPID >"$group/cgroup.procs"
  exec unshare --mount --pid --cgroup --fork --kill-child --mount-proc bash -eu -c '
    uid=$1 folder=$2 script=$3 prefix=$4
    mount --make-rprivate /
    umount -R /sys/fs/cgroup
    mount -t cgroup2 none /sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs /run
    # Without unit-root, units with a sandbox die with 226/NAMESPACE.
    mkdir -p /run/systemd/system /run/systemd/unit-root /run/systemd/mount-rootfs /run/systemd/inaccessible "/run/user/$uid"
    chown "$uid" "/run/user/$uid"
    chmod 700 "/run/user/$uid"
    mount --bind "$folder" /srv
    case $prefix in /root/*)
      # A Python in a home that its user alone may enter.
      mkdir /run/prefix
      mount --bind "$prefix" /run/prefix
      mount -t tmpfs -o mode=755 tmpfs /root
      mkdir -p "$prefix"
      mount --bind /run/prefix "$prefix" ;;
    esac
    export XDG_RUNTIME_DIR=/run/user/$uid HOME=/srv/home
    unset NOTIFY_SOCKET DBUS_SESSION_BUS_ADDRESS
    exec setpriv --reuid "$uid" --regid "$uid" --clear-groups bash -c "
      /lib/systemd/systemd --user >/srv/manager.log 2>&1 &
      for _ in \$(seq 100); do
        state=\$(systemctl --user is-system-running 2>/dev/null || true)
        case \$state in running|degraded) break ;; esac
        sleep 0.1
      done
      exec bash -eu \"/srv/$script\""
  ' bash "$uid" "$folder" "$script" "$prefix"
)
