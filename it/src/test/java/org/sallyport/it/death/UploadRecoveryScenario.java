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
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.SallyportServer;

/** The temporary data of an unfinished upload is deleted. */
final class UploadRecoveryScenario implements RecoveryScenario, AutoCloseable {
    private static final String LINE = "{\"code\": \"return 1\"}\n";

    private final SallyportServer server;
    private final String key;
    private @Nullable RawHttpConnection client;

    UploadRecoveryScenario(SallyportServer server, String key) {
        this.server = server;
        this.key = key;
    }

    private Path bodyDirectory() {
        return server.dataDirectory().resolve("batches");
    }

    @Override
    public void prepare() {
        client = new RawHttpConnection(server.url());
        client.send("POST /api/v1/batches HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-ndjson\r\n"
                + "Authorization: Bearer " + key + "\r\nContent-Length: 1000000\r\n\r\n" + LINE.repeat(5_000));
        Await.until("the body is taken", Duration.ofSeconds(120), () -> Files.isDirectory(bodyDirectory()));
    }

    @Override
    public void assertRecovered() {
        try (Stream<Path> left = Files.list(bodyDirectory())) {
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
