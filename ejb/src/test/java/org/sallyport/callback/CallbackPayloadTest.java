package org.sallyport.callback;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.tool.Json;

class CallbackPayloadTest {
    private static final Instant AT = Instant.parse("2026-06-08T15:00:45Z");

    private static Execution execution(String result, String error) {
        return new Execution(
                new ExecutionSummary(
                        new ExecutionId(UUID.fromString("019ea7c0-1a2b-7000-92af-3bd76810d50e")),
                        "t",
                        "key",
                        ExecutionState.FAILED,
                        ScriptLanguage.JAVASCRIPT,
                        ScriptTier.SANDBOX,
                        "",
                        4,
                        1,
                        Map.of("label", "a\ud800"),
                        Optional.empty(),
                        AT,
                        Optional.of(AT),
                        Optional.of(AT),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                Json.NULL,
                new ExecutionLimits(1, 1, 1, 1, 1),
                List.of(),
                Optional.empty(),
                Durability.JOURNAL,
                false,
                Optional.of(new Json(result)),
                Optional.of(ExecutionError.of(ErrorCode.SCRIPT_ERROR, error)),
                0,
                0,
                false,
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL);
    }

    private static JsonNode encode(Execution execution, int maxBytes) throws IOException {
        String text = new String(CallbackPayload.encode(execution, maxBytes), StandardCharsets.UTF_8);
        assertThat(text).doesNotContainPattern("\\\\ud[89a-f]");
        return new ObjectMapper().readTree(text).path("execution");
    }

    @Test
    void loneSurrogatesAreReplaced() throws IOException {
        JsonNode sent = encode(execution("\"c\\udc00d\"", "half \ud83d of a pair"), 100);

        assertThat(sent.path("result").textValue()).isEqualTo("c\ufffdd");
        assertThat(sent.at("/error/message").textValue()).isEqualTo("half \ufffd of a pair");
        assertThat(sent.at("/labels/label").textValue()).isEqualTo("a\ufffd");
    }

    @Test
    void resultAboveTheLimitIsOmitted() throws IOException {
        JsonNode sent = encode(execution("\"" + "x".repeat(100) + "\"", "failed"), 101);

        assertThat(sent.has("result")).isFalse();
        assertThat(sent.path("resultOmitted").booleanValue()).isTrue();
        assertThat(encode(execution("\"" + "x".repeat(99) + "\"", "failed"), 101)
                        .path("result")
                        .textValue())
                .hasSize(99);
    }
}
