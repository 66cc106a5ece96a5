# mroce build. Sourced, never run.

# A digest of every source and of the JDK: what decides whether there is something to build.
source_stamp() {
    (
        cd "$MROCE_ROOT" || exit 1
        printf '%s\n' "$JAVA_HOME"
        find pom.xml .mvn verbs-api wire provider native-shim benchmarks conformance-tests \
            -name target -prune -o -type f ! -name '*.md' -print0 | sort -z | xargs -0 sha256sum
    ) | sha256sum
}

built() {
    [ -e "$MROCE_LIB" ] && [ -r "$MROCE_DIR/target/mroce.stamp" ] &&
        [ "$(cat "$MROCE_DIR/target/mroce.stamp")" = "$1" ]
}

# The VM starts faster from a cache of loaded classes, which a run of the real thing writes. Without one all works as well.
train_cache() {
    local cache=${MROCE_LIB%/*}/lib/mroce.aot log server='ibv_rc_pingpong -d mroce0 -g 0'
    rm -f "$cache" "$cache.key"
    if ! command -v ibv_rc_pingpong >/dev/null; then
        say "no class cache was made, programs start some 30 ms later: ibv_rc_pingpong is missing (mroce doctor says more)"
        return
    fi
    log=$(mktemp)
    if ! "$MROCE_SELF" pair --timeout 60 "$server" -- "METAROCE_AOT_TRAIN='$cache.new' exec $server 10.78.0.1" >"$log" 2>&1 ||
        ! [ -s "$cache.new" ]; then
        tail -n 20 "$log" >&2
        say "no class cache was made, programs start some 30 ms later"
        rm -f "$cache.new" "$cache.new.key"
    else
        mv "$cache.new.key" "$cache.key"
        mv "$cache.new" "$cache"
    fi
    rm -f "$log"
}

mroce_build() {
    local stamp
    [ $# -eq 0 ] || die "build takes no argument"
    need_jdk
    stamp=$(source_stamp)
    if built "$stamp"; then
        say "nothing has changed since the last build"
        return 0
    fi
    command -v mvn >/dev/null || die "Maven is missing; type: sudo apt-get install maven"
    say "building with $JAVA_HOME"
    rm -f "$MROCE_DIR/target/mroce.stamp"
    (cd "$MROCE_ROOT" && mvn -q package -DskipTests) >&2 || die "the build failed"
    [ -e "$MROCE_LIB" ] || die "the build made no $MROCE_LIB"
    train_cache
    printf '%s\n' "$stamp" >"$MROCE_DIR/target/mroce.stamp"
}

# For the verbs that need the library: builds when it is not there.
ensure_built() {
    if [ ! -e "$MROCE_LIB" ]; then
        mroce_build
    fi
}
