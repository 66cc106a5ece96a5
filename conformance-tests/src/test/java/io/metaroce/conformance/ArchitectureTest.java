package io.metaroce.conformance;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may import whom: one rule a field. */
@AnalyzeClasses(packages = "io.metaroce", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    private static final String VERBS = "io.metaroce.verbs..";
    private static final String WIRE = "io.metaroce.wire..";
    private static final String PROVIDER = "io.metaroce.provider..";
    private static final String ENGINE = "io.metaroce.provider.engine..";
    private static final String PORT = "io.metaroce.provider.port..";
    private static final String SLOTS = "io.metaroce.provider.slots..";
    private static final String DEVICE = "io.metaroce.provider.device..";
    private static final String LINK = "io.metaroce.provider.link..";
    private static final String SYS = "io.metaroce.provider.sys..";
    private static final String RUN = "io.metaroce.provider.run..";
    private static final String SHIM = "io.metaroce.shim..";
    private static final String BENCH = "io.metaroce.bench..";
    private static final String CONFORMANCE = "io.metaroce.conformance..";
    private static final String[] BASE = {"java.lang..", "java.util..", "java.io..", "java.nio..", "java.math.."};

    private static final DescribedPredicate<JavaClass> JDK = resideInAnyPackage(BASE);

    private static final DescribedPredicate<JavaClass> ANNOTATIONS = resideInAPackage("org.jspecify.annotations");

    private static final DescribedPredicate<JavaClass> ARRAYS_AND_PRIMITIVES =
            describe("primitives and arrays", c -> c.isPrimitive() || c.isArray());

    /** What the sans-IO engine must never see: sockets, clocks, threads, random sources. */
    private static final DescribedPredicate<JavaClass> IO_CLOCK_THREAD_RANDOM = resideInAnyPackage(
                    "java.net..", "java.nio.channels..", "java.util.concurrent..", "java.time..", "java.security..")
            .or(named("java.util.Random", "java.util.Timer", "java.util.TimerTask", "java.lang.Thread"));

    private static final DescribedPredicate<JavaClass> AGRONA_MAPS_AND_WHEEL =
            resideInAPackage("org.agrona.collections").or(named("org.agrona.DeadlineTimerWheel"));

    private static final DescribedPredicate<JavaClass> NATIVE_ACCESS =
            resideInAnyPackage("java.lang.foreign..", "jnr..", "com.kenai.jffi..", "sun.misc..");

    /** {@code sys}, the memory classes of wire, and the classes of the shim through which C calls Java. */
    private static final DescribedPredicate<JavaClass> MAY_GO_NATIVE = resideInAPackage(SYS)
            .or(resideInAPackage(WIRE)
                    .and(describe("Mem", c -> outermost(c).getSimpleName().endsWith("Mem"))))
            .or(resideInAPackage(SHIM)
                    .and(describe("Ffm*", c -> outermost(c).getSimpleName().startsWith("Ffm"))));

    @ArchTest
    static final ArchRule verbs_api_needs_java_base_only = classes()
            .that()
            .resideInAPackage(VERBS)
            .should()
            .onlyDependOnClassesThat(JDK.or(ARRAYS_AND_PRIMITIVES)
                    .or(ANNOTATIONS)
                    .or(resideInAnyPackage("java.net..", "java.time..", VERBS)))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule wire_needs_java_base_only = classes()
            .that()
            .resideInAPackage(WIRE)
            .should()
            .onlyDependOnClassesThat(JDK.or(ARRAYS_AND_PRIMITIVES)
                    .or(ANNOTATIONS)
                    .or(NATIVE_ACCESS)
                    .or(resideInAPackage(WIRE)))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule provider_knows_no_shim_and_no_test =
            noClasses().that().resideInAPackage(PROVIDER).should().dependOnClassesThat(resideInAPackage(SHIM));

    @ArchTest
    static final ArchRule nothing_imports_benchmarks = noClasses()
            .that(not(resideInAnyPackage(BENCH, CONFORMANCE)))
            .should()
            .dependOnClassesThat(resideInAnyPackage(BENCH, CONFORMANCE));

    @ArchTest
    static final ArchRule engine_imports_wire_port_slots_and_maps_only = classes()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .onlyDependOnClassesThat(JDK.or(ARRAYS_AND_PRIMITIVES)
                    .or(ANNOTATIONS)
                    .or(AGRONA_MAPS_AND_WHEEL)
                    .or(resideInAnyPackage(WIRE, PORT, SLOTS, ENGINE)))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule engine_has_no_io_clock_thread_or_random_source = noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .dependOnClassesThat(IO_CLOCK_THREAD_RANDOM)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule engine_reads_no_nano_time = noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .callMethod(System.class, "nanoTime")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule engine_reads_no_wall_clock = noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule port_knows_no_engine_link_device_or_run = noClasses()
            .that()
            .resideInAPackage(PORT)
            .should()
            .dependOnClassesThat(resideInAnyPackage(ENGINE, LINK, DEVICE, RUN))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule link_never_imports_device_or_engine = noClasses()
            .that()
            .resideInAPackage(LINK)
            .should()
            .dependOnClassesThat(resideInAnyPackage(DEVICE, ENGINE, RUN))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule device_never_imports_link = noClasses()
            .that()
            .resideInAPackage(DEVICE)
            .should()
            .dependOnClassesThat(resideInAPackage(LINK))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule only_sys_and_mem_touch_native_memory =
            noClasses().that(not(MAY_GO_NATIVE)).should().dependOnClassesThat(NATIVE_ACCESS);

    private static DescribedPredicate<JavaClass> named(String... names) {
        return describe(String.join(", ", names), c -> java.util.List.of(names).contains(c.getName()));
    }

    private static JavaClass outermost(JavaClass c) {
        JavaClass outer = c;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer;
    }
}
