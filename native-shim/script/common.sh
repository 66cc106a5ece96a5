# What several verbs of mroce need. Sourced, never run.

JDK_WANTED=25
# Programs that the verbs and the tests call, and the Debian packages that bring them.
PACKAGES=(
    gcc ibverbs-utils iperf3 iproute2 libc6-dev libibverbs-dev librdmacm-dev make maven netcat-openbsd nftables
    perftest util-linux
)

# Prints a message and ends the program: status 2, a wrong call or something missing.
die() {
    printf 'mroce: %s\n' "$*" >&2
    exit 2
}

say() {
    printf 'mroce: %s\n' "$*" >&2
}

# The major version of the JDK in folder $1, 0 if there is none.
jdk_major() {
    local line major=0
    if [ -x "$1/bin/javac" ] && [ -r "$1/release" ]; then
        while IFS= read -r line; do
            case $line in
                JAVA_VERSION=*)
                    major=${line#JAVA_VERSION=}
                    major=${major//\"/}
                    major=${major%%[.+-]*}
                    ;;
            esac
        done <"$1/release"
    fi
    printf '%s' "${major:-0}"
}

# Prints the folder of a JDK that is new enough: JAVA_HOME, the java on PATH, or one under /usr/lib/jvm.
find_jdk() {
    local home java
    java=$(command -v javac 2>/dev/null) && java=$(readlink -f "$java") && java=${java%/bin/javac}
    for home in "${METAROCE_JAVA_HOME:-}" "${JAVA_HOME:-}" "$java" /usr/lib/jvm/*; do
        if [ -n "$home" ] && [ "$(jdk_major "$home")" -ge "$JDK_WANTED" ]; then
            printf '%s\n' "$home"
            return 0
        fi
    done
    return 1
}

JDK_ADVICE="install JDK $JDK_WANTED or newer (Debian: the package temurin-$JDK_WANTED-jdk, or unpack any JDK $JDK_WANTED) and
  type: export JAVA_HOME=/folder/of/the/jdk"

need_jdk() {
    JAVA_HOME=$(find_jdk) || die "no JDK $JDK_WANTED found: $JDK_ADVICE"
    export JAVA_HOME
}

# Prints the packages of PACKAGES that are not installed.
missing_packages() {
    local p
    if ! command -v dpkg-query >/dev/null; then
        return 0
    fi
    for p in "${PACKAGES[@]}"; do
        # A Maven that was not installed by dpkg does as well.
        if [ "$p" = maven ] && command -v mvn >/dev/null; then
            continue
        fi
        case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
            installed) ;;
            *) printf '%s\n' "$p" ;;
        esac
    done
}

# Installs what is missing, or says what to type.
install_packages() {
    local missing log
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        die "packages are missing; type: sudo apt-get install ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die "apt-get could not install ${missing[*]}"
    fi
    rm -f "$log"
}

# Sets the environment in which a program finds the device; $1: interfaces, or nothing.
device_environment() {
    export LD_PRELOAD="$MROCE_LIB${LD_PRELOAD:+:$LD_PRELOAD}"
    METAROCE_JAVA_HOME=$(find_jdk) || die "no JDK $JDK_WANTED found: $JDK_ADVICE"
    export METAROCE_JAVA_HOME
    if [ -n "$1" ]; then
        export METAROCE_IFACE="$1"
    fi
}

# One line each: what machine this is, for figures.
machine() {
    local model cores
    model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    cores=$(nproc)
    printf '%s, %s cores, Linux %s' "${model:-$(uname -m)}" "$cores" "$(uname -r)"
    if [ -r /etc/os-release ]; then
        printf ', %s' "$(. /etc/os-release && printf '%s' "$PRETTY_NAME")"
    fi
    printf '\n'
}

# Whether capability number $1 is in effect.
has_capability() {
    local key value
    while read -r key value; do
        if [ "$key" = CapEff: ]; then
            [ $((16#$value >> $1 & 1)) -eq 1 ]
            return
        fi
    done </proc/self/status
    return 1
}

# CAP_NET_ADMIN and CAP_SYS_ADMIN; otherwise a user namespace is needed first.
may_make_namespaces() {
    has_capability 12 && has_capability 21
}
