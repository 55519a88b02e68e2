package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.Catalog;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** What answers rest on. */
class CallGroundsTest {
    private static final Json ANYTHING = new Json("{}");
    private static final Json OBJECT = new Json("{\"type\":\"object\"}");
    private static final ToolName GET = new ToolName("demo", "get");
    private static final ToolName PUT = new ToolName("demo", "put");
    private static final List<String> ALL = List.of("*");
    private static final List<String> ONE = List.of("demo.get");

    private final Catalog catalog = new Catalog();
    private Policy policy = Policy.standard();
    private Optional<String> capability = Optional.empty();
    private long version;
    private final CallGrounds grounds = new CallGrounds(
            catalog, new CallGate(catalog, tenant -> policy), new Store(), "modules", () -> Instant.EPOCH);

    private final class Store implements PolicyStore {
        @Override
        public Optional<PolicyVersion> newest(String tenant) {
            return version == 0
                    ? Optional.empty()
                    : Optional.of(new PolicyVersion(version, ANYTHING, "", "key", Instant.EPOCH));
        }

        @Override
        public Optional<PolicyVersion> find(String tenant, long which) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<PolicyVersion> list(String tenant, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public OptionalLong add(String tenant, long expected, Json document, String comment, String author) {
            throw new UnsupportedOperationException();
        }
    }

    private void tools(Json schemaOfGet, ToolHints hintsOfGet, String descriptionOfPut) {
        catalog.put(
                new Backend("demo", "java", "queue"),
                List.of(
                        new ToolSpec(GET, "Gets.", schemaOfGet, hintsOfGet),
                        new ToolSpec(PUT, descriptionOfPut, ANYTHING, ToolHints.IDEMPOTENT)));
    }

    @Test
    void theyAreOthersWhenAToolThatIsReachedIsAnother() {
        tools(ANYTHING, ToolHints.READ_ONLY, "Puts.");
        String all = grounds.fingerprint("t", ALL);
        String one = grounds.fingerprint("t", ONE);
        tools(ANYTHING, ToolHints.READ_ONLY, "Puts.");
        assertThat(grounds.fingerprint("t", ALL)).isEqualTo(all).isNotEqualTo(one);
        tools(ANYTHING, ToolHints.READ_ONLY, "Puts otherwise.");
        assertThat(grounds.fingerprint("t", ALL)).isNotEqualTo(all);
        assertThat(grounds.fingerprint("t", ONE)).isEqualTo(one);
        tools(OBJECT, ToolHints.READ_ONLY, "Puts.");
        assertThat(grounds.fingerprint("t", ONE)).isNotEqualTo(one);
        tools(ANYTHING, ToolHints.IDEMPOTENT, "Puts.");
        assertThat(grounds.fingerprint("t", ONE)).isNotEqualTo(one);
    }

    @Test
    void manyGrantsAreJudgedAsFewAre() {
        tools(ANYTHING, ToolHints.READ_ONLY, "Puts.");
        List<String> many = new ArrayList<>(Collections.nCopies(100, "other.*"));
        many.add("demo.get");
        assertThat(grounds.fingerprint("t", many)).isEqualTo(grounds.fingerprint("t", ONE));
        tools(OBJECT, ToolHints.READ_ONLY, "Puts.");
        assertThat(grounds.fingerprint("t", many)).isEqualTo(grounds.fingerprint("t", ONE));
    }

    @Test
    void theyAreOthersWhenThePolicyIs() {
        String before = grounds.fingerprint("t", ALL);
        version = 1;
        assertThat(grounds.fingerprint("t", ALL)).isNotEqualTo(before);
    }

    private boolean hold(List<String> grants, ToolName tool, String arguments) {
        return grounds.hold("t", capability, grants, tool, new Json(arguments), List.of());
    }

    @Test
    void onlyReadingThatIsLetThroughHolds() {
        tools(OBJECT, ToolHints.READ_ONLY, "Puts.");
        assertThat(hold(ALL, GET, "{}")).isTrue();
        assertThat(hold(ALL, GET, "1")).isFalse();
        assertThat(hold(ALL, PUT, "{}")).isFalse();
        assertThat(hold(ALL, new ToolName("demo", "gone"), "{}")).isFalse();
        assertThat(hold(List.of(), GET, "{}")).isFalse();
        policy = (tool, arguments, situation) -> situation.runsOneOf(List.of("a.b"))
                ? new Decision.Deny("rule", "not there")
                : new Decision.Allow("rule");
        assertThat(hold(ALL, GET, "{}")).isTrue();
        capability = Optional.of("a.b@1.0.0");
        assertThat(hold(ALL, GET, "{}")).isFalse();
        policy = (tool, arguments, situation) -> new Decision.Deny("rule", "not now");
        assertThat(hold(ALL, GET, "{}")).isFalse();
        policy = (tool, arguments, situation) -> new Decision.Mock("rule", ANYTHING);
        assertThat(hold(ALL, GET, "{}")).isFalse();
    }
}
