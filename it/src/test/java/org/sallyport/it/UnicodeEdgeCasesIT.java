package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * Code units that databases and encodings often lose. Scripts get them unchanged; in answers, lone surrogates are
 * U+FFFD, because many JSON parsers refuse them.
 */
@ExtendWith(ServerExtension.class)
class UnicodeEdgeCasesIT {
    private static final String NUL_AND_SURROGATES = "a\\u0000b\\ud800c\\udc00d\\ud83d\\ude00";
    private static final String ANSWERED = "a\u0000b\ufffdc\ufffdd\ud83d\ude00";

    private final RestClient api;

    UnicodeEdgeCasesIT(RestClient api) {
        this.api = api;
    }

    @Test
    void scriptsGetNulAndLoneSurrogatesUnchanged() {
        JsonNode execution = api.run(
                SubmissionBody.javascript("const back = await demo.echo(args.text); return { same: back === args.text,"
                                + " units: [...back].map((unit) => unit.codePointAt(0)), back };")
                        .args("{\"text\": \"" + NUL_AND_SURROGATES + "\"}"));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("result").path("same").asBoolean()).isTrue();
        assertThat(execution.path("result").path("units"))
                .isEqualTo(TestJson.read("[97, 0, 98, 55296, 99, 56320, 100, 128512]"));
        assertThat(execution.path("result").path("back").asText()).isEqualTo(ANSWERED);
        assertThat(execution.path("args").path("text").asText()).isEqualTo(ANSWERED);
        JsonNode started = api.getTrace(execution.path("id").asText()).stream()
                .filter(event -> event.path("tool").asText().equals("demo.echo"))
                .findFirst()
                .orElseThrow();
        assertThat(started.path("args").asText()).isEqualTo(ANSWERED);
    }

    @Test
    void codeAndOutputAreAnsweredAsValidUtf8() {
        String code = "console.log('\\u0000' + 'x' + '\ud800'); console.error('\udc00\u0000'); return 1;";
        JsonNode execution = api.run(SubmissionBody.javascript(code));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("output").asText()).isEqualTo("\u0000x\ufffd\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("\ufffd\u0000\n");
        assertThat(api.get(RestClient.EXECUTIONS + "/" + execution.path("id").asText() + "/code")
                        .json()
                        .path("code")
                        .asText())
                .isEqualTo(code.replace('\ud800', '\ufffd').replace('\udc00', '\ufffd'));
    }

    @Test
    void errorsWithUnusualCharactersAreStored() {
        JsonNode execution =
                api.run(SubmissionBody.javascript("throw new Error('\\u0000\\ud800 ' + 'x'.repeat(1e6));"));

        assertThat(execution.path("state").asText()).isEqualTo("FAILED");
        assertThat(execution.path("error").path("message").asText())
                .startsWith("Error: \u0000\ufffd x")
                .hasSizeLessThan(100_000);
    }

    @Test
    void answerWithHalvesOfCharactersIsValidForEveryParser() {
        RestResponse answer = api.get(RestClient.EXECUTIONS + "/"
                + api.run(SubmissionBody.javascript("console.log('a\\ud800b'); return ['c\\udc00d', '\\\\ud800'];"))
                        .path("id")
                        .asText());

        assertThat(answer.text()).contains("a\ufffdb", "[\"c\ufffdd\",\"\\\\ud800\"]");
        assertThat(answer.text()).doesNotContainPattern("(?<!\\\\)(?:\\\\\\\\)*\\\\u[dD][89A-Fa-f]");
    }
}
