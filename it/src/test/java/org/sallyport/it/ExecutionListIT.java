package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Filters and search of the list of executions. */
@ExtendWith(ServerExtension.class)
class ExecutionListIT {
    private final RestClient api;
    private final OpenApiResponseValidator description;
    private final String mark = "m" + UUID.randomUUID().toString().replace("-", "");

    ExecutionListIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private String run(SubmissionBody submission) {
        return api.run(submission.label("mark", mark)).path("id").asText();
    }

    private RestResponse list(String... namesAndValues) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            pairs.add(namesAndValues[i] + "=" + URLEncoder.encode(namesAndValues[i + 1], StandardCharsets.UTF_8));
        }
        RestResponse answer = api.get(RestClient.EXECUTIONS + "?" + String.join("&", pairs));
        assertThat(description.validate("GET", RestClient.EXECUTIONS, answer)).isEmpty();
        return answer;
    }

    /** Filters among the executions of this test. */
    private List<String> findIds(String... namesAndValues) {
        JsonNode page = list(Stream.concat(Stream.of("label", "mark:" + mark), Stream.of(namesAndValues))
                        .toArray(String[]::new))
                .expectStatus(200)
                .json();
        return page.path("items").findValues("id").stream()
                .map(JsonNode::asText)
                .collect(Collectors.toList());
    }

    @Test
    void everyFilterFindsTheMatchingExecutions() {
        String calls = run(SubmissionBody.javascript("return [await demo.add({ a: 1, b: 2 }), await demo.echo(1)];"));
        String fails = run(SubmissionBody.javascript("throw new Error('the drawbridge is stuck')")
                .label("team", "gate"));
        String intends = run(SubmissionBody.javascript("return 1").with("intent", "\"count the horses\""));
        String rerun = api.send(api.request(RestClient.EXECUTIONS + "/" + calls + "/rerun")
                        .header("Content-Type", "application/json")
                        .header("Prefer", "wait=30")
                        .POST(RestClient.body("{}")))
                .expectStatus(200)
                .json()
                .path("id")
                .asText();

        assertThat(findIds()).containsExactly(rerun, intends, fails, calls);
        assertThat(findIds("tool", "demo.add")).containsExactly(rerun, calls);
        assertThat(findIds("tool", "demo.add", "tool", "demo.echo", "rerunOf", calls))
                .containsExactly(rerun);
        assertThat(findIds("tool", "demo.clock")).isEmpty();
        assertThat(findIds("label", "team:gate")).containsExactly(fails);
        assertThat(findIds("q", "DRAWBRIDGE")).containsExactly(fails);
        assertThat(findIds("q", "the horses")).containsExactly(intends);
        assertThat(findIds("q", calls.substring(0, 30))).contains(calls);
        assertThat(findIds("state", "FAILED", "since", "PT1H")).containsExactly(fails);
        assertThat(findIds("since", "2100-01-01T00:00:00Z")).isEmpty();
        assertThat(findIds("finishedWithin", "PT1H")).hasSize(4);
        assertThat(findIds("finishedWithin", "PT0S")).isEmpty();
        String waits = api.submit(
                SubmissionBody.javascript("await sleep(600000)").with("labels", "{\"mark\": \"" + mark + "\"}"));
        assertThat(findIds("recent", "PT1H")).containsExactly(waits, rerun, intends, fails, calls);
        assertThat(findIds("recent", "PT0S")).containsExactly(waits);
        api.cancel(waits).expectStatus(202);
    }

    @Test
    void cursorIsValidOnlyForItsOwnFilters() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(0, run(SubmissionBody.javascript("return " + i)));
        }
        JsonNode page =
                list("label", "mark:" + mark, "limit", "2").expectStatus(200).json();
        String next = page.path("next").asText();

        assertThat(findIds("limit", "2", "cursor", next)).containsExactly(all.get(2));
        assertThat(list("cursor", next).expectStatus(400).json().path("member").asText())
                .isEqualTo("cursor");
        assertThat(list("label", "mark:other", "cursor", next)
                        .expectStatus(400)
                        .json()
                        .path("detail")
                        .asText())
                .contains("other filters");
    }

    @ParameterizedTest
    @CsvSource({"label,mark", "tool,add", "since,yesterday", "finishedWithin,1h", "rerunOf,1", "q,' '", "state,LOST"})
    void invalidFilterIsRefusedByName(String name, String value) {
        assertThat(list(name, value).expectStatus(400).json().path("member").asText())
                .isEqualTo(name);
    }
}
