#!/usr/bin/env bash
# plane_flap.sh OTHER NETDEV COMMAND...: runs the command; while it sends, takes the netdev down, sees traffic go on by OTHER, takes it up again and
# sees traffic come back. Says how long that took; ends with the command's status, or with 1 when traffic stopped or did not come back.
set -u
other=$1 netdev=$2
shift 2

frames() { awk -v name="$1:" '$1 == name { print $11 }' /proc/net/dev; }

# until_sends NETDEV N: waits until it has sent N more frames; 1 after 30 s.
until_sends() {
    local end=$((SECONDS + 30)) goal
    goal=$(($(frames "$1") + $2))
    while [ "$(frames "$1")" -lt "$goal" ]; do
        [ $SECONDS -lt $end ] || { echo "$1 sent no $2 frames in 30 s"; kill "$program" 2>/dev/null; exit 1; }
        sleep 0.02
    done
}

"$@" &
program=$!
until_sends "$netdev" 2000
ip link set "$netdev" down
until_sends "$other" 2000
ip link set "$netdev" up
began=${EPOCHREALTIME/./}
until_sends "$netdev" 200
echo "traffic is back on $netdev after $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
wait "$program"
