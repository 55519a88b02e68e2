package org.sallyport.connector.sallyport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.connector.http.Origin;

/** Requests that have their time. */
class ThereTest {
    private final OtherDoor door = new OtherDoor();
    private final There there = new There(
            new Origin(
                    door.url(),
                    new Origin.Manner(true, 4, 1024 * 1024, Duration.ofSeconds(30)),
                    InetAddress::getAllByName),
            OtherDoor.KEY);

    ThereTest() throws IOException {}

    @AfterEach
    void stop() {
        there.close();
        door.close();
    }

    @Test
    void anAnswerThatOnlyTricklesIsGivenUp() {
        door.next((other, exchange, body) -> {
            exchange.sendResponseHeaders(200, 0);
            for (int i = 0; i < 200; i++) {
                exchange.getResponseBody().write(' ');
                exchange.getResponseBody().flush();
                LockSupport.parkNanos(50_000_000);
            }
            exchange.close();
            return true;
        });
        Origin.Request request = new Origin.Request();
        assertThatThrownBy(() ->
                        There.within(Duration.ofMillis(300), request, () -> there.get("/executions/any", request)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not answer within 300 ms");
    }

    @Test
    void whatIsAnsweredInTimeMayBeAskedAgain() throws IOException {
        Origin.Request request = new Origin.Request();
        for (int i = 0; i < 2; i++) {
            assertThat(There.within(Duration.ofSeconds(20), request, () -> there.get("/tools", request))
                            .status())
                    .isEqualTo(200);
        }
    }
}
