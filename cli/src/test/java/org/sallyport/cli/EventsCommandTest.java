package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands for events. */
class EventsCommandTest {
    private static final String EVENTS = "/api/v1/events";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private static String event(String id, String name, String data) {
        return "id: " + id + "\nevent: " + name + "\ndata: " + data.replace('\'', '"') + "\n\n";
    }

    @Test
    void emitSendsNameAndPayload() throws IOException {
        service.answer("POST " + EVENTS, 201, "{\"seq\":7}");
        assertThat(sallyport.run("events", "emit", "order\u001b.paid", "--payload", "{\"n\":1.50}"))
                .isZero();
        assertThat(service.bodies)
                .containsExactly(
                        "{\"name\":\"order\u001b.paid\",\"payload\":{\"n\":1.50}}".replace("\u001b", "\\u001B"));
        assertThat(sallyport.err()).contains("event 7").doesNotContain("\u001b");
        Files.writeString(directory.resolve("p.json"), "[1]");
        assertThat(sallyport.run("events", "emit", "a", "--payload", "@p.json", "--json"))
                .isZero();
        assertThat(sallyport.out()).contains("\"seq\" : 7");
        assertThat(sallyport.run("events", "emit", "a")).isZero();
        assertThat(service.bodies).contains("{\"name\":\"a\",\"payload\":[1]}", "{\"name\":\"a\"}");
        assertThat(sallyport.run("events", "emit", "a", "--payload", "text")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("events")).isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void emitIsRepeatedAfterAnErrorOfTheService() {
        service.answerOnce("POST " + EVENTS, 503, "{}").answer("POST " + EVENTS, 201, "{\"seq\":7}");
        assertThat(sallyport.run("events", "emit", "a")).isZero();
        assertThat(service.requests).filteredOn(("POST " + EVENTS)::equals).hasSize(2);
    }

    @Test
    void followContinuesAfterTheLastIdAndPrintsEachEventOnce() {
        service.answerOnce(
                "GET " + EVENTS,
                200,
                event("4", "event", "{'seq':4,'name':'a\\u001b','payload':{'x':1},'at':'2026-06-08T15:00:45Z'}")
                        + "id: 5\n\n"
                        + event("9", "gap", "{'from':6,'to':9}")
                        + event("9", "end", "{'reason':'slow-reader','detail':'too many'}"));
        service.answerOnce(
                "GET " + EVENTS,
                200,
                event("8", "reset", "{'after':9,'last':8}")
                        + event("10", "event", "{'seq':10,'name':'b','payload':null}"));
        assertThat(sallyport.run("events", "follow", "--name", "a", "--name", "b", "--after", "3", "--count", "2"))
                .isZero();
        assertThat(sallyport.out())
                .startsWith("2026-06-08T15:00:45Z  4  a")
                .contains("{\"x\":1}", "10  b  null")
                .doesNotContain("\u001b");
        assertThat(sallyport.err()).contains("Events 6 to 9 were deleted", "too many", "Continuing after event 8");
        assertThat(service.requests)
                .containsExactly("GET " + EVENTS + "?name=a&name=b", "GET " + EVENTS + "?name=a&name=b");
        assertThat(service.lastEventIds).containsExactly("3", "9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"id: 5\n", "id: 5\nevent: event\n", "id: 5\nevent: event\ndata: {\"seq\":5}\n"})
    void followReadsAnEventAgainThatTheConnectionCut(String cut) {
        String whole = event("5", "event", "{'seq':5,'name':'b','payload':'whole'}");
        service.answerOnce("GET " + EVENTS, 200, event("4", "event", "{'seq':4,'name':'a','payload':1}") + cut);
        service.answerOnce("GET " + EVENTS, 200, whole);
        assertThat(sallyport.run("events", "follow", "--after", "3", "--count", "2"))
                .isZero();
        assertThat(service.lastEventIds).containsExactly("3", "4");
        assertThat(sallyport.out()).contains("4  a  1", "5  b  \"whole\"");
    }

    @Test
    void followStopsWhenTheServiceRefuses() {
        service.answer("GET " + EVENTS, 429, "{\"title\":\"Too many requests\",\"detail\":\"100 streams are open\"}");
        assertThat(sallyport.run("events", "follow")).isEqualTo(ExitCode.REFUSED.code());
        assertThat(sallyport.err()).contains("100 streams are open");
    }
}
