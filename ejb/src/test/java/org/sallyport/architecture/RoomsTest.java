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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the table of rooms in {@code docs/architecture.md}: who may import whom, and who may see which technology. */
class RoomsTest {
    private static final String HOUSE = "org.sallyport.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sallyport");

    private static final Set<String> PURE = Set.of(
            "tool",
            "execution",
            "journal",
            "policy",
            "access",
            "approval",
            "bean",
            "demo",
            "artifact",
            "event",
            "node",
            "failpoint",
            "tracecontext",
            "batch",
            "capability",
            "schedule",
            "script",
            "audit",
            "toolgraph",
            "quota");

    /** Room → rooms it may import, besides those of its own. Mirrors the table in docs/architecture.md. */
    private static final Map<String, Set<String>> MAY_IMPORT = new TreeMap<>(Map.ofEntries(
            Map.entry("tracecontext", Set.of()),
            Map.entry("tool", Set.of("tracecontext")),
            Map.entry("execution", Set.of("tool", "tracecontext")),
            Map.entry("approval", Set.of("tool", "execution", "policy")),
            Map.entry("journal", Set.of("tool", "execution", "policy", "approval")),
            Map.entry("policy", Set.of("tool", "execution")),
            Map.entry("access", Set.of("tracecontext")),
            Map.entry("bean", Set.of("tool")),
            Map.entry("demo", Set.of("tool")),
            Map.entry("artifact", Set.of("execution")),
            Map.entry("event", Set.of("tool", "execution", "failpoint")),
            Map.entry("node", Set.of("execution")),
            Map.entry("failpoint", Set.of()),
            Map.entry("batch", Set.of("tool", "execution")),
            Map.entry("capability", Set.of("tool", "execution", "policy")),
            Map.entry("schedule", Set.of("tool", "execution")),
            Map.entry("script", Set.of("execution")),
            Map.entry("audit", Set.of()),
            Map.entry("toolgraph", Set.of("tool", "execution")),
            Map.entry("quota", Set.of("execution")),
            Map.entry("callback", Set.of("tool", "execution", "connector", "failpoint")),
            Map.entry("library", Set.of("sandbox")),
            Map.entry("configuration", Set.of()),
            Map.entry("token", Set.of("access", "configuration")),
            Map.entry("certificate", Set.of("access", "configuration")),
            Map.entry("rules", Set.of("tool", "execution", "policy", "secret")),
            Map.entry("secret", Set.of("tool", "policy")),
            Map.entry("messaging", PURE),
            Map.entry("catalog", PURE),
            Map.entry("bridge", with(PURE, "messaging", "catalog", "secret")),
            Map.entry(
                    "connector",
                    Set.of("tool", "tracecontext", "bean", "demo", "catalog", "messaging", "failpoint", "secret")),
            Map.entry("telemetry", with(PURE, "secret", "sandbox", "otlp")),
            Map.entry("store", with(PURE, "catalog", "secret", "callback", "telemetry")),
            Map.entry("submission", with(PURE, "messaging", "configuration", "sandbox")),
            Map.entry(
                    "runner",
                    with(PURE, "messaging", "catalog", "bridge", "submission", "configuration", "secret", "sandbox"))));

    private static Set<String> with(Set<String> rooms, String... more) {
        return Stream.concat(rooms.stream(), Stream.of(more)).collect(java.util.stream.Collectors.toUnmodifiableSet());
    }

    static Stream<String> rooms() {
        return MAY_IMPORT.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("rooms")
    void aRoomImportsOnlyWhatTheTableAllows(String room) {
        List<String> allowed = new ArrayList<>(List.of(HOUSE + room + ".."));
        MAY_IMPORT.getOrDefault(room, Set.of()).forEach(other -> allowed.add(HOUSE + other + ".."));
        classes()
                .that()
                .resideInAPackage(HOUSE + room + "..")
                .should()
                .onlyDependOnClassesThat(com.tngtech.archunit.base.DescribedPredicate.describe(
                        "live in " + allowed + " or outside the house",
                        type -> !type.getPackageName().startsWith(HOUSE)
                                || allowed.stream()
                                        .map(pattern -> pattern.substring(0, pattern.length() - 2))
                                        .anyMatch(name -> type.getPackageName().equals(name)
                                                || type.getPackageName().startsWith(name + "."))))
                .check(CLASSES);
    }

    @Test
    void everyRoomIsInTheTable() {
        Set<String> found = CLASSES.stream()
                .map(type -> type.getPackageName())
                .filter(name -> name.startsWith(HOUSE))
                .map(name -> name.substring(HOUSE.length()).split("\\.", -1)[0])
                .filter(room -> !Set.of("wiring", "sandbox", "otlp", "tls", "testsupport")
                        .contains(room))
                .collect(java.util.stream.Collectors.toCollection(java.util.TreeSet::new));
        org.assertj.core.api.Assertions.assertThat(found).isEqualTo(MAY_IMPORT.keySet());
    }

    @Test
    void noTwoPackagesImportEachOther() {
        slices().matching("org.sallyport.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void pureRoomsSeeOnlyJava() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        PURE.stream().map(room -> HOUSE + room + "..").toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("java..", "org.jspecify..", "org.sallyport..")
                .check(CLASSES);
    }

    @Test
    void graalIsSeenOnlyByTheSandbox() {
        only("org.graalvm..", "sandbox");
    }

    @Test
    void jmsIsSeenOnlyByTheRoomsOfMessages() {
        only("jakarta.jms..", "messaging", "bridge", "connector", "submission", "runner", "wiring");
    }

    /** Each costs a round trip to the broker, and a consumer of one's own for each call would cost a queue too. */
    @Test
    void noQueueAndNoConsumerIsMadeForACall() {
        noClasses()
                .that()
                // One consumer for each backend, for as long as the backend is there.
                .doNotHaveFullyQualifiedName("org.sallyport.connector.JmsBackendQueues")
                .and()
                .doNotHaveFullyQualifiedName("org.sallyport.connector.JmsReader")
                .and()
                // And one for a call that nobody waits for any more, to take it back from another process' queue.
                .doNotHaveFullyQualifiedName("org.sallyport.connector.external.JmsExternalWire")
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
    void persistenceIsSeenOnlyByTheStore() {
        only("jakarta.persistence..", "store");
        // Backends that are databases have nothing to do with the service's own.
        only("java.sql..", "store", "connector.sql");
        only("javax.sql..", "store");
    }

    @Test
    void theLibraryOfTokensIsSeenByTheirRoomAlone() {
        only("com.nimbusds..", "token");
    }

    @Test
    void restIsSeenByNoRoom() {
        only("jakarta.ws.rs..");
    }

    private static void only(String technology, String... rooms) {
        String[] allowed = Stream.of(rooms).map(room -> HOUSE + room + "..").toArray(String[]::new);
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
