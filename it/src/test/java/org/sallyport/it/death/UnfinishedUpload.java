package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.SallyportServer;

/** A body that was under way is not kept for ever. */
final class UnfinishedUpload implements Promise, AutoCloseable {
    private static final String LINE = "{\"code\": \"return 1\"}\n";

    private final SallyportServer server;
    private final String key;
    private @Nullable RawClient client;

    UnfinishedUpload(SallyportServer server, String key) {
        this.server = server;
        this.key = key;
    }

    private Path bodies() {
        return server.data().resolve("batches");
    }

    @Override
    public void make() {
        client = new RawClient(server.url());
        client.send("POST /api/v1/batches HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-ndjson\r\n"
                + "Authorization: Bearer " + key + "\r\nContent-Length: 1000000\r\n\r\n" + LINE.repeat(5_000));
        Await.until("the body is taken", Duration.ofSeconds(120), () -> Files.isDirectory(bodies()));
    }

    @Override
    public void assertKept() {
        try (Stream<Path> left = Files.list(bodies())) {
            assertThat(left).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
