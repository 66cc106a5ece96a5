# mroce pair: two network namespaces, two commands. Sourced, never run.
#
# The namespaces have no name: each is held by one process (pair-holder.sh) that waits for the end of this one, in
# whatever way that comes, then ends every process in its namespace and itself. So nothing is left behind after ^C, after a
# time-out, or after kill -9.

# The device's own UDP destination ports: one a process.
DEVICE_PORTS=47810-48833
# A client that failed leaves its server this long to notice.
SERVER_GRACE_S=15
# What ends a namespace may take this long.
CLEANUP_S=20

pair_usage() {
    cat <<'EOF'
usage: mroce pair [OPTION...] 'SERVER COMMAND' -- 'CLIENT COMMAND'

Runs the two commands in two fresh network namespaces joined by veth pairs: plane k has the
addresses 10.78.k.1 (server) and 10.78.k.2 (client), k from 0. The client starts when the server
listens on a TCP port, or after a second.

  --mtu N         MTU of the links (default 1500)
  --planes N      number of links (default 1)
  --loss PCT      lose that many percent of the frames to the device's own UDP ports, at each receiver
  --loss-all PCT  lose that many percent of all frames, at each receiver
  --ce PCT        mark that many percent of the device's ECT(0) frames as having met congestion
  --timeout S     end after S seconds, with status 124 (default 300)
  --plain         run the commands without the device

The client's output goes to stdout as it is; the server's follows after a line "--- server ---".
Exit status: 0 if both commands ended with 0; 124 on time-out; else the client's, or the server's.
EOF
}

# A percentage as parts in a million; $1: the option, $2: its value.
per_million() {
    local whole frac
    [[ $2 =~ ^([0-9]{1,3})(\.([0-9]{1,4}))?$ ]] || die "pair: $1 wants a percentage with at most four decimals, not '$2'"
    whole=${BASH_REMATCH[1]}
    frac=${BASH_REMATCH[3]}0000
    PPM=$((10#$whole * 10000 + 10#${frac:0:4}))
    [ "$PPM" -le 1000000 ] || die "pair: $1 $2 is more than 100 percent"
}

whole_number() {
    [[ $2 =~ ^[0-9]{1,6}$ ]] && [ "$((10#$2))" -ge "$3" ] && [ "$((10#$2))" -le "$4" ] ||
        die "pair: $1 wants a number from $3 to $4, not '$2'"
    NUMBER=$((10#$2))
}

pair_arguments() {
    local option value
    MTU=1500 PLANES=1 TIMEOUT=300 PLAIN=0
    LOSS=0 LOSS_ALL=0 CE=0
    while [ $# -gt 0 ]; do
        option=$1
        case $option in
            --plain)
                PLAIN=1
                shift
                continue
                ;;
            -h | --help)
                pair_usage
                exit 0
                ;;
            --mtu | --planes | --loss | --loss-all | --ce | --timeout)
                [ $# -ge 2 ] || die "pair: $option needs a value"
                value=$2
                shift 2
                ;;
            --*=*)
                value=${option#*=}
                option=${option%%=*}
                shift
                ;;
            -*) die "pair: unknown option $option" ;;
            *) break ;;
        esac
        case $option in
            --mtu) whole_number "$option" "$value" 1280 65535 && MTU=$NUMBER ;;
            --planes) whole_number "$option" "$value" 1 64 && PLANES=$NUMBER ;;
            --timeout) whole_number "$option" "$value" 1 86400 && TIMEOUT=$NUMBER ;;
            --loss) per_million "$option" "$value" && LOSS=$PPM ;;
            --loss-all) per_million "$option" "$value" && LOSS_ALL=$PPM ;;
            --ce) per_million "$option" "$value" && CE=$PPM ;;
            *) die "pair: unknown option $option" ;;
        esac
    done
    if [ $# -ne 3 ] || [ "$2" != -- ]; then
        pair_usage >&2
        die "pair: give the server's command as one word, then --, then the client's as one word"
    fi
    SERVER_COMMAND=$1
    CLIENT_COMMAND=$3
}

