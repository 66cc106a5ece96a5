# mroce demo. Sourced, never run.

DEMO_FAILED=0

# Shows a command and runs it in a pair of namespaces; $1: server's command, $2: client's.
demo_pair() {
    printf "\n\$ mroce pair '%s' -- '%s'\n" "$1" "$2"
    "$MROCE_SELF" pair --timeout 120 "$1" -- "$2" || DEMO_FAILED=1
}

mroce_demo() {
    local device='-d mroce0'
    [ $# -eq 0 ] || die "demo takes no argument"
    need_jdk
    install_packages
    . "$MROCE_DIR/script/build.sh"
    mroce_build
    printf '%s' "Two network namespaces, joined by one veth pair: the server is 10.78.0.1, the client 10.78.0.2. "
    printf '%s\n' "The programs are Debian's, unmodified."
    demo_pair "ibv_rc_pingpong $device -g 0 -c" "ibv_rc_pingpong $device -g 0 -c 10.78.0.1"
    demo_pair "ib_send_lat $device -x 0 -F -n 20000" "ib_send_lat $device -x 0 -F -n 20000 10.78.0.1"
    demo_pair "ib_write_bw $device -x 0 -F" "ib_write_bw $device -x 0 -F 10.78.0.1"
    echo
    [ "$DEMO_FAILED" -eq 0 ] || { say "demo: a program failed"; exit 1; }
    echo "All three programs ended with 0; the namespaces are gone."
}
