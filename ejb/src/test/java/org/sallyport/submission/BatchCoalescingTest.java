package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class BatchCoalescingTest {
    private static final List<String> READ = List.of("demo.clock", "demo.echo");
    private static final EffectMode DRY = new EffectMode.DryRun(Json.EMPTY_OBJECT);

    private final List<List<String>> checkedGrants = new ArrayList<>();
    private final BatchCoalescing coalescing = new BatchCoalescing(
            grants -> {
                checkedGrants.add(grants);
                return grants.equals(READ);
            },
            new Caller("key-1", "acme", Set.of()));

    private static Submission script(String args) {
        return new Submission(
                "return 1",
                ScriptLanguage.JAVASCRIPT,
                new Json(args),
                Json.EMPTY_OBJECT,
                RequestedLimits.NONE,
                Optional.empty(),
                Map.of("a", "b"),
                4,
                DebugMode.NONE,
                Durability.JOURNAL,
                Optional.empty(),
                Optional.empty());
    }

    private static Submission capability(String version, List<String> tools, Submission options) {
        return options.forCapability(
                "return 1",
                ScriptLanguage.JAVASCRIPT,
                tools,
                new CapabilityBinding(new CapabilityRef("shop.fee", version), Optional.empty()));
    }

    private static Submission capability(String args) {
        return capability("1.0.0", READ, script(args));
    }

    private void add(int index, Submission submission) {
        coalescing.key(submission).ifPresent(key -> coalescing.add(index, key));
    }

    @Test
    void theFirstItemAnswersEqualItems() {
        add(0, capability("[1]"));
        add(1, capability("[2]"));
        add(2, capability("[1]"));
        add(5, capability("[1]"));

        assertThat(coalescing.answeredBy(0)).isEmpty();
        assertThat(coalescing.answeredBy(1)).isEmpty();
        assertThat(coalescing.answeredBy(2)).contains(0);
        assertThat(coalescing.answeredBy(5)).contains(0);
        assertThat(coalescing.answersOthers(0)).isTrue();
        assertThat(coalescing.answersOthers(1)).isFalse();
        assertThat(checkedGrants).as("each list of grants is checked once").containsExactly(READ);
    }

    @Test
    void sharedExecutionMayOnlyRead() {
        add(0, capability("[1]"));
        add(1, capability("[2]"));
        add(2, capability("[1]"));

        assertThat(coalescing.restrictEffects(0, capability("[1]")).effects()).isEqualTo(EffectMode.READ_ONLY);
        assertThat(coalescing.restrictEffects(1, capability("[2]")).effects()).isEqualTo(EffectMode.REAL);
    }

    @Test
    void scriptsDryRunsAndCapabilitiesThatMayWriteAreNotCoalesced() {
        assertThat(coalescing.key(capability("[1]").withEffects(DRY))).isEmpty();
        assertThat(coalescing.key(script("[1]"))).isEmpty();
        assertThat(coalescing.key(capability("1.0.0", List.of("demo.*"), script("[1]"))))
                .isEmpty();
    }

    @Test
    void checksOfGrantsAreBounded() {
        for (int i = 0; i < 40; i++) {
            coalescing.key(capability("1.0.0", List.of("demo.tool_" + i), script("[1]")));
        }

        assertThat(checkedGrants).hasSize(32);
        assertThat(coalescing.key(capability("[1]"))).isEmpty();
    }

    @Test
    void everyInputCounts() {
        Submission plain = capability("[1]");
        List<Submission> all = List.of(
                plain,
                capability("[1.0]"),
                capability("1.0.1", READ, script("[1]")),
                plain.withCallback(Optional.of("https://example.com/1")),
                plain.withSharedReads(true),
                plain.withAdmission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("a"))),
                plain.withAdmission(AdmissionConstraints.afterDelay(Duration.ofSeconds(1))));

        assertThat(all.stream().map(coalescing::key).distinct()).hasSameSizeAs(all);
        assertThat(coalescing.key(capability("[1]"))).isEqualTo(coalescing.key(plain));
    }
}
