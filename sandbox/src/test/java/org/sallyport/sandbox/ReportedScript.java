package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A script of {@code reported-scripts.json}, which has scripts after public reports of people, with the end that Node
 * or the TypeScript compiler gives them: a result, or an error with its place.
 */
public record ReportedScript(JsonNode json) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Toolbox TOOLBOX =
            new Toolbox(List.of(new GuestTool("demo", "echo"), new GuestTool("demo", "add")), List.of());

    public static Stream<ReportedScript> all() {
        return StreamSupport.stream(
                        read(ScriptTable.resource("reported-scripts.json")).spliterator(), false)
                .map(ReportedScript::new);
    }

    private static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Name of the tier that runs the script, in lower case; empty if the tier does not matter. */
    public String tier() {
        return json.path("tier").asText();
    }

    public SessionRequest request() {
        String code = StreamSupport.stream(json.path("code").spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.joining("\n"));
        SourceLanguage language =
                SourceLanguage.valueOf(json.path("language").asText().toUpperCase(Locale.ROOT));
        return new SessionRequest(
                "s",
                "t",
                new Script(code, language),
                json.has("args") ? json.path("args").toString() : "{}",
                "{}",
                GuestContract.LARGE_LIMITS,
                TOOLBOX);
    }

    public void check(SessionResult end) {
        if (json.has("result")) {
            assertThat(end)
                    .isInstanceOfSatisfying(
                            SessionResult.ScriptReturned.class,
                            returned -> assertThat(read(returned.result())).isEqualTo(json.path("result")));
        } else {
            assertThat(end).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                assertThat(threw.code()).isEqualTo(json.path("error").asText());
                assertThat(threw.message()).contains(json.path("message").asText());
                assertThat(threw.line()).isEqualTo(json.path("line").asInt(threw.line()));
                assertThat(threw.column()).isEqualTo(json.path("column").asInt(threw.column()));
            });
        }
    }

    @Override
    public String toString() {
        return json.path("id").asText();
    }
}
