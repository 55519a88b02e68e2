package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** The answers are what the description says. */
@ExtendWith(Servers.class)
class OpenApiIT {
    private static final String ONE = Api.EXECUTIONS + "/{id}";

    private final Api api;
    private final Description description;

    OpenApiIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
    }

    private void isDescribed(String method, String path, int status, Answer answer) {
        answer.expect(status);
        assertThat(description.faults(method, path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "COMPLETED | console.log(args); return [await demo.add({ a: 1, b: 2 }), await demo.clock()];",
                "COMPLETED | return;",
                "FAILED | console.error('x'); await demo.fail({ message: 'no' });",
                "FAILED | null.x",
                "TIMED_OUT | for (;;) await sleep('5s')",
            })
    void executionsInEveryStateAreDescribed(String state, String code) {
        Submission submission = Submission.typescript(code)
                .limit("wallMillis", state.equals("TIMED_OUT") ? 1_000 : 60_000)
                .label("a", "b");
        Answer ended = api.send(api.submission(submission.json(), "Prefer", "wait=20"));
        String id = ended.json().path("id").asText();

        isDescribed("POST", Api.EXECUTIONS, 200, ended);
        assertThat(ended.json().path("state").asText()).isEqualTo(state);
        isDescribed("GET", ONE, 200, api.get(Api.EXECUTIONS + "/" + id));
        isDescribed("GET", ONE + "/trace", 200, api.get(Api.EXECUTIONS + "/" + id + "/trace"));
        isDescribed("GET", ONE + "/code", 200, api.get(Api.EXECUTIONS + "/" + id + "/code"));
        isDescribed("POST", ONE + "/cancel", 409, api.cancel(id));
    }

    @Test
    void theWayOfACancelledExecutionIsDescribed() {
        Answer accepted = api.post(
                Api.EXECUTIONS,
                Submission.javascript("for (;;) await sleep('5s')").json());
        String id = accepted.json().path("id").asText();

        isDescribed("POST", Api.EXECUTIONS, 202, accepted);
        isDescribed("POST", ONE + "/cancel", 202, api.cancel(id));
        api.awaitEnd(id);
        isDescribed("GET", ONE, 200, api.get(Api.EXECUTIONS + "/" + id));
        isDescribed("GET", Api.EXECUTIONS, 200, api.get(Api.EXECUTIONS + "?limit=3&state=CANCELLED,FAILED"));
    }

    @Test
    void catalogAndHealthAreDescribed() {
        isDescribed("GET", "/api/v1/tools", 200, api.get("/api/v1/tools"));
        isDescribed("GET", "/health/live", 200, api.anonymous().get("/health/live"));
        isDescribed("GET", "/health/ready", 200, api.get("/health/ready"));
    }

    @Test
    void problemsAreDescribed() {
        isDescribed("POST", Api.EXECUTIONS, 400, api.post(Api.EXECUTIONS, "{}"));
        isDescribed("POST", Api.EXECUTIONS, 422, api.post(Api.EXECUTIONS, "{\"code\": \"return +\"}"));
        isDescribed(
                "POST",
                Api.EXECUTIONS,
                413,
                api.post(
                        Api.EXECUTIONS,
                        Submission.javascript("//" + "x".repeat(300_000)).json()));
        isDescribed(
                "POST",
                Api.EXECUTIONS,
                415,
                api.send(api.request(Api.EXECUTIONS).POST(BodyPublishers.ofString("x"))));
        isDescribed("GET", Api.EXECUTIONS, 400, api.get(Api.EXECUTIONS + "?cursor=x"));
        isDescribed("GET", Api.EXECUTIONS, 401, api.anonymous().get(Api.EXECUTIONS));
        isDescribed("GET", ONE, 404, api.get(Api.EXECUTIONS + "/1"));
        isDescribed("GET", ONE + "/trace", 404, api.get(Api.EXECUTIONS + "/1/trace"));
        isDescribed("POST", ONE + "/cancel", 404, api.cancel("1"));
    }
}
