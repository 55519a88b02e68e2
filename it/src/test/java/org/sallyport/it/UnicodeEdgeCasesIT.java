package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Code units that databases and encodings often lose. The service returns them unchanged. */
@ExtendWith(ServerExtension.class)
class UnicodeEdgeCasesIT {
    private static final String NUL_AND_SURROGATES = "a\\u0000b\\ud800c\\udc00d\\ud83d\\ude00";

    private final RestClient api;

    UnicodeEdgeCasesIT(RestClient api) {
        this.api = api;
    }

    @Test
    void nulAndLoneSurrogatesSurviveInArgsResultAndToolCalls() {
        JsonNode execution = api.run(SubmissionBody.javascript(
                        "const back = await demo.echo(args.text); return { same: back === args.text, back };")
                .args("{\"text\": \"" + NUL_AND_SURROGATES + "\"}"));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("result").path("same").asBoolean()).isTrue();
        assertThat(execution.path("result").path("back")).isEqualTo(TestJson.read("\"" + NUL_AND_SURROGATES + "\""));
        assertThat(execution.path("args").path("text")).isEqualTo(TestJson.read("\"" + NUL_AND_SURROGATES + "\""));
        JsonNode started = api.getTrace(execution.path("id").asText()).stream()
                .filter(event -> event.path("tool").asText().equals("demo.echo"))
                .findFirst()
                .orElseThrow();
        assertThat(started.path("args")).isEqualTo(TestJson.read("\"" + NUL_AND_SURROGATES + "\""));
    }

    @Test
    void nulAndLoneSurrogatesSurviveInCodeAndOutput() {
        String code = "console.log('\\u0000' + 'x' + '\ud800'); console.error('\udc00\u0000'); return 1;";
        JsonNode execution = api.run(SubmissionBody.javascript(code));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("output").asText()).isEqualTo("\u0000x\ud800\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("\udc00\u0000\n");
        assertThat(api.get(RestClient.EXECUTIONS + "/" + execution.path("id").asText() + "/code")
                        .json()
                        .path("code")
                        .asText())
                .isEqualTo(code);
    }

    @Test
    void errorsWithUnusualCharactersAreStored() {
        JsonNode execution =
                api.run(SubmissionBody.javascript("throw new Error('\\u0000\\ud800 ' + 'x'.repeat(1e6));"));

        assertThat(execution.path("state").asText()).isEqualTo("FAILED");
        assertThat(execution.path("error").path("message").asText())
                .startsWith("Error: \u0000\ud800 x")
                .hasSizeLessThan(100_000);
    }
}
