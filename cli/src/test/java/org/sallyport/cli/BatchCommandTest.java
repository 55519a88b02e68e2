package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchCommandTest {
    private static final String BATCHES = "POST /api/v1/batches";
    private static final String LINES = "{\"index\":0,\"result\":1}\n{\"index\":1,\"problem\":{}}\n";

    private static final String BUSY =
            "{\"type\":\"urn:sallyport:problem:unavailable\",\"title\":\"Busy\",\"status\":503}";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("all.ndjson"), "{\"code\":\"return 1\"}\n");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private void batch(String members) {
        String json = "{\"id\":\"b1\",\"total\":1,\"refused\":0,\"finished\":true," + members.replace('\'', '"') + "}";
        service.answer(BATCHES, 202, json);
        service.answer("GET /api/v1/batches/b1", 200, json);
        service.answer("GET /api/v1/batches/b1/results", 200, LINES);
    }

    @Test
    void resultsArePrintedLineByLine() {
        batch("'counts':{'COMPLETED':1}");

        assertThat(sallyport.run("batch", "all.ndjson", "--max-parallel", "3", "--stop", "--atomic", "--share-reads"))
                .isZero();

        assertThat(sallyport.out()).isEqualTo(LINES);
        assertThat(sallyport.err()).contains("1 COMPLETED");
        assertThat(service.requests).contains(BATCHES + "?atomic=true&maxParallel=3&onFailure=stop&shareReads=true");
    }

    @Test
    void terminalShowsAProgressBar() {
        String begun = "{\"id\":\"b1\",\"total\":4,\"refused\":0,\"finished\":false,\"counts\":"
                + "{\"COMPLETED\":1,\"FAILED\":1,\"RUNNING\":1,\"PENDING\":1}}";
        batch("'counts':{'COMPLETED':1}");
        service.answer(BATCHES, 202, begun);

        assertThat(sallyport.withTerminalErrors().run("batch", "all.ndjson")).isZero();

        assertThat(sallyport.err()).contains("\r[############............] 2/4");
        assertThat(sallyport.out()).isEqualTo(LINES);
    }

    @Test
    void refusedOrFailedItemsSetTheExitCode() {
        batch("'counts':{'FAILED':1},'items':[{'index':0,'problem':{'detail':'no'}}]");

        assertThat(sallyport.run("batch", "all.ndjson")).isEqualTo(ExitCode.FAILED.code());

        assertThat(sallyport.err()).contains("Item 0 was refused: no");
    }

    @Test
    void noWaitPrintsOnlyTheId() {
        batch("'counts':{}");

        assertThat(sallyport.run("batch", "all.ndjson", "--no-wait")).isZero();

        assertThat(sallyport.out()).isEqualTo("b1\n");
    }

    private void underWayAndThenBusy() {
        String begun = "{\"id\":\"b1\",\"total\":1,\"refused\":0,\"finished\":false,\"counts\":{\"RUNNING\":1}}";
        batch("'counts':{'COMPLETED':1}");
        service.answer(BATCHES, 202, begun);
        service.answerOnce("GET /api/v1/batches/b1", 200, begun).answerOnce("GET /api/v1/batches/b1", 503, BUSY);
    }

    @Test
    void brieflyBusyServiceDoesNotEndTheWait() {
        underWayAndThenBusy();

        assertThat(sallyport.run("batch", "all.ndjson")).isZero();

        assertThat(sallyport.out()).isEqualTo(LINES);
    }

    @Test
    void followOptionResumesABatchByItsId() {
        underWayAndThenBusy();

        assertThat(sallyport.withTerminalErrors().run("batch", "--follow", "b1"))
                .isZero();

        assertThat(sallyport.out()).isEqualTo(LINES);
        assertThat(sallyport.err()).contains("0/1").contains("1 COMPLETED");
        assertThat(service.requests).doesNotContain(BATCHES);
    }

    @Test
    void followOptionExcludesASubmission() {
        assertThat(sallyport.run("batch", "all.ndjson", "--follow", "b1")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("batch", "--follow", "b1", "--stop")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.run("batch")).isEqualTo(ExitCode.USAGE.code());

        assertThat(service.requests).isEmpty();
    }

    @Test
    void missingFileIsAUsageError() {
        assertThat(sallyport.run("batch", "none.ndjson")).isEqualTo(ExitCode.USAGE.code());
    }
}
