package org.sallyport.cli.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HttpClientFactoryTest {

    @Test
    void selectorThreadsOfClientsAreStopped() throws Exception {
        // A privileged port: never assigned as an ephemeral port, so no process listens there.
        URI unreachable = URI.create("http://127.0.0.1:1");
        Set<Thread> others = selectors();
        HttpClient client = new HttpClientFactory().createClient(unreachable, Duration.ofSeconds(1));
        assertThatThrownBy(() -> client.send(HttpRequest.newBuilder(unreachable).build(), BodyHandlers.ofString()))
                .isInstanceOf(IOException.class);
        Thread selector = selectors().stream()
                .filter(thread -> !others.contains(thread))
                .findFirst()
                .orElseThrow();

        HttpClientFactory.stopSelectorThreads();

        selector.join(60_000);
        assertThat(selector.isAlive()).isFalse();
    }

    private static Set<Thread> selectors() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("HttpClient-.*-SelectorManager"))
                .collect(Collectors.toSet());
    }
}
