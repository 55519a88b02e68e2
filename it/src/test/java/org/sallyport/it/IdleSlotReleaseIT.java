package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Scripts that only wait release their slots to other executions, even though none of them waits long enough to be
 * parked.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdleSlotReleaseIT {
    private static final int MAX_LIVE_EXECUTIONS = 4;

    private SallyportServer server;
    private RestClient api;

    @BeforeAll
    void start() {
        server = ServerSetup.create("crowded")
                .with("sallyport.runner.max-live-executions", Integer.toString(MAX_LIVE_EXECUTIONS))
                .with("sallyport.runner.park-after-millis", "60000")
                .start();
        api = server.api();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void waitingScriptsReleaseTheirSlotsAndCompleteNormally() {
        String sleeps =
                "console.log('before'); const at = Date.now(); await sleep(25000); return Date.now() - at >= 25000";
        String calls = "console.log('before'); return await demo.slow({ millis: 25000, value: true })";
        List<String> waiting = Stream.of(sleeps, calls, sleeps, calls)
                .map(code -> api.submit(SubmissionBody.javascript(code).limit("wallMillis", 120_000)))
                .toList();
        waiting.forEach(api::awaitRunning);

        for (int i = 0; i < 2 * MAX_LIVE_EXECUTIONS; i++) {
            assertThat(api.run(SubmissionBody.javascript("return 7").limit("wallMillis", 120_000))
                            .path("result")
                            .asInt())
                    .isEqualTo(7);
        }
        assertThat(waiting).as("those who wait still do").noneMatch(id -> RestClient.isFinished(api.getExecution(id)));

        for (String id : waiting) {
            assertThat(api.awaitEnd(id).path("result").asBoolean()).isTrue();
            assertThat(api.getExecution(id).path("output").asText()).isEqualTo("before\n");
        }
    }
}
