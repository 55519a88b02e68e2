package org.sallyport.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the tables in {@code docs/architecture.md}: the imports that each package may have, and the packages that may
 * use each technology.
 */
class PackageDependencyTest {
    private static final String BASE_PACKAGE = "org.sallyport.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sallyport");

    private static final Set<String> PURE_PACKAGES = Set.of(
            "tool",
            "execution",
            "journal",
            "policy",
            "auth",
            "approval",
            "bean",
            "demo",
            "artifact",
            "event",
            "node",
            "memory",
            "failpoint",
            "tracecontext",
            "batch",
            "capability",
            "schedule",
            "script",
            "audit",
            "backup",
            "toolgraph",
            "quota",
            "variable");

    /** Package → packages that it may import, besides its own. Mirrors the table in docs/architecture.md. */
    private static final Map<String, Set<String>> ALLOWED_IMPORTS = new TreeMap<>(Map.ofEntries(
            Map.entry("tracecontext", Set.of()),
            Map.entry("tool", Set.of("tracecontext")),
            Map.entry("execution", Set.of("tool", "tracecontext")),
            Map.entry("approval", Set.of("tool", "execution", "policy")),
            Map.entry("journal", Set.of("tool", "execution", "policy", "approval")),
            Map.entry("policy", Set.of("tool", "execution")),
            Map.entry("auth", Set.of("tracecontext", "cache")),
            Map.entry("bean", Set.of()),
            Map.entry("demo", Set.of("tool")),
            Map.entry("artifact", Set.of("execution")),
            Map.entry("event", Set.of("tool", "execution", "failpoint")),
            Map.entry("node", Set.of("execution")),
            Map.entry("memory", Set.of()),
            Map.entry("cache", Set.of()),
            Map.entry("failpoint", Set.of()),
            Map.entry("batch", Set.of("tool", "execution")),
            Map.entry("capability", Set.of("tool", "execution", "policy")),
            Map.entry("schedule", Set.of("tool", "execution", "batch")),
            Map.entry("script", Set.of("execution")),
            Map.entry("audit", Set.of("cache")),
            Map.entry("backup", Set.of()),
            Map.entry("toolgraph", Set.of("tool", "execution", "cache")),
            Map.entry("quota", Set.of("execution", "cache")),
            Map.entry("callback", Set.of("tool", "execution", "connector", "failpoint")),
            Map.entry("modules", Set.of("sandbox")),
            Map.entry("configuration", Set.of()),
            Map.entry("identity", Set.of("auth", "cache", "configuration")),
            Map.entry("policyengine", Set.of("tool", "execution", "policy", "redaction", "cache")),
            Map.entry("redaction", Set.of("tool", "policy")),
            Map.entry("variable", Set.of("tool", "execution")),
            Map.entry("webhook", Set.of()),
            Map.entry("secrets", Set.of("tool", "execution", "redaction", "variable")),
            Map.entry("messaging", PURE_PACKAGES),
            Map.entry("catalog", plus(PURE_PACKAGES, "cache", "sandbox")),
            Map.entry("bridge", plus(PURE_PACKAGES, "cache", "messaging", "catalog", "redaction")),
            Map.entry(
                    "connector",
                    Set.of(
                            "tool",
                            "tracecontext",
                            "bean",
                            "demo",
                            "cache",
                            "catalog",
                            "memory",
                            "messaging",
                            "failpoint",
                            "redaction",
                            "secrets")),
            Map.entry("telemetry", plus(PURE_PACKAGES, "redaction", "sandbox", "otlp")),
            Map.entry("store", plus(PURE_PACKAGES, "cache", "catalog", "secrets", "callback", "telemetry", "webhook")),
            Map.entry("submission", plus(PURE_PACKAGES, "cache", "messaging", "configuration", "sandbox")),
            Map.entry(
                    "runner",
                    plus(
                            PURE_PACKAGES,
                            "cache",
                            "messaging",
                            "catalog",
                            "bridge",
                            "submission",
                            "configuration",
                            "redaction",
                            "sandbox"))));

    private static Set<String> plus(Set<String> packages, String... more) {
        return Stream.concat(packages.stream(), Stream.of(more))
                .collect(java.util.stream.Collectors.toUnmodifiableSet());
    }

    static Stream<String> packages() {
        return ALLOWED_IMPORTS.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void packageImportsOnlyWhatTheTableAllows(String packageName) {
        List<String> allowed = new ArrayList<>(List.of(BASE_PACKAGE + packageName + ".."));
        ALLOWED_IMPORTS.getOrDefault(packageName, Set.of()).forEach(other -> allowed.add(BASE_PACKAGE + other + ".."));
        classes()
                .that()
                .resideInAPackage(BASE_PACKAGE + packageName + "..")
                .should()
                .onlyDependOnClassesThat(com.tngtech.archunit.base.DescribedPredicate.describe(
                        "live in " + allowed + " or outside Sallyport",
                        type -> !type.getPackageName().startsWith(BASE_PACKAGE)
                                || allowed.stream()
                                        .map(pattern -> pattern.substring(0, pattern.length() - 2))
                                        .anyMatch(name -> type.getPackageName().equals(name)
                                                || type.getPackageName().startsWith(name + "."))))
                .check(CLASSES);
    }

    @Test
    void eachPackageIsInTheTable() {
        Set<String> found = CLASSES.stream()
                .map(type -> type.getPackageName())
                .filter(name -> name.startsWith(BASE_PACKAGE))
                .map(name -> name.substring(BASE_PACKAGE.length()).split("\\.", -1)[0])
                .filter(packageName -> !Set.of("server", "sandbox", "otlp", "tls", "testsupport")
                        .contains(packageName))
                .collect(java.util.stream.Collectors.toCollection(java.util.TreeSet::new));
        org.assertj.core.api.Assertions.assertThat(found).isEqualTo(ALLOWED_IMPORTS.keySet());
    }

    @Test
    void packagesHaveNoImportCycles() {
        slices().matching("org.sallyport.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void purePackagesImportOnlyJava() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE_PACKAGES.stream()
                        .map(packageName -> BASE_PACKAGE + packageName + "..")
                        .toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("java..", "org.jspecify..", "org.sallyport..")
                .check(CLASSES);
    }

    @Test
    void onlyTheSandboxImportsGraal() {
        assertOnlyUsedBy("org.graalvm..", "sandbox");
    }

    /** Parsing a hostile script may take long or crash the process, so it is left to workers. */
    @Test
    void onlyTheSandboxImportsItsParser() {
        assertOnlyUsedBy("org.sallyport.sandbox.parser..", "sandbox");
    }

    @Test
    void onlyMessagingPackagesImportJms() {
        assertOnlyUsedBy("jakarta.jms..", "messaging", "bridge", "connector", "submission", "runner", "server");
    }

    /**
     * A queue or a consumer for each call costs a round trip to the broker, and a consumer for each call also needs a
     * queue of its own.
     */
    @Test
    void noQueueOrConsumerIsCreatedPerCall() {
        noClasses()
                .that()
                // One consumer for each backend, for the lifetime of the backend.
                .doNotHaveFullyQualifiedName("org.sallyport.connector.JmsBackendConsumers")
                .and()
                .doNotHaveFullyQualifiedName("org.sallyport.connector.ReconnectingConsumer")
                .and()
                // One consumer for a call that is no longer awaited, to take the call back from the queue of another
                // process.
                .doNotHaveFullyQualifiedName("org.sallyport.connector.external.JmsConnectorChannel")
                .should(callOneOf(
                        "createTemporaryQueue", "createTemporaryTopic", "createConsumer", "receive", "receiveNoWait"))
                .check(CLASSES);
    }

    private static ArchCondition<JavaClass> callOneOf(String... methods) {
        Set<String> names = Set.of(methods);
        return new ArchCondition<>("call one of " + names + " of JMS") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getMethodCallsFromSelf().stream()
                        .filter(call -> call.getTargetOwner().getPackageName().startsWith("jakarta.jms"))
                        .filter(call -> names.contains(call.getName()))
                        .forEach(call -> events.add(SimpleConditionEvent.satisfied(call, call.getDescription())));
            }
        };
    }

    @Test
    void onlyTheStoreImportsPersistence() {
        assertOnlyUsedBy("jakarta.persistence..", "store");
        // SQL backends do not use the service's own database.
        assertOnlyUsedBy("java.sql..", "store", "connector.sql");
        assertOnlyUsedBy("javax.sql..", "store");
    }

    @Test
    void onlyIdentityTokenImportsTheTokenLibrary() {
        assertOnlyUsedBy("com.nimbusds..", "identity.token");
    }

    /** Other packages get their caches from {@link org.sallyport.cache.BoundedCaches}, which bounds all of them. */
    @Test
    void onlyCacheImportsTheCacheLibrary() {
        assertOnlyUsedBy("com.github.benmanes..", "cache");
    }

    /** Maps that drop their eldest entry are {@link org.sallyport.cache.RecentEntries}. */
    @Test
    void noClassExtendsLinkedHashMap() {
        noClasses().should().beAssignableTo(LinkedHashMap.class).check(CLASSES);
    }

    @Test
    void noPackageImportsRest() {
        assertOnlyUsedBy("jakarta.ws.rs..");
    }

    private static void assertOnlyUsedBy(String technology, String... packages) {
        String[] allowed = Stream.of(packages)
                .map(packageName -> BASE_PACKAGE + packageName + "..")
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("org.sallyport..")
                .and()
                .resideOutsideOfPackages(allowed)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(technology)
                .allowEmptyShould(true)
                .check(CLASSES);
    }
}
