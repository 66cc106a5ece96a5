# mroce test. Sourced, never run.

mroce_test() {
    [ $# -eq 0 ] || die "test takes no argument (for one test: mvn verify -pl MODULE -am -Dtest=NAME)"
    need_jdk
    install_packages
    say "testing with $JAVA_HOME"
    cd "$MROCE_ROOT" && exec mvn verify
}
