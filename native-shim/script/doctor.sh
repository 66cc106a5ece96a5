# mroce doctor: what is missing here, and what to type. Sourced, never run.

DOCTOR_MISSING=0

fine() {
    printf 'ok       %s\n' "$1"
}

# $1: what is missing; the rest: what to do about it, a line each.
missing() {
    DOCTOR_MISSING=1
    printf 'MISSING  %s\n' "$1"
    printf '           %s\n' "${@:2}"
}

doctor_jdk() {
    local home
    if home=$(find_jdk); then
        fine "JDK $(jdk_major "$home") in $home"
    else
        missing "a JDK of version $JDK_WANTED or newer (the device itself is Java)" "$JDK_ADVICE"
    fi
}

# $1: program, $2: what for, $3: package.
doctor_tool() {
    local path
    if path=$(command -v "$1"); then
        fine "$1 in $path"
    else
        missing "$1: $2" "type: sudo apt-get install $3"
    fi
}

# $1: header, $2: package.
doctor_header() {
    if printf '#include <%s>\n' "$1" | gcc -E -x c - >/dev/null 2>&1; then
        fine "header $1"
    else
        missing "header $1 (to build)" "type: sudo apt-get install $2"
    fi
}

doctor_raw_sockets() {
    if ! [ -e /proc/net/packet ]; then
        missing "packet sockets in this kernel (CONFIG_PACKET)" "type: sudo modprobe af_packet"
    elif has_capability 13; then
        fine "raw sockets: CAP_NET_RAW is in effect"
    else
        missing "raw sockets: CAP_NET_RAW is not in effect for this user" \
            "type: sudo $MROCE_SELF run COMMAND" \
            "or, staying who you are: sudo setpriv --reuid $(id -un) --regid $(id -gn) --init-groups --inh-caps +net_raw \\" \
            "    --ambient-caps +net_raw $MROCE_SELF run COMMAND" \
            "(setcap on the program does not help: the loader then ignores LD_PRELOAD)"
    fi
}

doctor_user_namespace_advice() {
    local f advice=()
    f=/proc/sys/user/max_user_namespaces
    [ -r $f ] && [ "$(<$f)" -eq 0 ] && advice+=("type: sudo sysctl user.max_user_namespaces=15000")
    f=/proc/sys/kernel/unprivileged_userns_clone
    [ -r $f ] && [ "$(<$f)" -eq 0 ] && advice+=("type: sudo sysctl kernel.unprivileged_userns_clone=1")
    f=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
    [ -r $f ] && [ "$(<$f)" -ne 0 ] && advice+=("type: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0")
    [ ${#advice[@]} -gt 0 ] || advice=("run mroce pair as root (in a container: one with CAP_NET_ADMIN and CAP_SYS_ADMIN)")
    missing "namespaces: this user may make no user namespace" "${advice[@]}"
}

doctor_namespaces() {
    local enter=(unshare -n -m --)
    if may_make_namespaces; then
        fine "namespaces: this user may make network namespaces"
    else
        enter=(unshare -Urn -m --)
        if unshare -Urn -m -- true 2>/dev/null; then
            fine "namespaces: this user may make user namespaces"
        else
            doctor_user_namespace_advice
            return
        fi
    fi
    if ! "${enter[@]}" true 2>/dev/null; then
        missing "network namespaces: they cannot be made here" \
            "run on a kernel with CONFIG_NET_NS, or in a container with CAP_NET_ADMIN and CAP_SYS_ADMIN"
        return
    fi
    command -v ip >/dev/null || return
    if "${enter[@]}" ip link add veth0 type veth peer name veth1 2>/dev/null; then
        fine "veth pairs"
    else
        missing "veth pairs cannot be made" "type: sudo modprobe veth"
        return
    fi
    command -v nft >/dev/null || return
    if "${enter[@]}" sh -c 'ip link add veth0 type veth peer name veth1 && echo "table netdev t { chain c {
            type filter hook ingress devices = { veth0 } priority 0; udp dport 1 numgen random mod 10 < 1 drop; }; }" |
            nft -f -' 2>/dev/null; then
        fine "nft's ingress hook (for --loss and --ce)"
    else
        missing "nft's netdev ingress hook (for --loss and --ce)" \
            "type: sudo modprobe -a nf_tables nft_numgen" "(the kernel needs CONFIG_NF_TABLES_NETDEV)"
    fi
}

doctor_library() {
    if [ -e "$MROCE_LIB" ]; then
        fine "the library $MROCE_LIB"
    else
        missing "the library $MROCE_LIB" "type: $MROCE_SELF build"
    fi
}

mroce_doctor() {
    local packages
    [ $# -eq 0 ] || die "doctor takes no argument"
    doctor_jdk
    doctor_tool mvn "to build" maven
    doctor_tool gcc "to build" gcc
    doctor_tool make "to build" make
    doctor_header stdlib.h libc6-dev
    doctor_header infiniband/verbs.h libibverbs-dev
    doctor_header rdma/rdma_cma.h librdmacm-dev
    doctor_tool unshare "for mroce pair" util-linux
    doctor_tool ip "for mroce pair" iproute2
    doctor_tool nft "for the losses of mroce pair" nftables
    doctor_tool ibv_rc_pingpong "for mroce demo" ibverbs-utils
    doctor_tool ib_write_bw "for mroce demo" perftest
    doctor_tool iperf3 "for mroce bench" iperf3
    doctor_raw_sockets
    doctor_namespaces
    doctor_library
    mapfile -t packages < <(missing_packages)
    if [ ${#packages[@]} -gt 0 ]; then
        printf '\nAll missing packages at once: sudo apt-get install %s\n' "${packages[*]}"
    fi
    [ "$DOCTOR_MISSING" -eq 0 ] || exit 1
    echo "Nothing is missing."
}
