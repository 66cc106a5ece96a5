# mroce bench: one figure of the device beside TCP, over the same link, in one run. Sourced, never run.

BENCH_ROUNDS=3

bench_usage() {
    cat <<'EOF'
usage: mroce bench lat|bw [--mtu N]

  lat   8 bytes: ib_send_lat (typical) beside a TCP ping-pong that polls its socket; half a round trip in us
  bw    64 KB: ib_write_bw (average) beside iperf3 with one stream; Gbit/s

Three rounds, the two by turns; the figures are the medians.
EOF
}

# The middle one of three numbers.
median() {
    printf '%s\n' "$@" | sort -g | sed -n "$(($# / 2 + 1))p"
}

ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'
}

build_pingpong() {
    local source=$MROCE_ROOT/benchmarks/src/main/c/tcp_pingpong.c
    PINGPONG=$MROCE_ROOT/benchmarks/target/tcp_pingpong
    if [ "$PINGPONG" -nt "$source" ]; then
        return
    fi
    mkdir -p "${PINGPONG%/*}"
    gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$PINGPONG" "$source" || die "bench: cannot build tcp_pingpong"
}

mroce_bench() {
    local what mtu=1500 word dir round side tcp=() ours=() unit best
    what=${1-}
    case $what in
        lat | bw) shift ;;
        -h | --help)
            bench_usage
            return
            ;;
        *)
            bench_usage >&2
            die "bench: lat or bw?"
            ;;
    esac
    while [ $# -gt 0 ]; do
        case $1 in
            --mtu)
                [ $# -ge 2 ] || die "bench: --mtu needs a number"
                mtu=$2
                shift 2
                ;;
            *) die "bench: unknown option $1" ;;
        esac
    done
    install_packages
    need_jdk
    . "$MROCE_DIR/script/build.sh"
    ensure_built
    build_pingpong

    case $what in
        lat)
            MROCE_BENCH_TCP_SERVER="$PINGPONG 5001"
            MROCE_BENCH_TCP_CLIENT="$PINGPONG 5001 10.78.0.1 50000"
            MROCE_BENCH_OURS="ib_send_lat -d mroce0 -x 0 -F -s 8 -n 50000"
            unit=us
            best="less is better"
            ;;
        bw)
            MROCE_BENCH_TCP_SERVER="iperf3 -s -1 -p 5001"
            MROCE_BENCH_TCP_CLIENT="iperf3 -c 10.78.0.1 -p 5001 -t 4 -f g"
            MROCE_BENCH_OURS="ib_write_bw -d mroce0 -x 0 -F -s 65536 -n 40000 --report_gbits"
            unit=Gbit/s
            best="more is better"
            ;;
    esac
    export MROCE_BENCH_TCP_SERVER MROCE_BENCH_TCP_CLIENT MROCE_BENCH_OURS
    dir=$(mktemp -d)
    side="bash $MROCE_DIR/script/bench-side.sh $what $dir $BENCH_ROUNDS"
    if ! "$MROCE_SELF" pair --mtu "$mtu" --timeout 300 "$side server" -- "$side client" >"$dir/log" 2>&1; then
        cat "$dir/log" >&2
        rm -rf "$dir"
        die "bench: a program failed"
    fi

    printf 'machine  '
    machine
    printf 'link     veth between two namespaces, MTU %s\n' "$mtu"
    printf 'TCP      %s  |  %s\n' "${MROCE_BENCH_TCP_SERVER/#"$MROCE_ROOT/"/}" "${MROCE_BENCH_TCP_CLIENT/#"$MROCE_ROOT/"/}"
    printf 'mroce0   %s  |  %s 10.78.0.1\n\n' "$MROCE_BENCH_OURS" "$MROCE_BENCH_OURS"
    printf '%-8s %12s %12s %8s\n' round "TCP $unit" "mroce0 $unit" ratio
    for ((round = 1; round <= BENCH_ROUNDS; round++)); do
        read -r word <"$dir/tcp.$round"
        tcp+=("$word")
        read -r word <"$dir/ours.$round"
        ours+=("$word")
        printf '%-8s %12s %12s %8s\n' "$round" "${tcp[-1]}" "${ours[-1]}" "$(ratio "${ours[-1]}" "${tcp[-1]}")"
    done
    rm -rf "$dir"
    printf '%-8s %12s %12s %8s   (%s)\n' median "$(median "${tcp[@]}")" "$(median "${ours[@]}")" \
        "$(ratio "$(median "${ours[@]}")" "$(median "${tcp[@]}")")" "$best"
}
