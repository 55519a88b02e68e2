package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Fingerprints of the data that cached results depend on. */
class CallFingerprintsTest {
    private static final Json ANYTHING = new Json("{}");
    private static final Json OBJECT = new Json("{\"type\":\"object\"}");
    private static final ToolName GET = new ToolName("demo", "get");
    private static final ToolName PUT = new ToolName("demo", "put");
    private static final List<String> ALL = List.of("*");
    private static final List<String> ONE = List.of("demo.get");

    private final ToolCatalog catalog = new ToolCatalog();
    private Policy policy = Policy.defaultPolicy();
    private Optional<String> capability = Optional.empty();
    private long version;
    private final CallFingerprints grounds = new CallFingerprints(
            catalog,
            new ToolCallAuthorizer(catalog, tenant -> policy),
            new FakePolicyStore(),
            "modules",
            () -> Instant.EPOCH);

    private final class FakePolicyStore implements PolicyStore {
        @Override
        public Optional<PolicyVersion> findNewest(String tenant) {
            return version == 0
                    ? Optional.empty()
                    : Optional.of(new PolicyVersion(version, ANYTHING, "", "key", Instant.EPOCH));
        }

        @Override
        public Optional<PolicyVersion> find(String tenant, long which) {
            throw new UnsupportedOperationException();
        }

        @Override
        public OptionalLong add(String tenant, long expected, Json document, String comment, String author) {
            throw new UnsupportedOperationException();
        }
    }

    private void declareTools(Json schemaOfGet, ToolHints hintsOfGet, String descriptionOfPut) {
        catalog.put(
                new CatalogBackend("demo", "java", "queue"),
                List.of(
                        new ToolSpec(GET, "Gets.", schemaOfGet, hintsOfGet),
                        new ToolSpec(PUT, descriptionOfPut, ANYTHING, ToolHints.IDEMPOTENT)));
    }

    @Test
    void fingerprintChangesWithAReachableTool() {
        declareTools(ANYTHING, ToolHints.READ_ONLY, "Puts.");
        String all = grounds.fingerprint("t", ALL);
        String one = grounds.fingerprint("t", ONE);
        declareTools(ANYTHING, ToolHints.READ_ONLY, "Puts.");
        assertThat(grounds.fingerprint("t", ALL)).isEqualTo(all).isNotEqualTo(one);
        declareTools(ANYTHING, ToolHints.READ_ONLY, "Puts otherwise.");
        assertThat(grounds.fingerprint("t", ALL)).isNotEqualTo(all);
        assertThat(grounds.fingerprint("t", ONE)).isEqualTo(one);
        declareTools(OBJECT, ToolHints.READ_ONLY, "Puts.");
        assertThat(grounds.fingerprint("t", ONE)).isNotEqualTo(one);
        declareTools(ANYTHING, ToolHints.IDEMPOTENT, "Puts.");
        assertThat(grounds.fingerprint("t", ONE)).isNotEqualTo(one);
    }

    @Test
    void manyGrantsHaveTheSameFingerprintAsFew() {
        declareTools(ANYTHING, ToolHints.READ_ONLY, "Puts.");
        List<String> many = new ArrayList<>(Collections.nCopies(100, "other.*"));
        many.add("demo.get");
        assertThat(grounds.fingerprint("t", many)).isEqualTo(grounds.fingerprint("t", ONE));
        declareTools(OBJECT, ToolHints.READ_ONLY, "Puts.");
        assertThat(grounds.fingerprint("t", many)).isEqualTo(grounds.fingerprint("t", ONE));
    }

    @Test
    void fingerprintChangesWithThePolicy() {
        String before = grounds.fingerprint("t", ALL);
        version = 1;
        assertThat(grounds.fingerprint("t", ALL)).isNotEqualTo(before);
    }

    private boolean hold(List<String> grants, ToolName tool, String arguments) {
        return grounds.wouldAllowReadOnlyCall("t", capability, grants, tool, new Json(arguments), List.of());
    }

    @Test
    void onlyAllowedReadOnlyCallsStayValid() {
        declareTools(OBJECT, ToolHints.READ_ONLY, "Puts.");
        assertThat(hold(ALL, GET, "{}")).isTrue();
        assertThat(hold(ALL, GET, "1")).isFalse();
        assertThat(hold(ALL, PUT, "{}")).isFalse();
        assertThat(hold(ALL, new ToolName("demo", "gone"), "{}")).isFalse();
        assertThat(hold(List.of(), GET, "{}")).isFalse();
        policy = (tool, arguments, situation) -> situation.runsCapability(List.of("a.b"))
                ? new PolicyDecision.DenyDecision("rule", "not there")
                : new PolicyDecision.AllowDecision("rule");
        assertThat(hold(ALL, GET, "{}")).isTrue();
        capability = Optional.of("a.b@1.0.0");
        assertThat(hold(ALL, GET, "{}")).isFalse();
        policy = (tool, arguments, situation) -> new PolicyDecision.DenyDecision("rule", "not now");
        assertThat(hold(ALL, GET, "{}")).isFalse();
        policy = (tool, arguments, situation) -> new PolicyDecision.MockDecision("rule", ANYTHING);
        assertThat(hold(ALL, GET, "{}")).isFalse();
    }
}
