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
    printf '%s\n' "$stamp" >"$MROCE_DIR/target/mroce.stamp"
}

# For the verbs that need the library: builds when it is not there.
ensure_built() {
    if [ ! -e "$MROCE_LIB" ]; then
        mroce_build
    fi
}