pair_needs() {
    local tool missing=
    for tool in ip unshare nsenter mktemp mkfifo; do
        command -v "$tool" >/dev/null || missing+=" $tool"
    done
    if [ $((LOSS + LOSS_ALL + CE)) -gt 0 ] && ! command -v nft >/dev/null; then
        missing+=" nft"
    fi
    [ -z "$missing" ] || die "pair: missing:$missing; type: sudo apt-get install iproute2 util-linux coreutils nftables"
}

# Removes everything; safe at any time, also twice.
pair_cleanup() {
    local holders word
    trap '' INT TERM HUP
    if [ -n "${HOLD:-}" ]; then
        exec {HOLD}>&-
        HOLD=
        # The holders end the commands, then themselves, and say so.
        for holders in ${SERVER_HOLDER:+1} ${CLIENT_HOLDER:+2}; do
            while read -r -t "$CLEANUP_S" -u "$EVENTS" word _ && [ "$word" != gone ]; do :; done
        done
    fi
    if [ -n "${DIR:-}" ]; then
        rm -rf "$DIR"
        DIR=
    fi
}

pair_interrupted() {
    pair_cleanup
    trap - EXIT
    exit "$1"
}

# Starts a process that holds one namespace; its number is left in HOLDER.
start_holder() {
    local word
    {
        unshare -n -m -- bash "$MROCE_DIR/script/pair-holder.sh" "$DIR" || echo failed
        echo gone
    } <"$DIR/hold" >"$DIR/events" {HOLD}>&- {EVENTS}>&- &
    read -r -t 120 -u "$EVENTS" word HOLDER || word=
    [ "$word" = ready ] || die "pair: cannot make a network namespace; type: mroce doctor"
}

# Runs a command in the namespace of holder $1.
inside() {
    nsenter -t "$1" -n -- "${@:2}"
}

link_namespaces() {
    local k server client
    server='link set lo up'$'\n'
    client=$server
    for ((k = 0; k < PLANES; k++)); do
        server+="link add name veth$k mtu $MTU type veth peer name veth$k mtu $MTU netns $CLIENT_HOLDER"$'\n'
        server+="addr add 10.78.$k.1/24 dev veth$k"$'\n'"link set veth$k up"$'\n'
        client+="addr add 10.78.$k.2/24 dev veth$k"$'\n'"link set veth$k up"$'\n'
    done
    inside "$SERVER_HOLDER" ip -batch - <<<"$server" && inside "$CLIENT_HOLDER" ip -batch - <<<"$client" ||
        die "pair: cannot join the namespaces"
}

