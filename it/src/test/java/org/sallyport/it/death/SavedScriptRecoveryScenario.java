package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;

/** The end of an execution and the script that it saves are committed together, and only for its own tenant. */
final class SavedScriptRecoveryScenario implements RecoveryScenario {
    private static final String ALL = "/api/v1/scripts";
    private static final int RUNS = 12;

    private final RestClient api;
    private final RestClient otherApi;
    private List<String> ids = List.of();

    SavedScriptRecoveryScenario(RestClient api, RestClient theirs) {
        this.api = api;
        this.otherApi = theirs;
    }

    @Override
    public void prepare() {
        ids = IntStream.range(0, RUNS)
                .mapToObj(i -> api.submit(SubmissionBody.javascript("await sleep(" + (i * 40) + "); return " + i)
                        .with("cacheAs", "\"kept-" + i + "\"")))
                .toList();
        api.awaitEnd(ids.get(0));
    }

    @Override
    public void assertRecovered() {
        for (int i = 0; i < RUNS; i++) {
            // If an execution is seen as completed, its script is already saved, regardless of which incarnation of the
            // server stored it.
            JsonNode seen = api.getExecution(ids.get(i));
            int status = api.get(ALL + "/kept-" + i).status();
            if (seen.path("state").asText().equals("COMPLETED")) {
                assertThat(status).isEqualTo(200);
            }
            JsonNode ended = api.awaitEnd(ids.get(i));
            assertThat(ended.path("state").asText()).isEqualTo("COMPLETED");
            assertThat(ended.path("cachedName").asText()).isEqualTo("kept-" + i);
            assertThat(api.get(ALL + "/kept-" + i)
                            .expectStatus(200)
                            .json()
                            .path("execution")
                            .asText())
                    .isEqualTo(ids.get(i));
        }

        assertThat(otherApi.get(ALL + "/kept-0").problemType()).isEqualTo("not-found");
        assertThat(delete(otherApi, ALL + "/kept-0").problemType()).isEqualTo("not-found");
        assertThat(otherApi.get(ALL).expectStatus(200).json().path("items")).isEmpty();
        assertThat(otherApi.post(RestClient.EXECUTIONS, "{\"cached\": \"kept-0\"}")
                        .problemType())
                .isEqualTo("not-found");
        assertThat(otherApi.run(SubmissionBody.javascript("return 'theirs'").with("cacheAs", "\"kept-0\""))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
        assertThat(otherApi.get(ALL + "/kept-0")
                        .expectStatus(200)
                        .json()
                        .path("code")
                        .asText())
                .isEqualTo("return 'theirs'");

        assertThat(delete(api, ALL).expectStatus(200).json().path("deleted").asInt())
                .isEqualTo(RUNS);
        assertThat(api.get(ALL).expectStatus(200).json().path("items")).isEmpty();
        assertThat(otherApi.get(ALL + "/kept-0").status()).isEqualTo(200);
    }

    private static RestResponse delete(RestClient api, String path) {
        return api.send(api.request(path).DELETE());
    }
}
