# Holds one network namespace of "mroce pair"; started inside it by pair.sh. $1: the temporary folder.
# Ends when stdin does, which is when pair.sh has ended in whatever way; then it ends every process of the namespace.
set -u
trap '' INT TERM HUP QUIT

# The programs are to see the interfaces of their own namespace.
mount -t sysfs sysfs /sys 2>/dev/null
# Addresses are to work at once, without duplicate address detection.
for f in /proc/sys/net/ipv6/conf/{all,default}/accept_dad; do
    { echo 0 >"$f"; } 2>/dev/null
done

echo "ready $$"
read -r _

# A command that enters this namespace from here on finds the folder gone and ends by itself.
rm -rf "$1"
found=1
while [ "$found" -eq 1 ]; do
    found=0
    for process in /proc/[0-9]*; do
        pid=${process#/proc/}
        if [ "$pid" -ne $$ ] && [ "$process/ns/net" -ef /proc/self/ns/net ] && kill -9 "$pid" 2>/dev/null; then
            found=1
        fi
    done
done
