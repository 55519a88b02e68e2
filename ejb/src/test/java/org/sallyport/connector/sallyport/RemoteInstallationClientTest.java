package org.sallyport.connector.sallyport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.connector.http.SingleOriginHttpClient;

/** Timeouts of requests to another installation. */
class RemoteInstallationClientTest {
    private final FakeInstallation installation = new FakeInstallation();
    private final RemoteInstallationClient remote = new RemoteInstallationClient(
            new SingleOriginHttpClient(
                    installation.url(),
                    new SingleOriginHttpClient.OriginClientOptions(true, 4, 1024 * 1024, Duration.ofSeconds(30)),
                    InetAddress::getAllByName),
            FakeInstallation.KEY);

    RemoteInstallationClientTest() throws IOException {}

    @AfterEach
    void stop() {
        remote.close();
        installation.close();
    }

    @Test
    void tricklingResponseTimesOut() {
        installation.enqueue((other, exchange, body) -> {
            exchange.sendResponseHeaders(200, 0);
            for (int i = 0; i < 200; i++) {
                exchange.getResponseBody().write(' ');
                exchange.getResponseBody().flush();
                LockSupport.parkNanos(50_000_000);
            }
            exchange.close();
            return true;
        });
        SingleOriginHttpClient.AbortableRequest request = new SingleOriginHttpClient.AbortableRequest();
        assertThatThrownBy(() -> RemoteInstallationClient.withTimeout(
                        Duration.ofMillis(300), request, () -> remote.get("/executions/any", request)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not answer within 300 ms");
    }

    @Test
    void requestMayBeReusedAfterAResponseInTime() throws IOException {
        SingleOriginHttpClient.AbortableRequest request = new SingleOriginHttpClient.AbortableRequest();
        for (int i = 0; i < 2; i++) {
            assertThat(RemoteInstallationClient.withTimeout(
                                    Duration.ofSeconds(20), request, () -> remote.get("/tools", request))
                            .status())
                    .isEqualTo(200);
        }
    }
}
