package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputPrinterTest {
    private static final String EXECUTION = "GET /api/v1/executions/" + FakeService.ID;
    private static final String PIECES = EXECUTION + "/output/pieces";
    private static final String BOTH_STREAMS = "'output':'one\\ntwo\\n','errorOutput':'oh\\ndear\\n'";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    /** Starts a service that refuses event streams, so that {@code run} polls. */
    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        service.answer(
                EXECUTION + "/events",
                429,
                FakeService.problem(429, "rate-limited", "Too many", "100 streams are open")
                        .body());
        sallyport = new CommandLineFixture(directory, service);
        Files.writeString(directory.resolve("script.ts"), "return 3;\n");
    }

    @AfterEach
    void close() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run script.ts", "logs " + FakeService.ID, "show " + FakeService.ID})
    void oneRequestForTheOrderPrintsBothStreams(String command) {
        service.stage("COMPLETED", BOTH_STREAMS);

        run(command);

        assertThat(sallyport.screen()).contains("oh\none\ndear\ntwo\n");
        assertThat(requestsForPieces()).containsExactly(PIECES + "?errorOffset=0&outputOffset=0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"logs " + FakeService.ID, "show " + FakeService.ID})
    void outputIsPrintedInSeveralPagesUpToTheLengthsInTheResponse(String command) {
        service.stage("COMPLETED", BOTH_STREAMS).limitPieces(1);

        run(command);

        assertThat(sallyport.screen()).contains("oh\none\ndear\ntwo\n");
        assertThat(requestsForPieces())
                .containsExactly(
                        PIECES + "?errorOffset=0&outputOffset=0",
                        PIECES + "?errorOffset=3&outputOffset=0",
                        PIECES + "?errorOffset=3&outputOffset=4",
                        PIECES + "?errorOffset=8&outputOffset=4");
    }

    @Test
    void scriptThatWritesContinuouslyDoesNotDelayTheEndOfTheCommand() {
        service.stage("RUNNING", "'output':'one\\n','errorOutput':'oh\\n'")
                .stage("RUNNING", BOTH_STREAMS)
                .limitPieces(1);

        run("logs " + FakeService.ID);

        assertThat(sallyport.screen()).isEqualTo("oh\none\n");
        assertThat(requestsForPieces()).hasSize(2);
    }

    @Test
    void eachPollPrintsOnePageAndTheEndPrintsTheOthers() {
        service.stage("RUNNING", BOTH_STREAMS)
                .stage("RUNNING", BOTH_STREAMS)
                .stage("COMPLETED", BOTH_STREAMS)
                .limitPieces(1);

        run("run script.ts");

        assertThat(sallyport.screen()).startsWith("oh\none\ndear\ntwo\n");
        assertThat(requestsForOutput())
                .containsExactly(
                        EXECUTION + "?errorOffset=0&outputOffset=0&wait=1",
                        PIECES + "?errorOffset=0&outputOffset=0",
                        EXECUTION + "?errorOffset=3&outputOffset=0&wait=1",
                        PIECES + "?errorOffset=3&outputOffset=0",
                        EXECUTION + "?errorOffset=3&outputOffset=4&wait=1",
                        PIECES + "?errorOffset=3&outputOffset=4",
                        PIECES + "?errorOffset=8&outputOffset=4");
    }

    @Test
    void approvalIsNotedBeforeAllOutputIsPrinted() {
        service.stage("WAITING", BOTH_STREAMS + ",'waitingFor':{'reason':'approval'}")
                .stage("COMPLETED", BOTH_STREAMS)
                .limitPieces(1);

        run("run script.ts");

        assertThat(sallyport.err()).startsWith("Waiting for an approval. See: sallyport approvals\noh\n");
    }

    @Test
    void printingContinuesInTheMiddleOfALine() {
        service.stage("RUNNING", "'output':'one\\nt'").stage("COMPLETED", BOTH_STREAMS);

        run("run script.ts");

        assertThat(sallyport.screen()).startsWith("one\ntoh\ndear\nwo\n");
        assertThat(sallyport.out()).isEqualTo("one\ntwo\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run script.ts", "logs " + FakeService.ID, "show " + FakeService.ID})
    void serviceWithoutPiecesIsAskedOnceAndItsTextIsPrinted(String command) {
        service.stage("COMPLETED", BOTH_STREAMS).answer(PIECES, 404, notFound());

        run(command);

        assertThat(sallyport.screen()).startsWith("one\ntwo\noh\ndear\n");
        assertThat(requestsForPieces()).hasSize(1);
    }

    @Test
    void pollsOfAServiceWithoutPiecesPrintTheTextOfEachResponse() {
        service.stage("RUNNING", "'output':'one\\n','errorOutput':'oh\\n'")
                .stage("COMPLETED", BOTH_STREAMS)
                .answer(PIECES, 404, notFound());

        run("run script.ts");

        assertThat(sallyport.screen()).startsWith("one\noh\ntwo\ndear\n");
        assertThat(requestsForPieces()).hasSize(1);
    }

    @Test
    void serviceThatLosesThePiecesBetweenPagesPrintsEachCharacterOnce() {
        service.stage("COMPLETED", BOTH_STREAMS)
                .answerOnce(PIECES, 200, "{\"pieces\":[{\"stream\":\"error-output\",\"offset\":0,\"text\":\"oh\\n\"}]}")
                .answer(PIECES, 404, notFound());

        run("logs " + FakeService.ID);

        assertThat(sallyport.screen()).isEqualTo("oh\none\ntwo\ndear\n");
    }

    @Test
    void emptyPageDoesNotHideTheTextOfTheResponse() {
        service.stage("COMPLETED", BOTH_STREAMS).answer(PIECES, 200, "{\"pieces\":[]}");

        run("logs " + FakeService.ID);

        assertThat(sallyport.screen()).isEqualTo("one\ntwo\noh\ndear\n");
    }

    private void run(String command) {
        assertThat(sallyport.run(command.split(" ", -1))).isZero();
    }

    private static String notFound() {
        return FakeService.problem(404, "not-found", "Not found", "There is nothing here.")
                .body();
    }

    private List<String> requestsForPieces() {
        return service.requests.stream()
                .filter(request -> request.startsWith(PIECES))
                .toList();
    }

    /** The requests for the execution with offsets, and for pieces. */
    private List<String> requestsForOutput() {
        return service.requests.stream()
                .filter(request -> request.startsWith(EXECUTION) && request.contains("outputOffset"))
                .toList();
    }
}
