package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.FaultInjectingProxy;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;

/**
 * The broker keeps its connections and does not answer. Sends to it wait. What needs no broker must not wait with them:
 * running scripts that call no tool, and requests.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SilentBrokerIT {
    /** Twice the number of connections to the database, so that no pool of this size has a free thread. */
    private static final int OPEN_CALLS = 32;

    private static final int OTHER_SCRIPTS = 10;
    private static final Duration MAX_TIME = Duration.ofSeconds(1);

    private final BrokerProcess broker = BrokerProcess.start();
    private final FaultInjectingProxy proxy = new FaultInjectingProxy(broker.port());
    private final SallyportServer server = broker.configure(ServerSetup.create("silent-broker"), proxy.port())
            .with("sallyport.limits.call-millis", "10000")
            .with("sallyport.runner.resend-millis", "2000")
            .start();
    private final RestClient api = server.api();

    @AfterAll
    void end() {
        server.close();
        proxy.close();
        broker.close();
    }

    @Test
    void suspendedBrokerDelaysOnlyWhatNeedsIt() {
        assertOtherWorkContinues(broker::pause, broker::resume);
    }

    @Test
    void brokerThatNeverReadsDelaysOnlyWhatNeedsIt() {
        assertOtherWorkContinues(proxy::stopReading, proxy::resumeReading);
    }

    private void assertOtherWorkContinues(Runnable silence, Runnable recovery) {
        TimingCalibration pace = TimingCalibration.of(api);
        String key = UUID.randomUUID().toString();
        List<String> callers = startWaiting(OPEN_CALLS, "call." + key, """
                console.log('calls');
                try {
                  return await demo.echo('echo');
                } catch (e) {
                  return e.code;
                }
                """);
        List<String> others = startWaiting(OTHER_SCRIPTS, "finish." + key, "console.log('ends'); return 'done';");
        Duration longest = Duration.ZERO;
        silence.run();
        try {
            emit("call." + key);
            callers.forEach(id -> api.awaitOutput(id, "calls"));
            long start = System.nanoTime();
            emit("finish." + key);
            for (String id : others) {
                JsonNode ended = api.awaitEnd(id);
                assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("done");
                longest = Duration.ofNanos(System.nanoTime() - start);
            }
        } finally {
            recovery.run();
        }
        for (String id : callers) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        }
        server.awaitReady();
        // The connections to the broker work again before the time of a script is measured a second time.
        api.run(SubmissionBody.javascript("return demo.echo(1);"));
        assertThat(longest).isLessThan(pace.adjustLimit(MAX_TIME));
    }

    /** Starts scripts that wait for an event before they run {@code code}. */
    private List<String> startWaiting(int number, String event, String code) {
        String script = """
                const next = events.next('EVENT');
                await sleep(1);
                console.log('waits');
                await next;
                """.replace("EVENT", event) + code;
        List<String> ids = Stream.generate(() -> api.submit(SubmissionBody.javascript(script)))
                .limit(number)
                .toList();
        ids.forEach(id -> api.awaitOutput(id, "waits"));
        return ids;
    }

    private void emit(String event) {
        api.post("/api/v1/events", "{\"name\": \"" + event + "\"}").expectStatus(201);
    }
}
