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
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.FakeOtlpCollector;
import org.sallyport.it.harness.FakeOtlpCollector.ReceivedSpan;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Traces that continue after a server restart, and a log in JSON. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenTelemetryRestartIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String CALLER_SPAN_ID = "00f067aa0ba902b7";
    private static final String TRACEPARENT = "00-" + TRACE_ID + "-" + CALLER_SPAN_ID + "-01";

    private final FakeOtlpCollector collector = new FakeOtlpCollector();
    private final SallyportServer server = collector
            .configure(ServerSetup.create("traces"))
            .with("sallyport.log.format", "json")
            .start();
    private final RestClient api = server.api();

    @AfterAll
    void stop() {
        server.close();
        collector.close();
    }

    @BeforeEach
    void resetCollector() {
        collector.respondWith(200);
    }

    private JsonNode run(String script) {
        return api.send(api.submissionRequest(
                        SubmissionBody.javascript(script).json(), "Prefer", "wait=30", "traceparent", TRACEPARENT))
                .expectStatus(200)
                .json();
    }

    @Test
    void logRecordsAreJsonAndNameTheTraceOfTheExecution() {
        // The service logs refusals once a minute.
        String line = Await.untilPresent("a refused call is in the log", TIMEOUT, () -> {
            run("await demo.add({ a: 'no number' }).catch(() => 0)");
            return server.logText()
                    .lines()
                    .filter(each -> each.contains(" was refused: ") && each.contains(TRACE_ID))
                    .findFirst();
        });

        JsonNode entry = TestJson.read(line);
        assertThat(entry.path("level").asText()).isEqualTo("INFO");
        assertThat(entry.path("trace").asText()).isEqualTo(TRACE_ID);
        assertThat(entry.path("message").asText())
                .contains(entry.path("execution").asText(), "invalid-arguments");
        assertThat(api.getExecution(entry.path("execution").asText())
                        .path("traceId")
                        .asText())
                .isEqualTo(TRACE_ID);
    }

    @Test
    void nextNodeExportsSpansOfAKilledNodeWithTheSameIds() {
        collector.respondWith(503);
        String finished =
                run("return await demo.add({ a: 1, b: 1 })").path("id").asText();
        String open = api.submit(SubmissionBody.javascript(
                        "await demo.add({ a: 2, b: 2 }); await demo.kv_put({ key: 'otel', value: 1 }); "
                                + "console.log('half');"
                                + " await sleep('25s'); return await demo.add({ a: 3, b: 3 })")
                .limit("wallMillis", 200_000));
        api.awaitOutput(open, "half");
        Await.until("the collector has refused", TIMEOUT, () -> collector.rejectedRequests() > 0);
        String expected = api.getExecution(finished).path("traceparent").asText();

        server.kill();
        collector.respondWith(200);
        server.startProcess();
        server.awaitReady();

        ReceivedSpan root = collector.awaitExecutionSpan(finished);
        assertThat("00-" + root.traceId() + "-" + root.spanId() + "-01").isEqualTo(expected);
        assertThat(root.parentSpanId()).isEqualTo(CALLER_SPAN_ID);
        JsonNode ended = api.awaitEnd(open);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        ReceivedSpan resumed = collector.awaitExecutionSpan(open);
        assertThat(resumed.attributes()).containsEntry("sallyport.attempts", "2");
        assertThat(ended.path("traceparent").asText()).contains(resumed.spanId());
        assertThat(List.of(
                        collector.awaitCallSpan(open, 1),
                        collector.awaitCallSpan(open, 2),
                        collector.awaitCallSpan(open, 3)))
                .allSatisfy(call -> assertThat(call.parentSpanId()).isEqualTo(resumed.spanId()));
        assertThat(collector.receivedSpans().stream()
                        .filter(span -> span.attributes()
                                .getOrDefault("sallyport.call.id", "")
                                .startsWith(open)))
                .hasSize(3);
    }

    @Test
    void endedSpansAreExportedBeforeTheNodeStops() {
        String last = run("return 1").path("id").asText();

        server.stop();

        assertThat(collector.receivedSpans())
                .anySatisfy(span -> assertThat(span.attributes()).containsEntry("sallyport.execution.id", last));
        server.startProcess();
        server.awaitReady();
    }
}
