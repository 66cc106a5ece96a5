# mroce test. Sourced, never run.

mroce_test() {
    [ $# -eq 0 ] || die "test takes no argument (for one test: mvn verify -pl MODULE -am -Dtest=NAME)"
    need_jdk
    install_packages
    . "$MROCE_DIR/script/build.sh"
    mroce_build
    say "testing with $JAVA_HOME"
    cd "$MROCE_ROOT" && exec mvn verify
}
