package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.openapi.ApiDescription;

class ExecutionDiffTest {
    private static final Instant AT = Instant.parse("2026-06-08T15:00:45Z");
    private static final ExecutionId ID = new ExecutionId(UUID.fromString("019ea7c0-1a2b-7000-92af-3bd76810d50e"));
    private static final ToolName ECHO = new ToolName("demo", "echo");

    private static ExecutionDiff.ComparedExecution side(String result, String out, int calls) {
        Execution execution = ExecutionFixtures.completed(ID, new Json(result), out.length());
        List<TraceEvent> entries = new ArrayList<>();
        for (int call = 1; call <= calls; call++) {
            entries.add(new TraceEvent.ToolStarted(2L * call, AT, call, ECHO, new Json("[" + call + "]")));
            entries.add(new TraceEvent.ToolEnded(
                    2L * call + 1, AT, call, ECHO, call, 0, Optional.of(new Json(result)), Optional.empty()));
        }
        return new ExecutionDiff.ComparedExecution(execution, entries, out, "");
    }

    private static JsonNode diff(ExecutionDiff.ComparedExecution one, ExecutionDiff.ComparedExecution other) {
        JsonNode diff = ApiDescription.roundTrip(ExecutionDiff.compare(one, other));
        assertThat(ApiDescription.read().violations("Diff", diff)).isEmpty();
        return diff;
    }

    @Test
    void equalExecutionsHaveNoDifferences() {
        assertThat(diff(side("1", "x", 3), side("1", "x", 3)))
                .hasToString("{\"id\":\"019ea7c0-1a2b-7000-92af-3bd76810d50e\","
                        + "\"with\":\"019ea7c0-1a2b-7000-92af-3bd76810d50e\",\"same\":true,\"calls\":[],"
                        + "\"callsCompared\":3,\"callsDiffering\":0}");
    }

    @Test
    void longTextsAreShownAroundTheirFirstDifference() {
        JsonNode output = diff(
                        side("1", "=".repeat(100_000) + "\ud83d\ude00" + "a".repeat(100_000), 0),
                        side("1", "=".repeat(100_000) + "\ud83d\ude01", 0))
                .path("output");

        assertThat(output.path("at").asInt()).isEqualTo(100_000);
        assertThat(output.path("this").asText())
                .startsWith("…====")
                .contains("=\ud83d\ude00aaa")
                .endsWith("a…");
        assertThat(output.path("with").asText()).endsWith("=\ud83d\ude01");
    }

    @Test
    void onlyTheFirstDifferingCallsAreShown() {
        JsonNode diff = diff(side("1", "", 300), side("2", "", 200));

        assertThat(diff.path("calls")).hasSize(100);
        assertThat(diff.at("/calls/0/answer/this").asText()).isEqualTo("1");
        assertThat(diff.path("callsDiffering").asInt()).isEqualTo(300);
        assertThat(diff.path("same").asBoolean()).isFalse();
    }

    @Test
    void callMadeByOnlyOneExecutionNamesIt() {
        JsonNode diff = diff(side("1", "", 0), side("1", "", 1));

        assertThat(diff.at("/calls/0/onlyIn").asText()).isEqualTo("with");
        assertThat(diff.at("/calls/0/args/with").asText()).isEqualTo("[1]");
        assertThat(diff.at("/calls/0/args").has("this")).isFalse();
    }
}
