package io.metaroce.provider.sys;

/** Chooses the implementation by the version of the JDK; the class is reached by name because it is compiled for a newer release. */
final class Chosen {
    static final Sys SYS = choose();

    private Chosen() {}

    private static Sys choose() {
        int feature = Runtime.version().feature();
        if (feature < 22) {
            throw new IllegalStateException(
                    "This JDK (" + feature + ") has no java.lang.foreign, which the links need: use JDK 22 or newer");
        }
        try {
            return Class.forName("io.metaroce.provider.sys.FfmSys")
                    .asSubclass(Sys.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "io.metaroce.provider.sys.FfmSys cannot be loaded: it is part of the provider jar, compiled for Java 22;"
                            + " native access must be allowed (--enable-native-access=ALL-UNNAMED)",
                    e);
        }
    }
}