# Loss and marks happen in the ingress hook of each receiver. A socket bound to ETH_P_ALL would see frames before it.
nft_rules() {
    local k devices=
    for ((k = 0; k < PLANES; k++)); do
        devices+="${devices:+, }veth$k"
    done
    cat <<EOF
table netdev mroce {
    counter frames {}
    counter own {}
    counter dropped {}
    counter marked {}
    chain receive {
        type filter hook ingress devices = { $devices } priority 0; policy accept;
        counter name frames
        udp dport $DEVICE_PORTS counter name own
EOF
    if [ "$LOSS_ALL" -gt 0 ]; then
        echo "        numgen random mod 1000000 < $LOSS_ALL counter name dropped drop"
    fi
    if [ "$LOSS" -gt 0 ]; then
        echo "        udp dport $DEVICE_PORTS numgen random mod 1000000 < $LOSS counter name dropped drop"
    fi
    if [ "$CE" -gt 0 ]; then
        echo "        udp dport $DEVICE_PORTS ip ecn ect0 numgen random mod 1000000 < $CE ip ecn set ce counter name marked"
        echo "        udp dport $DEVICE_PORTS ip6 ecn ect0 numgen random mod 1000000 < $CE ip6 ecn set ce counter name marked"
    fi
    printf '    }\n}\n'
}

disturb() {
    local rules holder
    [ $((LOSS + LOSS_ALL + CE)) -gt 0 ] || return 0
    rules=$(nft_rules)
    for holder in "$SERVER_HOLDER" "$CLIENT_HOLDER"; do
        inside "$holder" nft -f - <<<"$rules" || die "pair: nft cannot set the loss up (mroce doctor says more)"
    done
}

# Adds up the counters of both namespaces: COUNT_frames, COUNT_own, COUNT_dropped, COUNT_marked.
read_counters() {
    local holder name line
    COUNT_frames=0 COUNT_own=0 COUNT_dropped=0 COUNT_marked=0
    for holder in "$SERVER_HOLDER" "$CLIENT_HOLDER"; do
        name=
        while IFS= read -r line; do
            if [[ $line =~ counter\ (frames|own|dropped|marked) ]]; then
                name=COUNT_${BASH_REMATCH[1]}
            elif [ -n "$name" ] && [[ $line =~ packets\ ([0-9]+) ]]; then
                printf -v "$name" '%s' $((${!name} + BASH_REMATCH[1]))
            fi
        done < <(inside "$holder" nft list counters table netdev mroce)
    done
}

# Starts a command; $1: server or client, $2: holder, $3: the command. Its end is told as "$1 STATUS" on the pipe EVENTS.
start_command() {
    (
        exec {HOLD}>&- {SAID}>&2 2>/dev/null
        trap - EXIT INT TERM HUP
        # A shell starts its background commands with ^C ignored; these are to die of it as usual.
        env --default-signal=INT,QUIT nsenter -t "$2" -n -m -- \
            bash "$MROCE_DIR/script/pair-command.sh" "$DIR" "$PWD" "$PRELOAD" "$IFACES" "$3" 2>&"$SAID" {SAID}>&- {EVENTS}>&-
        echo "$1 $?" >&"$EVENTS"
    ) <&0 &
}

# Whether somebody listens on a TCP port in the server's namespace.
server_listens() {
    local table line
    for table in tcp tcp6; do
        while read -r -a line; do
            [ "${line[3]-}" = 0A ] && return 0
        done <"/proc/$SERVER_HOLDER/net/$table"
    done 2>/dev/null
    return 1
}

now_us() {
    NOW_US=${EPOCHREALTIME/[.,]/}
}

# Takes the end of a command from the pipe, if one comes within $1 microseconds. A line may be half read when the time is over (a busy machine stops this shell between
# two bytes): that half is kept for the next call.
HALF_EVENT=
await_event() {
    local line who status limit
    [ "$1" -gt 0 ] || return 1
    printf -v limit '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000))
    if ! IFS= read -r -t "$limit" -u "$EVENTS" line; then
        HALF_EVENT+=$line
        return 1
    fi
    read -r who status <<<"$HALF_EVENT$line"
    HALF_EVENT=
    case $who in
        server) SERVER_STATUS=$status ;;
        client) CLIENT_STATUS=$status ;;
    esac
}

# Waits until the server listens, has ended, or a second has passed.
await_server() {
    local until
    now_us
    until=$((NOW_US + 1000000))
    until [ -n "$SERVER_STATUS" ] || server_listens || [ "$NOW_US" -ge "$until" ]; do
        await_event 10000
        now_us
    done
}

# Waits for both commands; leaves SERVER_STATUS and CLIENT_STATUS, and TIMED_OUT.
await_commands() {
    local grace_us=0 until_us
    while [ -z "$SERVER_STATUS" ] || [ -z "$CLIENT_STATUS" ]; do
        now_us
        until_us=$DEADLINE_US
        if [ -n "$CLIENT_STATUS" ] && [ "$CLIENT_STATUS" -ne 0 ]; then
            [ "$grace_us" -gt 0 ] || grace_us=$((NOW_US + SERVER_GRACE_S * 1000000))
            [ "$grace_us" -ge "$until_us" ] || until_us=$grace_us
        fi
        if ! await_event $((until_us - NOW_US)); then
            if [ "$until_us" -eq "$DEADLINE_US" ]; then
                TIMED_OUT=1
                return
            fi
            say "pair: the client failed; the server still ran $SERVER_GRACE_S s later and was ended"
            SERVER_STATUS=137
        fi
    done
}

