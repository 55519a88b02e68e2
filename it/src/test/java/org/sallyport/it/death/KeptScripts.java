package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.IntStream;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Submission;

/** An end and the script that it keeps are there together, and for one tenant alone. */
final class KeptScripts implements Promise {
    private static final String ALL = "/api/v1/scripts";
    private static final int RUNS = 12;

    private final Api api;
    private final Api theirs;
    private List<String> ids = List.of();

    KeptScripts(Api api, Api theirs) {
        this.api = api;
        this.theirs = theirs;
    }

    @Override
    public void make() {
        ids = IntStream.range(0, RUNS)
                .mapToObj(i -> api.submit(Submission.javascript("await sleep(" + (i * 40) + "); return " + i)
                        .with("cacheAs", "\"kept-" + i + "\"")))
                .toList();
        api.awaitEnd(ids.get(0));
    }

    @Override
    public void assertKept() {
        for (int i = 0; i < RUNS; i++) {
            // What is seen as completed is kept at that moment, whichever life of the server wrote it.
            JsonNode seen = api.execution(ids.get(i));
            int status = api.get(ALL + "/kept-" + i).status();
            if (seen.path("state").asText().equals("COMPLETED")) {
                assertThat(status).isEqualTo(200);
            }
            assertThat(api.awaitEnd(ids.get(i)).path("state").asText()).isEqualTo("COMPLETED");
            assertThat(api.get(ALL + "/kept-" + i)
                            .expect(200)
                            .json()
                            .path("execution")
                            .asText())
                    .isEqualTo(ids.get(i));
        }

        assertThat(theirs.get(ALL + "/kept-0").problem()).isEqualTo("not-found");
        assertThat(delete(theirs, ALL + "/kept-0").problem()).isEqualTo("not-found");
        assertThat(theirs.get(ALL).expect(200).json().path("items")).isEmpty();
        assertThat(theirs.post(Api.EXECUTIONS, "{\"cached\": \"kept-0\"}").problem())
                .isEqualTo("not-found");
        assertThat(theirs.run(Submission.javascript("return 'theirs'").with("cacheAs", "\"kept-0\""))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
        assertThat(theirs.get(ALL + "/kept-0").expect(200).json().path("code").asText())
                .isEqualTo("return 'theirs'");

        assertThat(delete(api, ALL).expect(200).json().path("deleted").asInt()).isEqualTo(RUNS);
        assertThat(api.get(ALL).expect(200).json().path("items")).isEmpty();
        assertThat(theirs.get(ALL + "/kept-0").status()).isEqualTo(200);
    }

    private static Answer delete(Api api, String path) {
        return api.send(api.request(path).DELETE());
    }
}
