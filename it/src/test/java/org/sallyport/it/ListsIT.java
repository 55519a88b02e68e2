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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Lists of executions: what they are searched by. */
@ExtendWith(Servers.class)
class ListsIT {
    private final Api api;
    private final Description description;
    private final String mark = "m" + UUID.randomUUID().toString().replace("-", "");

    ListsIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
    }

    private String run(Submission submission) {
        return api.run(submission.label("mark", mark)).path("id").asText();
    }

    private Answer list(String... namesAndValues) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            pairs.add(namesAndValues[i] + "=" + URLEncoder.encode(namesAndValues[i + 1], StandardCharsets.UTF_8));
        }
        Answer answer = api.get(Api.EXECUTIONS + "?" + String.join("&", pairs));
        assertThat(description.faults("GET", Api.EXECUTIONS, answer)).isEmpty();
        return answer;
    }

    /** Of what this test submitted. */
    private List<String> found(String... namesAndValues) {
        JsonNode page = list(Stream.concat(Stream.of("label", "mark:" + mark), Stream.of(namesAndValues))
                        .toArray(String[]::new))
                .expect(200)
                .json();
        return page.path("items").findValues("id").stream()
                .map(JsonNode::asText)
                .collect(Collectors.toList());
    }

    @Test
    void everyFilterFindsWhatItNames() {
        String calls = run(Submission.javascript("return [await demo.add({ a: 1, b: 2 }), await demo.echo(1)];"));
        String fails = run(Submission.javascript("throw new Error('the drawbridge is stuck')")
                .label("team", "gate"));
        String intends = run(Submission.javascript("return 1").with("intent", "\"count the horses\""));
        String again = api.send(api.request(Api.EXECUTIONS + "/" + calls + "/rerun")
                        .header("Content-Type", "application/json")
                        .header("Prefer", "wait=30")
                        .POST(Api.body("{}")))
                .expect(200)
                .json()
                .path("id")
                .asText();

        assertThat(found()).containsExactly(again, intends, fails, calls);
        assertThat(found("tool", "demo.add")).containsExactly(again, calls);
        assertThat(found("tool", "demo.add", "tool", "demo.echo", "rerunOf", calls))
                .containsExactly(again);
        assertThat(found("tool", "demo.clock")).isEmpty();
        assertThat(found("label", "team:gate")).containsExactly(fails);
        assertThat(found("q", "DRAWBRIDGE")).containsExactly(fails);
        assertThat(found("q", "the horses")).containsExactly(intends);
        assertThat(found("q", calls.substring(0, 30))).contains(calls);
        assertThat(found("state", "FAILED", "since", "PT1H")).containsExactly(fails);
        assertThat(found("since", "2100-01-01T00:00:00Z")).isEmpty();
        assertThat(found("finishedWithin", "PT1H")).hasSize(4);
        assertThat(found("finishedWithin", "PT0S")).isEmpty();
    }

    @Test
    void aPlaceInOneListIsNoPlaceInAnother() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(0, run(Submission.javascript("return " + i)));
        }
        JsonNode page = list("label", "mark:" + mark, "limit", "2").expect(200).json();
        String next = page.path("next").asText();

        assertThat(found("limit", "2", "cursor", next)).containsExactly(all.get(2));
        assertThat(list("cursor", next).expect(400).json().path("member").asText())
                .isEqualTo("cursor");
        assertThat(list("label", "mark:other", "cursor", next)
                        .expect(400)
                        .json()
                        .path("detail")
                        .asText())
                .contains("other filters");
    }

    @ParameterizedTest
    @CsvSource({"label,mark", "tool,add", "since,yesterday", "finishedWithin,1h", "rerunOf,1", "q,' '", "state,LOST"})
    void whatHasAnotherFormIsRefusedByItsName(String name, String value) {
        assertThat(list(name, value).expect(400).json().path("member").asText()).isEqualTo(name);
    }
}
