package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** The responses match the OpenAPI document. */
@ExtendWith(ServerExtension.class)
class OpenApiIT {
    private static final String ONE = RestClient.EXECUTIONS + "/{id}";

    private final RestClient api;
    private final OpenApiResponseValidator description;

    OpenApiIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private void assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
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
        SubmissionBody submission = SubmissionBody.typescript(code)
                .limit("wallMillis", state.equals("TIMED_OUT") ? 1_000 : 60_000)
                .label("a", "b");
        RestResponse ended = api.send(api.submissionRequest(submission.json(), "Prefer", "wait=20"));
        String id = ended.json().path("id").asText();

        assertDescribed("POST", RestClient.EXECUTIONS, 200, ended);
        assertThat(ended.json().path("state").asText()).isEqualTo(state);
        assertDescribed("GET", ONE, 200, api.get(RestClient.EXECUTIONS + "/" + id));
        assertDescribed("GET", ONE + "/trace", 200, api.get(RestClient.EXECUTIONS + "/" + id + "/trace"));
        assertDescribed("GET", ONE + "/code", 200, api.get(RestClient.EXECUTIONS + "/" + id + "/code"));
        assertDescribed("POST", ONE + "/cancel", 409, api.cancel(id));
    }

    @Test
    void responsesOfACancelledExecutionAreDescribed() {
        RestResponse accepted = api.post(
                RestClient.EXECUTIONS,
                SubmissionBody.javascript("for (;;) await sleep('5s')").json());
        String id = accepted.json().path("id").asText();

        assertDescribed("POST", RestClient.EXECUTIONS, 202, accepted);
        assertDescribed("POST", ONE + "/cancel", 202, api.cancel(id));
        api.awaitEnd(id);
        assertDescribed("GET", ONE, 200, api.get(RestClient.EXECUTIONS + "/" + id));
        assertDescribed(
                "GET", RestClient.EXECUTIONS, 200, api.get(RestClient.EXECUTIONS + "?limit=3&state=CANCELLED,FAILED"));
    }

    @Test
    void catalogAndHealthAreDescribed() {
        assertDescribed("GET", "/api/v1/tools", 200, api.get("/api/v1/tools"));
        assertDescribed("GET", "/health/live", 200, api.withoutKey().get("/health/live"));
        assertDescribed("GET", "/health/ready", 200, api.get("/health/ready"));
    }

    @Test
    void problemsAreDescribed() {
        assertDescribed("POST", RestClient.EXECUTIONS, 400, api.post(RestClient.EXECUTIONS, "{}"));
        assertDescribed(
                "POST", RestClient.EXECUTIONS, 422, api.post(RestClient.EXECUTIONS, "{\"code\": \"return +\"}"));
        assertDescribed(
                "POST",
                RestClient.EXECUTIONS,
                413,
                api.post(
                        RestClient.EXECUTIONS,
                        SubmissionBody.javascript("//" + "x".repeat(300_000)).json()));
        assertDescribed(
                "POST",
                RestClient.EXECUTIONS,
                415,
                api.send(api.request(RestClient.EXECUTIONS).POST(BodyPublishers.ofString("x"))));
        assertDescribed("GET", RestClient.EXECUTIONS, 400, api.get(RestClient.EXECUTIONS + "?cursor=x"));
        assertDescribed("GET", RestClient.EXECUTIONS, 401, api.withoutKey().get(RestClient.EXECUTIONS));
        assertDescribed("GET", ONE, 404, api.get(RestClient.EXECUTIONS + "/1"));
        assertDescribed("GET", ONE + "/trace", 404, api.get(RestClient.EXECUTIONS + "/1/trace"));
        assertDescribed("POST", ONE + "/cancel", 404, api.cancel("1"));
    }
}
