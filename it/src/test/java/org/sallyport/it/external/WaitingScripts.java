package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Running scripts that wait for an event, so that a test decides when they continue.
 *
 * @param event name of the event
 * @param ids ids of their executions
 */
record WaitingScripts(RestClient api, String event, List<String> ids) {
    /** Twice the number of connections to the database, so that a pool of this size has no free thread. */
    private static final int CALLERS = 32;

    /** Starts many scripts that print {@code calls} and call a tool. Returns when all of them wait. */
    static WaitingScripts startCallers(RestClient api) {
        return start(api, CALLERS, """
                console.log('calls');
                try {
                  return await demo.echo('echo');
                } catch (e) {
                  return e.code;
                }
                """);
    }

    /** Starts a few scripts that end without a call. Returns when all of them wait. */
    static WaitingScripts startWithoutCalls(RestClient api) {
        return start(api, 10, "return 'done';");
    }

    /** Starts {@code number} scripts. Returns when all of them wait. */
    private static WaitingScripts start(RestClient api, int number, String code) {
        String event = "continue." + UUID.randomUUID();
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
        return new WaitingScripts(api, event, ids);
    }

    /** Lets all of them continue. */
    void resume() {
        api.post("/api/v1/events", "{\"name\": \"" + event + "\"}").expectStatus(201);
    }

    /** Returns when each of them has printed the text. */
    void awaitOutput(String text) {
        ids.forEach(id -> api.awaitOutput(id, text));
    }

    /** Lets all of them continue and waits until they have completed. Returns how long that took. */
    Duration resumeAndAwaitEnd() {
        long start = System.nanoTime();
        resume();
        awaitCompleted();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Returns when all of them have completed. Fails if one ends in another way. */
    void awaitCompleted() {
        for (String id : ids) {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        }
    }
}
