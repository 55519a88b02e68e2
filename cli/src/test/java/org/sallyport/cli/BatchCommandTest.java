package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.cli.api.ApiJson;

class BatchCommandTest {
    private static final String BATCHES = "POST /api/v1/batches";
    private static final String RESULTS = "GET /api/v1/batches/b1/results";
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
        service.answer(RESULTS, 200, LINES);
    }

    @Test
    void resultsArePrintedLineByLine() {
        batch("'counts':{'COMPLETED':1}");

        assertThat(sallyport.run(
                        "batch",
                        "all.ndjson",
                        "--max-parallel",
                        "3",
                        "--stop",
                        "--atomic",
                        "--coalesce",
                        "--share-reads"))
                .isZero();

        assertThat(sallyport.out()).isEqualTo(LINES);
        assertThat(sallyport.err()).contains("1 COMPLETED");
        assertThat(service.requests)
                .contains(BATCHES + "?atomic=true&coalesce=true&maxParallel=3&onFailure=stop&shareReads=true");
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

    @Test
    void rowsOfACsvFileRunACapability() throws IOException {
        Files.writeString(directory.resolve("rows.csv"), "name\nlamp\n");
        batch("'capability':'shop.refund@1.0.0','counts':{'COMPLETED':1}");

        assertThat(sallyport.run("batch", "--capability", "shop.refund@1.0.0", "rows.csv"))
                .isZero();
        assertThat(sallyport.run("batch", "--capability", "shop.refund", "rows.csv", "--no-wait"))
                .isZero();

        assertThat(service.requests)
                .contains(BATCHES + "?capability=shop.refund&version=1.0.0", BATCHES + "?capability=shop.refund");
        assertThat(service.bodies).contains("name\nlamp\n");
    }

    @Test
    void refusedRowIsNamedByItsLine() throws IOException {
        Files.writeString(directory.resolve("rows.csv"), "name\nlamp\n");
        batch("'counts':{},'items':[{'index':0,'problem':{'detail':'no','sourceLine':2}}]");

        assertThat(sallyport.run("batch", "--capability", "shop.refund", "rows.csv"))
                .isEqualTo(ExitCode.FAILED.code());

        assertThat(sallyport.err()).contains("Line 2 was refused: no");
    }

    @Test
    void rowsWithoutACapabilityAreAUsageError() throws IOException {
        Files.writeString(directory.resolve("rows.csv"), "name\nlamp\n");

        assertThat(sallyport.run("batch", "rows.csv")).isEqualTo(ExitCode.USAGE.code());

        assertThat(sallyport.err()).contains("--capability");
        assertThat(service.requests).isEmpty();
    }

    @Test
    void resultsAreWrittenToAFile() throws IOException {
        batch("'counts':{'COMPLETED':1}");

        assertThat(sallyport.run("batch", "all.ndjson", "--out", "results.ndjson"))
                .isZero();
        assertThat(service.acceptHeaders.get(RESULTS)).startsWith("application/x-ndjson,");
        assertThat(sallyport.run("batch", "all.ndjson", "--out", "x.csv")).isZero();
        assertThat(service.acceptHeaders.get(RESULTS)).startsWith("text/csv,");
        service.acceptHeaders.clear();
        assertThat(sallyport.run("batches", "results", "b1", "--out", "results.CSV"))
                .isZero();
        assertThat(service.acceptHeaders.get(RESULTS)).startsWith("text/csv,");

        assertThat(sallyport.out()).isEmpty();
        assertThat(directory.resolve("results.ndjson")).hasContent(LINES);
        assertThat(directory.resolve("x.csv")).hasContent(LINES);
        assertThat(directory.resolve("results.CSV")).hasContent(LINES);
        assertThat(directory.resolve("results.CSV.part")).doesNotExist();
    }

    @Test
    void fileThatCannotBeWrittenIsNamed() {
        batch("'counts':{'COMPLETED':1}");

        assertThat(sallyport.run("batch", "all.ndjson", "--out", "none/results.csv"))
                .isEqualTo(ExitCode.USAGE.code());

        assertThat(sallyport.err()).contains("none/results.csv");
    }

    @Test
    void batchesAreListedShownCancelledAndRetried() {
        batch("'capability':'shop.refund@1.0.0','counts':{'COMPLETED':1}");
        String one = "{\"id\":\"b1\",\"total\":1,\"refused\":0,\"finished\":true,\"counts\":{\"FAILED\":1},"
                + "\"createdAt\":\"2026-06-08T15:00:45Z\",\"capability\":\"shop.refund@1.0.0\"}";
        service.answer("GET /api/v1/batches?limit=25", 200, "{\"items\":[" + one + "],\"next\":null}");
        service.answer("POST /api/v1/batches/b1/cancel", 202, one);
        service.answer("POST /api/v1/batches/b1/retry", 202, one);

        assertThat(sallyport.run("batches")).isZero();
        assertThat(sallyport.out()).contains("b1").contains("shop.refund@1.0.0").contains("1 FAILED");
        assertThat(sallyport.run("batches", "list", "--json")).isZero();
        assertThat(sallyport.run("batches", "show", "b1")).isZero();
        assertThat(sallyport.err()).contains("ended: 1 COMPLETED of 1 items");
        service.answer(
                "POST /api/v1/batches/b1/cancel",
                202,
                one.replace(
                        "\"id\"",
                        "\"submittedBy\":\"k1\",\"cancellation\":{\"requestedBy\":\"k2\","
                                + "\"reason\":\"wrong rows\"},\"id\""));
        assertThat(sallyport.run("batches", "cancel", "b1", "--reason", "wrong rows"))
                .isZero();
        assertThat(service.bodies).contains("{\"reason\":\"wrong rows\"}");
        assertThat(sallyport.err()).contains("submitted by k1\n", "cancelled by k2: wrong rows\n");
        assertThat(sallyport.run("batches", "retry", "b1", "--no-wait")).isZero();
        assertThat(sallyport.run("batches", "retry", "b1")).isEqualTo(ExitCode.FAILED.code());
    }

    @Test
    void progressShowsTheRateAndTheTimeThatIsLeft() throws IOException {
        AtomicLong now = new AtomicLong();
        BatchProgress progress = new BatchProgress(now::get);
        String state = "{\"total\":100,\"refused\":10,\"counts\":{\"PENDING\":%d,\"COMPLETED\":%d}}";

        assertThat(progress.line(ApiJson.parse(state.formatted(80, 10)))).doesNotContain("/s");
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));

        assertThat(progress.line(ApiJson.parse(state.formatted(60, 30))))
                .isEqualTo("[#########...............] 40/100  60 PENDING, 30 COMPLETED, 10 refused"
                        + "  2.0/s, 30 s left");
    }
}
