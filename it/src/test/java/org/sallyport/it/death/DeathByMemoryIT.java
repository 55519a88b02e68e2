package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.FailpointControl;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.UseServer;

/**
 * A server whose memory runs out while it writes large journals opens its database again, and has everything that it
 * had accepted.
 */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.FAILPOINTS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeathByMemoryIT {
    private static final int OUT_OF_MEMORY_EXIT_CODE = 3;
    private static final Duration DEATH_TIMEOUT = Duration.ofMinutes(4);
    private static final long WALL_MILLIS = Duration.ofMinutes(30).toMillis();
    /** Each call has its own argument and its own result: the database shares no text between them. */
    private static final String LARGE_JOURNAL = """
            const text = '\\u20ac'.repeat(150000);
            for (let i = 0; i < args; i++) await demo.slow({ millis: 0, value: i + text });
            return args;
            """;

    private final FailpointControl failpoints = FailpointControl.shared();
    private final SallyportServer server;
    private final RestClient api;
    /** The result of each accepted execution, by its id. */
    private final Map<String, Integer> accepted = new LinkedHashMap<>();

    DeathByMemoryIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @Test
    void nothingIsLostWhenMemoryRunsOut() {
        assertNothingIsLost(1, 2, 15);
    }

    @Test
    @Tag("slow")
    void nothingIsLostWhenMemoryRunsOutManyTimes() {
        assertNothingIsLost(Integer.getInteger("deaths", 8), 4, 30);
    }

    /**
     * @param largeCount large journals that are written at each death; those that were not finished before count too
     * @param largeCalls calls in a large journal
     */
    private void assertNothingIsLost(int deaths, int largeCount, int largeCalls) {
        accepted.clear();
        for (int death = 1; death <= deaths; death++) {
            long unfinished = countUnfinished(largeCalls);
            LongStream.range(unfinished, largeCount).forEach(i -> accept(LARGE_JOURNAL, largeCalls));
            // A different number of commits each time, so that the process dies at different steps of the scripts.
            failpoints.armMemoryExhaustion(Failpoint.COMMITTED, 5 + 7 * death % 60);
            List<String> last = acceptUntilDeath(largeCalls + 1);
            assertThat(server.awaitExitCode(DEATH_TIMEOUT)).isEqualTo(OUT_OF_MEMORY_EXIT_CODE);
            failpoints.disarm();

            server.startProcess();
            server.awaitReady();
            String description = "death " + death;
            last.forEach(id -> assertThat(api.getExecution(id).path("id").asText())
                    .as(description)
                    .isEqualTo(id));
        }
        accepted.forEach((id, result) -> {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
            assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(result);
        });
        assertThat(api.listExecutionIds()).doesNotHaveDuplicates().containsAll(accepted.keySet());
        accepted.forEach((id, result) -> {
            if (result != largeCalls) {
                assertEndedOnce(id);
            }
        });
        // Without an answer, a submission may have been stored. It must not run beside the tests of another class.
        Await.until(
                "every execution has ended",
                DEATH_TIMEOUT,
                () -> api.listExecutionIds(execution -> !RestClient.isFinished(execution))
                        .isEmpty());
    }

    /** Counts the accepted executions with this result that have not ended. */
    private long countUnfinished(int result) {
        Set<String> unfinished = Set.copyOf(api.listExecutionIds(execution -> !RestClient.isFinished(execution)));
        return accepted.entrySet().stream()
                .filter(entry -> entry.getValue() == result && unfinished.contains(entry.getKey()))
                .count();
    }

    private String accept(String script, int args) {
        // The wall-clock time of an execution goes on while the server is down.
        String id = api.submit(
                SubmissionBody.javascript(script).args(Integer.toString(args)).limit("wallMillis", WALL_MILLIS));
        accepted.put(id, args);
        return id;
    }

    /**
     * Submits small executions until the server does not answer any more. Returns their ids.
     *
     * @param firstResult the result of the first; each next one has the next number
     */
    private List<String> acceptUntilDeath(int firstResult) {
        List<String> ids = new ArrayList<>();
        long end = System.nanoTime() + DEATH_TIMEOUT.toNanos();
        while (server.isAlive() && System.nanoTime() < end) {
            try {
                ids.add(accept("return args", firstResult + ids.size()));
            } catch (AssertionError e) {
                // The server refuses, or is about to die: not accepted.
                Thread.onSpinWait();
            }
            pause();
        }
        return ids;
    }

    /** Some dozens of executions are enough: the restarted server runs all of them. */
    private static void pause() {
        try {
            Thread.sleep(25);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private void assertEndedOnce(String id) {
        assertThat(api.getTrace(id))
                .filteredOn(event -> event.path("type").asText().equals("state")
                        && event.path("state").asText().equals("COMPLETED"))
                .hasSize(1);
    }
}
