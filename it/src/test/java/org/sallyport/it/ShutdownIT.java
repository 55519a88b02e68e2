package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.StoppedDatabase;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.UseServer;

/**
 * A server that is asked to stop lets its executions end first, up to its grace period. The last class that uses its
 * server, so that no other class starts it again.
 */
@Order(1)
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.SMALL)
class ShutdownIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String ENDED_EXECUTION = "select e.state || ', attempt ' || e.attempt || ': '"
            + " || cast(o.result as varchar) from execution e join execution_outcome o on o.execution_id = e.id"
            + " where e.id = ?";

    private final SallyportServer server;

    ShutdownIT(SallyportServer server) {
        this.server = server;
    }

    @Test
    void toolRepliesAreReceivedDuringShutdownAndNoProcessIsLeft() {
        RestClient api = server.api();
        String counter = UUID.randomUUID().toString();
        String id = api.submit(SubmissionBody.javascript("""
                console.log('begun');
                const first = await demo.counter_increment({ name: args, delayMillis: 3000 });
                return [first, await demo.add({ a: first, b: 1 })];
                """).args("\"" + counter + "\""));
        api.awaitOutput(id, "begun");
        List<ProcessHandle> below = server.descendants();
        assertThat(below).isNotEmpty();

        server.stop();
        Await.until(
                "nothing that the server started lives",
                TIMEOUT,
                () -> below.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(StoppedDatabase.queryText(server.dataDirectory(), ENDED_EXECUTION, UUID.fromString(id)))
                .isEqualTo("COMPLETED, attempt 1: [1,2]");
    }

    @Tag("slow")
    @Test
    void executionPastTheGracePeriodResumesAfterItsLastReply() {
        try (SallyportServer impatient = ServerSetup.create("shutdown").start()) {
            executionPastTheGracePeriodResumesAfterItsLastReply(impatient);
        }
    }

    private static void executionPastTheGracePeriodResumesAfterItsLastReply(SallyportServer server) {
        RestClient api = server.api();
        String counter = "\"" + UUID.randomUUID() + "\"";
        List<String> ids = IntStream.range(0, ServerProfile.MAX_LIVE_EXECUTIONS)
                .mapToObj(i -> api.submit(SubmissionBody.javascript("""
                        console.log('begun');
                        let calls = 0;
                        while (calls < 40) {
                          await demo.counter_increment({ name: args, delayMillis: 400 });
                          calls++;
                        }
                        return calls;
                        """).args(counter)))
                .toList();
        ids.forEach(id -> api.awaitOutput(id, "begun"));

        server.stop();
        server.startProcess();
        server.awaitReady();

        for (String id : ids) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(40);
            assertThat(ended.path("attempt").asInt()).isEqualTo(2);
        }
        JsonNode ledger = api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args(counter))
                .path("result");
        assertThat(ledger).hasSize(ids.size() * 40).doesNotHaveDuplicates();
    }
}
