# One side of "mroce bench"; started by "mroce pair" in its namespace.
# $1: lat or bw; $2: a folder that both sides see; $3: rounds; $4: server or client.
# The server leaves a file when it listens; the client leaves its figures in tcp.N and ours.N.
set -u
what=$1 dir=$2 rounds=$3 side=$4

# Waits until TCP port $1 is listened on here; then leaves file $2.
announce() {
    local port
    printf -v port '%04X' "$1"
    until grep -qE "^ *[0-9]+: [0-9A-F]+:$port [0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6; do
        kill -0 "$3" 2>/dev/null || return 1
        sleep 0.02
    done
    : >"$2"
}

# Runs a server in the background until it ends; $1: port, $2: file, the rest: the command.
serve() {
    local port=$1 file=$2
    "${@:3}" &
    announce "$port" "$file" $!
    wait $! || { echo "failed: ${*:3}"; exit 1; }
}

# Runs a client when the server has left file $1; its output goes to file $2.
call() {
    until [ -e "$1" ]; do
        sleep 0.02
    done
    "${@:3}" >"$2" 2>&1 || { cat "$2"; echo "failed: ${*:3}"; exit 1; }
    cat "$2"
}

# The figure in the output of the device's program: typical latency, or average bandwidth.
ours_figure() {
    case $what in
        lat) awk '$1 == 8 && NF >= 7 { print $5 }' "$1" ;;
        bw) awk '$1 == 65536 && NF >= 5 { print $4 }' "$1" ;;
    esac
}

tcp_figure() {
    case $what in
        lat) awk '$1 == "p50" { print $2 }' "$1" ;;
        bw) awk '/receiver/ { for (i = 2; i <= NF; i++) if ($i == "Gbits/sec") print $(i - 1) }' "$1" ;;
    esac
}

read -r -a tcp_server <<<"$MROCE_BENCH_TCP_SERVER"
read -r -a tcp_client <<<"$MROCE_BENCH_TCP_CLIENT"
read -r -a ours <<<"$MROCE_BENCH_OURS"

for ((i = 1; i <= rounds; i++)); do
    if [ "$side" = server ]; then
        serve 5001 "$dir/tcp-up.$i" env -u LD_PRELOAD "${tcp_server[@]}"
        serve 18515 "$dir/ours-up.$i" "${ours[@]}"
    else
        call "$dir/tcp-up.$i" "$dir/out" env -u LD_PRELOAD "${tcp_client[@]}"
        tcp_figure "$dir/out" >"$dir/tcp.$i"
        call "$dir/ours-up.$i" "$dir/out" "${ours[@]}" 10.78.0.1
        ours_figure "$dir/out" >"$dir/ours.$i"
        [ -s "$dir/tcp.$i" ] && [ -s "$dir/ours.$i" ] || { echo "no figure in the output of round $i"; exit 1; }
    fi
done
