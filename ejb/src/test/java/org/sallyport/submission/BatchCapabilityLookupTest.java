package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class BatchCapabilityLookupTest {
    private static final Submission OPTIONS = new Submission(
            "",
            ScriptLanguage.JAVASCRIPT,
            Json.EMPTY_OBJECT,
            Json.EMPTY_OBJECT,
            RequestedLimits.NONE,
            Optional.empty(),
            Map.of(),
            4,
            DebugMode.NONE,
            Durability.JOURNAL,
            Optional.empty(),
            Optional.empty());

    private final List<String> looks = new ArrayList<>();
    private String stable = "1.0.0";
    private final BatchCapabilityLookup capabilities = new BatchCapabilityLookup(this::published);

    private Optional<Capability> published(String name, String version) {
        looks.add(name + "@" + version);
        return name.equals("none")
                ? Optional.empty()
                : SemanticVersion.parse(version.equals("stable") ? stable : version)
                        .map(exact -> new Capability(
                                name,
                                exact,
                                new CapabilityDefinition(
                                        ScriptLanguage.JAVASCRIPT,
                                        "return 1",
                                        Optional.empty(),
                                        "",
                                        Optional.empty(),
                                        Optional.empty(),
                                        List.of(),
                                        List.of()),
                                "",
                                Map.of(),
                                "",
                                Optional.empty(),
                                Instant.EPOCH,
                                Optional.empty()));
    }

    private Optional<String> version(String name, Optional<String> wanted) {
        return capabilities
                .find(new RunCapabilityRequest(name, wanted, Optional.empty(), OPTIONS))
                .map(found -> found.ref().toString());
    }

    @Test
    void aliasResolvesToOneVersionWithinABatch() {
        assertThat(version("fees", Optional.empty())).contains("fees@1.0.0");
        stable = "2.0.0";
        assertThat(version("fees", Optional.of("stable"))).contains("fees@1.0.0");
        for (int other = 0; other < 100; other++) {
            version("other" + other, Optional.of("1.0.0"));
        }

        assertThat(version("fees", Optional.empty())).contains("fees@1.0.0");
        assertThat(version("fees", Optional.of("2.0.0"))).contains("fees@2.0.0");
        assertThat(looks).containsOnlyOnce("fees@stable");
    }

    @Test
    void missingCapabilityIsLookedUpOnce() {
        assertThat(version("none", Optional.empty())).isEmpty();
        assertThat(version("none", Optional.of("stable"))).isEmpty();

        assertThat(looks).containsExactly("none@stable");
    }
}
