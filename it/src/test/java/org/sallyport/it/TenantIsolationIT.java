package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Objects of one tenant are not found by other tenants. */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.SMALL)
class TenantIsolationIT {
    private static final int ROUNDS = 100;
    private static final String BACKENDS = "/api/v1/backends";

    private final SallyportServer server;

    TenantIsolationIT(SallyportServer server) {
        this.server = server;
    }

    @Test
    void executionsOfAnotherTenantAreNotFound() {
        RestClient ours = server.api();
        RestClient theirs = TestTenant.of(server).api();
        String our =
                ours.run(SubmissionBody.javascript("return 'ours'")).path("id").asText();
        String their = theirs.run(SubmissionBody.javascript("return 'theirs'"))
                .path("id")
                .asText();

        for (String part : List.of("", "/code", "/trace", "/journal", "/diff?with=" + our)) {
            assertThat(theirs.get(RestClient.EXECUTIONS + "/" + our + part).problemType())
                    .isEqualTo("not-found");
            assertThat(ours.get(RestClient.EXECUTIONS + "/" + their + part).problemType())
                    .isEqualTo("not-found");
        }
        assertThat(theirs.post(RestClient.EXECUTIONS + "/" + our + "/rerun", "{}")
                        .problemType())
                .isEqualTo("not-found");
        assertThat(theirs.get(RestClient.EXECUTIONS + "/" + their + "/diff?with=" + our)
                        .problemType())
                .isEqualTo("not-found");
        assertThat(theirs.cancel(our).problemType()).isEqualTo("not-found");
        assertThat(theirs.listExecutionIds())
                .contains(their)
                .doesNotContain(our)
                .doesNotContainAnyElementsOf(ours.listExecutionIds());
        assertThat(ours.listExecutionIds()).contains(our).doesNotContain(their);
        theBackendsOfAllAreNotForThemToLookInto(ours, theirs);

        atTheSameMomentEachSeesItsOwn(ours, our, theirs, their);
    }

    private static void theBackendsOfAllAreNotForThemToLookInto(RestClient ours, RestClient theirs) {
        ours.post(BACKENDS, """
                        {"name": "inner", "kind": "mcp-stdio", "enabled": false, "settings": {"command": \
                        "/inner/place"}}
                        """).expectStatus(201);
        String path = BACKENDS + "/inner";
        assertThat(ours.get(path).expectStatus(200).text()).contains("inner", "/inner/place");
        assertThat(theirs.get(path).expectStatus(200).text())
                .contains("inner")
                .doesNotContain("/inner/place", "settings");
    }

    private static void atTheSameMomentEachSeesItsOwn(RestClient ours, String our, RestClient theirs, String their) {
        List<CompletableFuture<RestResponse>> answers = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            answers.add(ours.sendAsync(ours.request(RestClient.EXECUTIONS + "/" + our)));
            answers.add(theirs.sendAsync(theirs.request(RestClient.EXECUTIONS + "/" + our)));
            answers.add(theirs.sendAsync(theirs.request(RestClient.EXECUTIONS + "/" + their)));
            answers.add(ours.sendAsync(ours.request(RestClient.EXECUTIONS + "/" + their)));
        }
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i).join().status()).as("request %s", i).isEqualTo(i % 2 == 0 ? 200 : 404);
        }
        Set<String> foreign = Set.copyOf(theirs.listExecutionIds());
        assertThat(Stream.of(our)).noneMatch(foreign::contains);
    }
}