# What the loss has done, on stderr. Fails if frames should have been dropped and none was: then the test proves nothing.
report_counters() {
    local base=$COUNT_own share=$LOSS
    if [ "$LOSS_ALL" -gt 0 ]; then
        base=$COUNT_frames share=$LOSS_ALL
    fi
    if [ "$CE" -gt 0 ]; then
        echo "marked $COUNT_marked" >&2
    fi
    [ "$share" -gt 0 ] || return 0
    echo "dropped $COUNT_dropped" >&2
    if [ "$COUNT_dropped" -eq 0 ] && [ "$base" -ge 1000 ] && [ $((base * share)) -ge 20000000 ]; then
        say "pair: of $base frames none was dropped: the loss was not applied"
        return 1
    fi
}

mroce_pair() {
    local k status=0
    pair_arguments "$@"
    pair_needs
    if ! may_make_namespaces && [ -z "${MROCE_USER_NAMESPACE:-}" ]; then
        unshare -Urn true 2>/dev/null || die "pair: cannot make a user namespace; type: mroce doctor"
        MROCE_USER_NAMESPACE=1 exec unshare -Ur -- bash "$MROCE_SELF" pair "$@"
    fi
    IFACES= PRELOAD=
    if [ "$PLAIN" -eq 0 ]; then
        . "$MROCE_DIR/script/build.sh"
        ensure_built
        METAROCE_JAVA_HOME=$(find_jdk) || die "no JDK $JDK_WANTED found: $JDK_ADVICE"
        export METAROCE_JAVA_HOME
        PRELOAD=$MROCE_LIB
        for ((k = 0; k < PLANES; k++)); do
            IFACES+=${IFACES:+,}veth$k
        done
    fi

    trap pair_cleanup EXIT
    trap 'pair_interrupted 130' INT
    trap 'pair_interrupted 143' TERM
    trap 'pair_interrupted 129' HUP
    DIR=$(mktemp -d "${TMPDIR:-/tmp}/mroce-pair.XXXXXX") || die "pair: cannot make a temporary folder"
    mkfifo "$DIR/hold" "$DIR/events" || die "pair: cannot make a pipe in $DIR"
    exec {HOLD}<>"$DIR/hold" {EVENTS}<>"$DIR/events"

    start_holder
    SERVER_HOLDER=$HOLDER
    start_holder
    CLIENT_HOLDER=$HOLDER
    link_namespaces
    disturb

    SERVER_STATUS= CLIENT_STATUS= TIMED_OUT=0
    now_us
    DEADLINE_US=$((NOW_US + TIMEOUT * 1000000))
    start_command server "$SERVER_HOLDER" "$SERVER_COMMAND" </dev/null >"$DIR/server" 2>&1
    await_server
    start_command client "$CLIENT_HOLDER" "$CLIENT_COMMAND"
    await_commands

    if [ $((LOSS + LOSS_ALL + CE)) -gt 0 ]; then
        read_counters
    fi
    echo "--- server ---"
    cat "$DIR/server"
    if [ "$TIMED_OUT" -eq 1 ]; then
        say "pair: not finished after $TIMEOUT s (client: ${CLIENT_STATUS:-running}, server: ${SERVER_STATUS:-running})"
        status=124
    elif [ "$CLIENT_STATUS" -ne 0 ]; then
        say "pair: the client ended with $CLIENT_STATUS, the server with $SERVER_STATUS"
        status=$CLIENT_STATUS
    elif [ "$SERVER_STATUS" -ne 0 ]; then
        say "pair: the server ended with $SERVER_STATUS"
        status=$SERVER_STATUS
    fi
    if [ $((LOSS + LOSS_ALL + CE)) -gt 0 ]; then
        report_counters || [ "$status" -ne 0 ] || status=1
    fi
    exit "$status"
}
