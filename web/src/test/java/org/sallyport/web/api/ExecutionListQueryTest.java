package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;

class ExecutionListQueryTest {
    private static final Instant NOW = Instant.parse("2026-10-25T01:30:00Z");
    private static final ExecutionId ID =
            ExecutionId.parse("019ea7c0-1a2b-7000-92af-3bd76810d50e").orElseThrow();

    private static MultivaluedMap<String, String> parameters(String... namesAndValues) {
        MultivaluedMap<String, String> all = new MultivaluedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            all.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return all;
    }

    private static ExecutionListQuery query(String... namesAndValues) {
        return ExecutionListQuery.of(parameters(namesAndValues), NOW);
    }

    @Test
    void everyParameterIsRead() {
        ExecutionListQuery query = query(
                "state",
                "failed,RUNNING",
                "capability",
                "a@1.0.0",
                "label",
                "k:v:w",
                "label",
                "l:",
                "tool",
                "demo.a.b",
                "rerunOf",
                ID.toString(),
                "since",
                "PT1H",
                "finishedWithin",
                "P1DT1S",
                "q",
                " two words ",
                "limit",
                "999");
        ExecutionFilter filter = query.filter();

        assertThat(filter.states()).isEqualTo(Set.of(ExecutionState.FAILED, ExecutionState.RUNNING));
        assertThat(filter.capability()).contains("a@1.0.0");
        assertThat(filter.labels()).isEqualTo(List.of("k:v:w", "l:"));
        assertThat(filter.tools()).isEqualTo(List.of("demo.a.b"));
        assertThat(filter.rerunOf()).contains(ID);
        assertThat(filter.since()).contains(NOW.minusSeconds(3_600));
        assertThat(filter.finishedWithin()).contains(Duration.ofSeconds(86_401));
        assertThat(filter.text()).contains("two words");
        assertThat(query.limit()).isEqualTo(200);
        assertThat(query("since", "2026-10-25T02:30:00+02:00").filter().since()).contains(NOW.minusSeconds(3_600));
    }

    @Test
    void emptyParameterIsIgnored() {
        assertThat(query("label", "", "tool", "", "q", "", "since", "", "cursor", "", "limit", "")
                        .filter()
                        .labels())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "state,LOST",
        "label,team",
        "label,:red",
        "tool,echo",
        "tool,demo.",
        "tool,.echo",
        "rerunOf,7",
        "since,yesterday",
        "since,2026-10-25",
        "since,PT-1H",
        "since,P99999999D",
        "since,+999999999-01-01T00:00:00Z",
        "recent,1h",
        "recent,-PT1H",
        "finishedWithin,1h",
        "finishedWithin,-PT1H",
        "q,' '",
        "limit,0",
        "cursor,x"
    })
    void invalidParameterIsRefusedByName(String name, String value) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> query(name, value))).isEqualTo(name);
    }

    @Test
    void recentAdmitsExecutionsThatHaveNotEnded() {
        ExecutionFilter filter = query("recent", "PT15M").filter();
        assertThat(filter.finishedWithin()).contains(Duration.ofMinutes(15));
        assertThat(filter.includesUnfinished()).isTrue();
        assertThat(query("finishedWithin", "PT15M").filter().includesUnfinished())
                .isFalse();
        assertThat(query("recent", "PT15M").fingerprint())
                .isNotEqualTo(query("finishedWithin", "PT15M").fingerprint());
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("recent", "PT1H", "finishedWithin", "PT1H")))
                .isEqualTo("recent");
    }

    @Test
    void repeatedOversizedOrTooManyParametersAreRefused() {
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("q", "a", "q", "b")))
                .isEqualTo("q");
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("q", "a".repeat(201))))
                .isEqualTo("q");
        MultivaluedMap<String, String> many = parameters();
        for (int i = 0; i < 11; i++) {
            many.add("label", "k:" + i);
        }
        assertThat(ProblemAssertions.invalidMemberOf(() -> ExecutionListQuery.of(many, NOW)))
                .isEqualTo("label");
    }

    @Test
    void batchesAreCollapsedOnlyWithoutFilters() {
        assertThat(query("collapseBatches", "true").filter()).isEqualTo(ExecutionFilter.OUTSIDE_BATCHES);
        assertThat(query("collapseBatches", "false", "state", "RUNNING")
                        .filter()
                        .outsideBatches())
                .isFalse();
        assertThat(query("collapseBatches", "true", "label", "").filter().outsideBatches())
                .isTrue();
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("collapseBatches", "true", "state", "RUNNING")))
                .isEqualTo("collapseBatches");
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("collapseBatches", "maybe")))
                .isEqualTo("collapseBatches");
    }

    @Test
    void cursorIsValidOnlyForItsOwnFilters() {
        String plain = Cursor.encode(ID, query().fingerprint());
        String red = Cursor.encode(
                ID, query("label", "team:red", "state", "FAILED,RUNNING").fingerprint());

        assertThat(query("cursor", plain).beforeId()).contains(ID);
        assertThat(query("cursor", red, "state", "RUNNING", "state", "FAILED", "label", "team:red")
                        .beforeId())
                .contains(ID);
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("cursor", red)))
                .isEqualTo("cursor");
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("cursor", red, "label", "team:blue")))
                .isEqualTo("cursor");
        assertThat(ProblemAssertions.invalidMemberOf(() -> query("cursor", plain, "q", "x")))
                .isEqualTo("cursor");
        assertThat(red).matches("[A-Za-z0-9_-]{1,200}");
    }
}
