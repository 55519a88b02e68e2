package org.sallyport.capability;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class CapabilityTest {
    /** Ordered versions: the examples of the specification and edge cases. */
    private static final List<String> IN_ORDER = List.of(
            "0.0.1",
            "0.9.0",
            "1.0.0-0",
            "1.0.0-9",
            "1.0.0-10",
            "1.0.0-99999999999999999999",
            "1.0.0--",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.1.0",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2.0.0",
            "10.0.0",
            "999999999999999.0.0");

    @Test
    void versionsAreOrderedByPrecedence() {
        List<String> shuffled = new ArrayList<>(IN_ORDER);
        Collections.shuffle(shuffled, new Random(7));
        assertThat(shuffled.stream()
                        .map(text -> SemanticVersion.parse(text).orElseThrow())
                        .sorted()
                        .map(SemanticVersion::toString)
                        .toList())
                .isEqualTo(IN_ORDER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1.0",
                "1.0.0.0",
                "v1.0.0",
                "01.0.0",
                "1.00.0",
                "1.0.0-",
                "1.0.0-01",
                "1.0.0-a..b",
                "1.0.0-a.",
                "1.0.0+build",
                "1.0.0-rc+build",
                "1.0.0 ",
                "\u0661.0.0",
                "1.0.0-\u00e9",
                "1.0.-1",
                "latest",
                "99999999999999999999.0.0"
            })
    void invalidVersionIsNotParsed(String text) {
        assertThat(SemanticVersion.parse(text)).isEmpty();
        assertThat(SemanticVersion.parse("1.0.0-" + "a".repeat(200))).isEmpty();
    }

    @Test
    void anyDifferenceChangesTheHash() {
        SemanticVersion one = SemanticVersion.parse("1.0.0").orElseThrow();
        SemanticVersion two = SemanticVersion.parse("2.0.0").orElseThrow();
        Optional<Json> schema = Optional.of(new Json("{}"));
        List<CapabilityDefinition> contents = List.of(
                content("ab", Optional.empty(), "c", Optional.empty(), Optional.empty(), List.of(), List.of()),
                content("a", Optional.empty(), "bc", Optional.empty(), Optional.empty(), List.of(), List.of()),
                content("ab", Optional.of(""), "c", Optional.empty(), Optional.empty(), List.of(), List.of()),
                content("ab", Optional.empty(), "c", schema, Optional.empty(), List.of(), List.of()),
                content("ab", Optional.empty(), "c", Optional.empty(), schema, List.of(), List.of()),
                content("ab", Optional.empty(), "c", Optional.empty(), Optional.empty(), List.of("x"), List.of()),
                content("ab", Optional.empty(), "c", Optional.empty(), Optional.empty(), List.of(), List.of("x")),
                content("\uD800", Optional.empty(), "c", Optional.empty(), Optional.empty(), List.of(), List.of()),
                content("?", Optional.empty(), "c", Optional.empty(), Optional.empty(), List.of(), List.of()));
        assertThat(contents.stream().map(each -> each.hash("n", one))).doesNotHaveDuplicates();
        assertThat(Stream.concat(Stream.of(contents.get(0)), inSandboxes()).map(each -> each.hash("n", one)))
                .doesNotHaveDuplicates();
        assertThat(contents.get(0).hash("n", two)).isNotEqualTo(contents.get(0).hash("n", one));
        assertThat(contents.get(0).hash("m", one))
                .isNotEqualTo(contents.get(0).hash("n", one))
                .matches("sha256-[0-9a-f]{64}");
    }

    private static Stream<CapabilityDefinition> inSandboxes() {
        return Stream.of(CapabilitySandbox.values())
                .map(sandbox -> new CapabilityDefinition(
                        ScriptLanguage.JAVASCRIPT,
                        "ab",
                        Optional.empty(),
                        "c",
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        Optional.of(sandbox)));
    }

    private static CapabilityDefinition content(
            String code,
            Optional<String> tests,
            String description,
            Optional<Json> input,
            Optional<Json> output,
            List<String> tools,
            List<String> env) {
        return new CapabilityDefinition(ScriptLanguage.JAVASCRIPT, code, tests, description, input, output, tools, env);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "demo.add          | *                | demo.add",
                "demo.*            | *                | demo.*",
                "*                 | demo.*           | demo.*",
                "demo.*            | demo.add,mail.*  | demo.add",
                "demo.add,mail.*   | demo.*,mail.send | demo.add,mail.send",
                "demo.add          | mail.*           | ''",
                "demo.add          | ''               | ''",
                "demo.a*           | demo.*d          | demo.a*d",
                "demo.*            | demo.*           | demo.*",
            })
    void intersectionGrantsOnlyNeededAndGrantedTools(String needed, String granted, String both) {
        assertThat(CapabilityGrants.intersect(list(needed), list(granted))).isEqualTo(list(both));
    }

    private static List<String> list(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    @Test
    void capabilityReferenceRoundTrips() {
        CapabilityRef ref = new CapabilityRef("a.b", "1.0.0-rc.1");
        assertThat(CapabilityRef.parse(ref.toString())).contains(ref);
        assertThat(CapabilityRef.parse("a.b")).isEmpty();
        assertThat(CapabilityRef.parse("@1.0.0")).isEmpty();
        assertThat(CapabilityRef.parse("a@")).isEmpty();
    }
}
