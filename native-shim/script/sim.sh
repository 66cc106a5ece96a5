# mroce sim and mroce chaos: the engine in a simulated network. Needs no privilege and no network. Sourced, never run.

. "$MROCE_DIR/script/build.sh"

# Runs class $1 of conformance-tests with the other arguments.
simulate() {
    local main=$1 classes=$MROCE_ROOT/conformance-tests/target/classes jar path
    shift
    need_jdk
    if ! [ -e "$classes/io/metaroce/conformance/scenario/SimMain.class" ] || ! [ -e "$MROCE_DIR/target/mroce/lib/provider.jar" ]; then
        mroce_build
    fi
    path=$classes
    for jar in "$MROCE_DIR"/target/mroce/lib/*.jar; do
        path=$path:$jar
    done
    # Most of the memory, and most of that for what lives long: mroce sim mesh holds 12 GB.
    exec "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -XX:+UseParallelGC -XX:MaxRAMPercentage=85 -XX:NewRatio=7 -cp "$path" "$main" "$@"
}

mroce_sim() {
    simulate io.metaroce.conformance.scenario.SimMain "$@"
}

mroce_chaos() {
    simulate io.metaroce.conformance.sim.ChaosMain "$@"
}
