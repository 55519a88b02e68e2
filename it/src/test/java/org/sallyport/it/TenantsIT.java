package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/** What belongs to one tenant is not there for another. */
@ExtendWith(Servers.class)
@Server(Profile.SMALL)
class TenantsIT {
    private static final int ROUNDS = 100;
    private static final String BACKENDS = "/api/v1/backends";

    private final SallyportServer server;

    TenantsIT(SallyportServer server) {
        this.server = server;
    }

    @Test
    void anotherTenantsExecutionsAreNotThere() {
        Api ours = server.api();
        Api theirs = Tenant.of(server).api();
        String our = ours.run(Submission.javascript("return 'ours'")).path("id").asText();
        String their =
                theirs.run(Submission.javascript("return 'theirs'")).path("id").asText();

        for (String part : List.of("", "/code", "/trace", "/journal", "/diff?with=" + our)) {
            assertThat(theirs.get(Api.EXECUTIONS + "/" + our + part).problem()).isEqualTo("not-found");
            assertThat(ours.get(Api.EXECUTIONS + "/" + their + part).problem()).isEqualTo("not-found");
        }
        assertThat(theirs.post(Api.EXECUTIONS + "/" + our + "/rerun", "{}").problem())
                .isEqualTo("not-found");
        assertThat(theirs.get(Api.EXECUTIONS + "/" + their + "/diff?with=" + our)
                        .problem())
                .isEqualTo("not-found");
        assertThat(theirs.cancel(our).problem()).isEqualTo("not-found");
        assertThat(theirs.ids()).contains(their).doesNotContain(our).doesNotContainAnyElementsOf(ours.ids());
        assertThat(ours.ids()).contains(our).doesNotContain(their);
        theBackendsOfAllAreNotForThemToLookInto(ours, theirs);

        atTheSameMomentEachSeesItsOwn(ours, our, theirs, their);
    }

    private static void theBackendsOfAllAreNotForThemToLookInto(Api ours, Api theirs) {
        ours.post(BACKENDS, """
                        {"name": "inner", "kind": "mcp-stdio", "enabled": false, "settings": {"command": "/inner/place"}}
                        """).expect(201);
        String path = BACKENDS + "/inner";
        assertThat(ours.get(path).expect(200).text()).contains("inner", "/inner/place");
        assertThat(theirs.get(path).expect(200).text()).contains("inner").doesNotContain("/inner/place", "settings");
    }

    private static void atTheSameMomentEachSeesItsOwn(Api ours, String our, Api theirs, String their) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            answers.add(ours.sendAsync(ours.request(Api.EXECUTIONS + "/" + our)));
            answers.add(theirs.sendAsync(theirs.request(Api.EXECUTIONS + "/" + our)));
            answers.add(theirs.sendAsync(theirs.request(Api.EXECUTIONS + "/" + their)));
            answers.add(ours.sendAsync(ours.request(Api.EXECUTIONS + "/" + their)));
        }
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i).join().status()).as("request %s", i).isEqualTo(i % 2 == 0 ? 200 : 404);
        }
        Set<String> foreign = Set.copyOf(theirs.ids());
        assertThat(Stream.of(our)).noneMatch(foreign::contains);
    }
}
