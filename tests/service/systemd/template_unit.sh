# What happens to the template's instance `bankd@ann`, told as lines `name=value`; runs inside system_unit.sh.
trap 'journalctl -u bankd@ann.service -o cat --no-pager | tail -40 >/srv/journal' EXIT
BIN=$(cat /srv/bin)
unit=bankd@ann.service
show() { systemctl show "$unit" --property="$1" --value; }
wait_for() { for _ in $(seq 400); do if eval "$1"; then return 0; fi; sleep 0.1; done; echo "never: $1"; return 0; }
tell() { echo "$1=$2"; }

mkdir -p /home/ann
cp -r /srv/w /home/ann/notes
chown -R ann:ann /home/ann
mkdir -p "/etc/systemd/system/$unit.d"
cat >"/etc/systemd/system/$unit.d/test.conf" <<UNIT
[Service]
WatchdogSec=20
RestartSec=100ms
# This system keeps its Python where the template hides everything.
$(case "$BIN$(cat /srv/prefix)" in */root/*) echo "BindReadOnlyPaths=$(cat /srv/prefix)" ;; esac)
ExecStartPost=-/bin/sh -c 'exec >/home/ann/notes/inside 2>&1; id -un; touch /etc/outside; touch /home/ann/other; ls /home; touch /home/ann/notes/allowed && echo allowed; $BIN/python -c "import socket; socket.socket(socket.AF_INET)"; ls /proc | grep -c "^1$"; grep -E "NoNewPrivs|CapBnd" /proc/self/status; true'
UNIT
"$BIN/bankctl" service install --system --name ann --workspace /home/ann/notes >/dev/null
tell verify "$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -i bankd)"
tell exposure "$(systemd-analyze security "$unit" | grep -o 'level for.*: [0-9.]*' | grep -o '[0-9.]*$')"
tell active "$(show ActiveState)"
first=$(show MainPID)
tell user "$(ps -o user= -p "$first")"
wait_for '[ -s /home/ann/notes/.bankd/index/current ]'
echo '- W: The template lets inotify through.' >>/home/ann/notes/bank/world/facts.md
wait_for 'runuser -u ann -- "$BIN/bankctl" search --json "template inotify" --workspace /home/ann/notes | grep -q "lets inotify through"'
tell found "$(runuser -u ann -- "$BIN/bankctl" search --json 'template inotify' --workspace /home/ann/notes | grep -c 'lets inotify through')"
printf '## Retain\n- B: 아침마다 로그를 먼저 읽는 루틴을 지킨다.\n' >/home/ann/notes/memory/2026-11-21.md
chown ann:ann /home/ann/notes/memory/*
wait_for 'grep -rqs "로그를 먼저" /home/ann/notes/bank'
wait_for 'pgrep -f bankd.workers.analyser >/dev/null'
tell worker "$(pgrep -fc bankd.workers.analyser)"
wait_for 'runuser -u ann -- "$BIN/bankctl" search --json "로그를 읽다" --workspace /home/ann/notes | grep -q "루틴\|\\\\ub8e8\\\\ud2f4"'
tell owner "$(find /home/ann/notes/bank /home/ann/notes/.bankd ! -user ann | wc -l)"
systemctl reload "$unit"
tell reload_kept "$([ "$(show MainPID)" = "$first" ] && echo yes)"
kill -STOP "$first"
wait_for '[ "$(show NRestarts)" = 1 ] && [ "$(show ActiveState)" = active ]'
tell watchdog_restarts "$(show NRestarts)"
tell inside "$(tr '\n' '|' </home/ann/notes/inside)"
tell journal "$(journalctl -u "$unit" -o json --no-pager | grep -c '"PRIORITY":"6".*started workspace\|started workspace.*"PRIORITY":"6"')"
tell prefixes "$(journalctl -u "$unit" -o cat --no-pager | grep -c '^<[0-9]>')"
began=$(date +%s%N)
systemctl stop "$unit"
tell stop_ms $((($(date +%s%N) - began) / 1000000))
tell result "$(show Result)"
tell left "$(pgrep -fc 'bankd.workers.analyser|bin/bankd')"
