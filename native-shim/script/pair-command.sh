# Runs one command of "mroce pair", inside its namespace; started by pair.sh.
# $1: the folder; $2: the library to preload, or nothing; $3: the interfaces; $4: the command.
cd "$1" || exit 126
# A new link counts as down for up to a second; asking for its carrier makes the kernel look at once.
for link in /sys/class/net/veth*/carrier; do
    read -r _ <"$link"
done 2>/dev/null
if [ -n "$2" ]; then
    export LD_PRELOAD="$2${LD_PRELOAD:+:$LD_PRELOAD}" METAROCE_IFACE="$3"
fi
exec bash -c "$4"
