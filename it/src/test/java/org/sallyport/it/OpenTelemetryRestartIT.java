package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Collector;
import org.sallyport.it.harness.Collector.Taken;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Traces over the end of a server, and a log that is JSON. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenTelemetryRestartIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String CALLER = "00f067aa0ba902b7";
    private static final String PARENT = "00-" + TRACE + "-" + CALLER + "-01";

    private final Collector collector = new Collector();
    private final SallyportServer server = collector
            .setUp(ServerSetup.fresh("traces"))
            .with("sallyport.log.format", "json")
            .start();
    private final Api api = server.api();

    @AfterAll
    void stop() {
        server.close();
        collector.close();
    }

    @BeforeEach
    void well() {
        collector.answers(200);
    }

    private JsonNode run(String script) {
        return api.send(api.submission(
                        Submission.javascript(script).json(), "Prefer", "wait=30", "traceparent", PARENT))
                .expect(200)
                .json();
    }

    @Test
    void recordsOfTheLogAreObjectsAndNameTheTraceOfTheExecution() {
        // Refusals are told once a minute.
        String line = Await.value("a refused call is in the log", PATIENCE, () -> {
            run("await demo.add({ a: 'no number' }).catch(() => 0)");
            return server.logText()
                    .lines()
                    .filter(each -> each.contains(" was refused: ") && each.contains(TRACE))
                    .findFirst();
        });

        JsonNode entry = Json.read(line);
        assertThat(entry.path("level").asText()).isEqualTo("INFO");
        assertThat(entry.path("trace").asText()).isEqualTo(TRACE);
        assertThat(entry.path("message").asText())
                .contains(entry.path("execution").asText(), "invalid-arguments");
        assertThat(api.execution(entry.path("execution").asText())
                        .path("traceId")
                        .asText())
                .isEqualTo(TRACE);
    }

    @Test
    void whatANodeHadNotToldWhenItWasKilledIsToldByTheNextUnderTheSameIds() {
        collector.answers(503);
        String told = run("return await demo.add({ a: 1, b: 1 })").path("id").asText();
        String open = api.submit(Submission.javascript(
                        "await demo.add({ a: 2, b: 2 }); await demo.kv_put({ key: 'otel', value: 1 }); console.log('half');"
                                + " await sleep('25s'); return await demo.add({ a: 3, b: 3 })")
                .limit("wallMillis", 200_000));
        api.awaitOutput(open, "half");
        Await.until("the collector has refused", PATIENCE, () -> collector.refused() > 0);
        String expected = api.execution(told).path("traceparent").asText();

        server.kill();
        collector.answers(200);
        server.begin();
        server.awaitReady();

        Taken root = collector.awaitRoot(told);
        assertThat("00-" + root.trace() + "-" + root.id() + "-01").isEqualTo(expected);
        assertThat(root.parent()).isEqualTo(CALLER);
        JsonNode ended = api.awaitEnd(open);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        Taken resumed = collector.awaitRoot(open);
        assertThat(resumed.attributes()).containsEntry("sallyport.attempts", "2");
        assertThat(ended.path("traceparent").asText()).contains(resumed.id());
        assertThat(List.of(collector.call(open, 1), collector.call(open, 2), collector.call(open, 3)))
                .allSatisfy(call -> assertThat(call.parent()).isEqualTo(resumed.id()));
        assertThat(collector.taken().stream()
                        .filter(span -> span.attributes()
                                .getOrDefault("sallyport.call.id", "")
                                .startsWith(open)))
                .hasSize(3);
    }

    @Test
    void whatHasEndedIsToldBeforeTheNodeStops() {
        String last = run("return 1").path("id").asText();

        server.stop();

        assertThat(collector.taken())
                .anySatisfy(span -> assertThat(span.attributes()).containsEntry("sallyport.execution.id", last));
        server.begin();
        server.awaitReady();
    }
}
