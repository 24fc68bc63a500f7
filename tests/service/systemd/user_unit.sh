# What happens to the user unit, told as lines `name=value`; runs inside user_manager.sh with the program in $BIN.
BIN=$(cat /srv/bin)
unit=~/.config/systemd/user/bankd.service
show() { systemctl --user show bankd --property="$1" --value; }
wait_for() { for _ in $(seq 400); do if eval "$1"; then return 0; fi; sleep 0.1; done; echo "never: $1"; return 0; }
tell() { echo "$1=$2"; }

# A watchdog that a test can wait for, and a look around from inside the sandbox.
mkdir -p "$unit.d"
cat >"$unit.d/test.conf" <<'UNIT'
[Service]
WatchdogSec=10
RestartSec=100ms
ExecStartPost=-/bin/sh -c 'exec >/srv/w/inside 2>&1; touch /srv/outside; touch /etc/outside; touch /srv/w/allowed && echo allowed; unshare --net true; PYTHON -c "import socket; socket.socket(socket.AF_INET)"; ls /proc/1/environ; cat /proc/self/status | grep -E "NoNewPrivs|Seccomp:"; true'
UNIT
sed -i "s,PYTHON,$BIN/python," "$unit.d/test.conf"

"$BIN/bankctl" service install --workspace /srv/w >/dev/null
tell verify "$(systemd-analyze --user verify --man=no "$unit" 2>&1)"
tell active "$(show ActiveState)"
tell status "$(show StatusText)"
first=$(show MainPID)

wait_for '[ -s /srv/w/.bankd/index/current ]'
echo '- W: The sandbox lets inotify through.' >>/srv/w/bank/world/facts.md
wait_for '"$BIN/bankctl" search --json "sandbox inotify" --workspace /srv/w | grep -q "lets inotify through"'
tell found "$("$BIN/bankctl" search --json 'sandbox inotify' --workspace /srv/w | grep -c 'lets inotify through')"

systemctl --user reload bankd
tell reload_kept "$([ "$(show MainPID)" = "$first" ] && echo yes)"
echo 'timezone: Mars/Olympus' >/srv/w/bankd.yaml
systemctl --user reload bankd
wait_for 'show StatusText | grep -q "old ones hold"'
tell bad_reload "$(show ActiveState) $(show StatusText)"
printf 'search: {analyser: lexicon}\n' >/srv/w/bankd.yaml
systemctl --user reload bankd

sleep 15
tell fed "$([ "$(show MainPID)" = "$first" ] && echo yes)"
kill -STOP "$first"
wait_for '[ "$(show NRestarts)" = 1 ] && [ "$(show ActiveState)" = active ]'
tell watchdog_restarts "$(show NRestarts)"
second=$(show MainPID)
kill -KILL "$second"
wait_for '[ "$(show NRestarts)" = 2 ] && [ "$(show ActiveState)" = active ]'
tell kill_restarts "$(show NRestarts)"
tell still_found "$("$BIN/bankctl" search --json 'sandbox inotify' --workspace /srv/w | grep -c 'lets inotify through')"
tell inside "$(tr '\n' '|' </srv/w/inside)"

began=$(date +%s%N)
systemctl --user stop bankd
tell stop_ms $((($(date +%s%N) - began) / 1000000))
tell result "$(show Result)"
mv /srv/w/bankd.yaml /srv/kept; echo 'nonsense: [' >/srv/w/bankd.yaml
systemctl --user start bankd 2>/dev/null || true
tell bad_start "$(show ActiveState) $(show Result) $(show ExecMainStatus) restarts $(show NRestarts)"
mv /srv/kept /srv/w/bankd.yaml
"$BIN/bankctl" service uninstall --workspace /srv/w >/dev/null
tell uninstalled "$([ -e "$unit" ] || echo yes)"

# All banks in one service: two that are well, and one that is not.
cp -a /srv/w /srv/v; mkdir /srv/x
echo '- W: The heron nests by the second weir.' >>/srv/v/bank/world/facts.md
for bank in w v; do "$BIN/bankctl" banks add /srv/$bank >/dev/null 2>&1; done
echo 'x: /srv/x' >>~/.config/bankd/banks.yaml
"$BIN/bankctl" service install --all >/dev/null
tell all_verify "$(systemd-analyze --user verify --man=no ~/.config/systemd/user/bankd-all.service 2>&1)"
wait_for 'systemctl --user show bankd-all --property=StatusText --value | grep -q "2 of 3"'
tell all_status "$(systemctl --user show bankd-all --property=StatusText --value)"
wait_for '"$BIN/bankctl" search --all --json "heron weir" | grep -q "second weir"'
tell all_found "$("$BIN/bankctl" search --all --json 'heron weir' | grep -c 'second weir')"
"$BIN/bankctl" service uninstall --all >/dev/null
tell all_gone "$([ -e ~/.config/systemd/user/bankd-all.service ] || systemctl --user is-active bankd-all)"
