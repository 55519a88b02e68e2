package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Expendable;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** What a killed server has accepted of a batch is run by the next one, once each and within the same bounds. */
@Tag("slow")
@ExtendWith(Servers.class)
class BatchRestartIT {
    private static final int ITEMS = 60;

    private final SallyportServer server;

    BatchRestartIT(@Expendable SallyportServer server) {
        this.server = server;
    }

    private static String batch(String bound, String counter) {
        return "{\"items\": [" + IntStream.range(0, ITEMS).mapToObj(i -> "{}").collect(Collectors.joining(","))
                + "], \"defaults\": {\"code\": \"await demo.counter_increment({ name: context })\", \"context\": \""
                + counter + "\"}" + bound + "}";
    }

    @Test
    void batchesOutliveTheServerThatTookThem() {
        Api api = server.api();
        String counter = UUID.randomUUID().toString();
        List<JsonNode> batches = List.of(
                api.post("/api/v1/batches", batch("", counter)).expect(202).json(),
                api.post("/api/v1/batches", batch(", \"maxParallel\": 2", counter))
                        .expect(202)
                        .json());

        server.kill();
        server.begin();
        server.awaitReady();

        for (JsonNode batch : batches) {
            String path = "/api/v1/batches/" + batch.path("id").asText();
            Await.until(
                    path + " has ended",
                    Duration.ofSeconds(180),
                    () -> api.get(path).expect(200).json().path("finished").asBoolean());
            JsonNode counts = api.get(path).json().path("counts");
            int unknown = counts.path("FAILED").asInt();
            // A call that was under way when the server died may have happened: it is not made twice.
            assertThat(unknown).isLessThanOrEqualTo(Servers.EXPENDABLE_PLACES);
            assertThat(counts.path("COMPLETED").asInt() + unknown).isEqualTo(ITEMS);
        }
        JsonNode ledger = api.run(Submission.javascript("return demo.counter_ledger({ name: args });")
                        .args(Json.write(Json.object().put("name", counter).path("name"))))
                .path("result");
        assertThat(ledger).doesNotHaveDuplicates();
    }

    @Test
    void aBodyThatWasUnderWayIsNotKeptForEver() throws IOException {
        Path bodies = server.data().resolve("batches");
        String line = "{\"code\": \"return 1\"}\n";
        try (RawClient client = new RawClient(server.url())) {
            client.send("POST /api/v1/batches HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-ndjson\r\n"
                    + "Authorization: Bearer " + server.adminKey() + "\r\nContent-Length: 1000000\r\n\r\n"
                    + line.repeat(5_000));
            Await.until("the body is taken", Duration.ofSeconds(120), () -> Files.isDirectory(bodies));
            server.kill();
        }
        server.begin();
        server.awaitReady();

        try (Stream<Path> left = Files.list(bodies)) {
            assertThat(left).isEmpty();
        }
    }
}
