# Runs one command of "mroce pair", inside its namespace; started by pair.sh.
# $1: the temporary folder, which is there as long as the holder has not begun to end what is in the namespace; $2: the folder
# to run in; $3: the library to preload, or nothing; $4: the interfaces; $5: the command.
[ -d "$1" ] || exit 126
cd "$2" || exit 126
# A new link counts as down for up to a second; asking for its carrier makes the kernel look at once.
for link in /sys/class/net/veth*/carrier; do
    read -r _ <"$link"
done 2>/dev/null
if [ -n "$3" ]; then
    export LD_PRELOAD="$3${LD_PRELOAD:+:$LD_PRELOAD}" METAROCE_IFACE="$4"
fi
exec bash -c "$5"
