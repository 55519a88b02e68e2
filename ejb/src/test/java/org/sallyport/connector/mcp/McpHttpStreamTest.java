package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Answers over Streamable HTTP that are streams, which may end before the answer. */
class McpHttpStreamTest {
    private static final String NOTE = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
            + "\"params\":{\"level\":\"info\",\"data\":\"half\"}}\n\n";

    private final McpHarness harness = new McpHarness();
    private final ScriptedHttpServer server = new ScriptedHttpServer();
    /** The answer to the call whose stream ended. */
    private final AtomicReference<String> answer = new AtomicReference<>("");

    @BeforeEach
    void connect() {
        harness.add("far", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\",\"trustHints\":true}");
        harness.await("far", BackendState.READY);
        harness.await(
                "a stream of its own is not offered",
                () -> !server.received("GET").isEmpty());
        server.answer("GET", this::continueStream);
    }

    @AfterEach
    void close() {
        harness.close();
        server.close();
    }

    private static Optional<String> lastEventId(HttpExchange exchange) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst("Last-Event-ID"));
    }

    /** Sends the rest of a stream to a client that knows its last event. */
    private void continueStream(HttpExchange exchange, JsonNode none) throws IOException {
        if (lastEventId(exchange).equals(Optional.of("e2"))) {
            ScriptedHttpServer.endedStream(exchange, "id: e3\ndata: " + answer.get() + "\n\n");
        } else {
            ScriptedHttpServer.empty(exchange, 405);
        }
    }

    private void answerCalls(String events, boolean cut) {
        server.answer("tools/call", (exchange, request) -> {
            answer.set(ScriptedHttpServer.textResult(request, "late"));
            if (cut) {
                ScriptedHttpServer.cutStream(exchange, events);
            } else {
                ScriptedHttpServer.endedStream(exchange, events);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"read, false", "read, true", "write, false", "write, true"})
    void streamThatEndsBehindAnEventIdIsContinued(String tool, boolean cut) {
        answerCalls("id: e1\nretry: 100\ndata: \n\nid: e2\n" + NOTE, cut);
        assertThat(harness.value("far." + tool, "{}")).isEqualTo("\"late\"");
        assertThat(server.received("tools/call")).hasSize(1);
        assertThat(server.received("GET"))
                .last()
                .satisfies(get -> assertThat(get.header("Mcp-Session-Id")).contains("s-1"))
                .satisfies(get -> assertThat(get.header("Accept")).contains("text/event-stream"));
    }

    @Test
    void pauseOfTheServerIsKept() {
        long retryMillis = 700;
        AtomicLong ended = new AtomicLong();
        AtomicLong continued = new AtomicLong();
        server.answer("tools/call", (exchange, request) -> {
            answer.set(ScriptedHttpServer.textResult(request, "late"));
            ended.set(System.nanoTime());
            ScriptedHttpServer.endedStream(exchange, "id: e2\nretry: " + retryMillis + "\ndata: \n\n");
        });
        server.answer("GET", (exchange, none) -> {
            continued.set(System.nanoTime());
            continueStream(exchange, none);
        });
        assertThat(harness.value("far.read", "{}")).isEqualTo("\"late\"");
        assertThat(continued.get() - ended.get()).isGreaterThanOrEqualTo(retryMillis * 1_000_000);
    }

    @Test
    void streamMayEndAnyNumberOfTimesWhileItAdvances() {
        AtomicInteger resumes = new AtomicInteger();
        answerCalls("id: e0\nretry: 1\ndata: \n\n", false);
        server.answer("GET", (exchange, none) -> {
            int number = resumes.incrementAndGet();
            if (number <= McpHttpExchange.MAX_FRUITLESS_RESUMES * 2) {
                ScriptedHttpServer.endedStream(exchange, "id: p" + number + "\nretry: 1\ndata: \n\n");
            } else {
                ScriptedHttpServer.endedStream(exchange, "data: " + answer.get() + "\n\n");
            }
        });
        assertThat(harness.value("far.read", "{}")).isEqualTo("\"late\"");
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void serverThatIsBusyIsAskedAgainForTheRest(int status) {
        AtomicInteger resumes = new AtomicInteger();
        answerCalls("id: e2\nretry: 1\ndata: \n\n", false);
        server.answer("GET", (exchange, none) -> {
            if (resumes.incrementAndGet() == 1) {
                ScriptedHttpServer.empty(exchange, status);
            } else {
                continueStream(exchange, none);
            }
        });
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"late\"");
    }

    @ParameterizedTest
    @CsvSource({
        "read,  false, ': hello\n\n', ended",
        "read,  true,  ': hello\n\n', cut",
        "write, false, ': hello\n\n', ended",
        "write, true,  ': hello\n\n', cut",
        // An empty id takes the earlier one back.
        "write, false, 'id: e2\ndata:\n\nid:\ndata:\n\n', ended",
        // The event with the id did not arrive as a whole.
        "write, true,  'id: e2\nda', cut",
        // The server does not continue this stream.
        "write, false, 'id: e1\nretry: 1\ndata:\n\n', status 405",
    })
    void streamThatCannotBeContinuedFailsAtOnce(String tool, boolean cut, String events, String reason) {
        answerCalls(events, cut);
        ToolError error = harness.error("far." + tool, "{}");
        assertThat(error.code())
                .isEqualTo(tool.equals("read") ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(error.message()).contains("not answered", reason);
    }

    @Test
    void streamThatBringsNothingFurtherIsGivenUp() {
        answerCalls("id: e1\nretry: 1\ndata:\n\n", false);
        server.answer("GET", (exchange, none) -> ScriptedHttpServer.endedStream(exchange, ": nothing\n\n"));
        ToolError error = harness.error("far.write", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(error.message()).contains("could not be continued");
        assertThat(server.received("GET")).hasSize(1 + McpHttpExchange.MAX_FRUITLESS_RESUMES + 1);
    }

    @Test
    void cancelledCallIsNotContinued() {
        AtomicInteger resumes = new AtomicInteger();
        answerCalls("id: e1\nretry: 1\ndata:\n\n", false);
        server.answer("GET", (exchange, none) -> {
            resumes.incrementAndGet();
            server.openStream(exchange, ": waiting\n\n");
        });
        CallId id = harness.nextId();
        CompletableFuture<ToolResult> call = harness.send(id, "far.read", "{}");
        harness.await("the stream is continued", () -> resumes.get() == 1);
        harness.cancel(id);
        harness.await(
                "the server is notified",
                () -> !server.received("notifications/cancelled").isEmpty());
        assertThat(call.join())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.CANCELLED));
        server.answer("tools/call", server::respond);
        assertThat(harness.value("far.read", "{}")).isEqualTo("\"done\"");
        assertThat(resumes).hasValue(1);
    }

    @Test
    void streamThatGoesOnBehindItsAnswerEndsWithTheConnection() {
        AtomicBoolean cut = new AtomicBoolean();
        server.answer("tools/call", (exchange, request) -> {
            try (OutputStream out = ScriptedHttpServer.stream(
                    exchange, "data: " + ScriptedHttpServer.textResult(request, "done") + "\n\n")) {
                while (true) {
                    out.write(": more\n\n".getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            } catch (IOException e) {
                cut.set(true);
                throw e;
            }
        });
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
        harness.backends.remove("far");
        harness.await("the stream is cut", cut::get);
    }

    @Test
    void eventsMayHaveAnyLineEndsAndComments() {
        server.answer("tools/call", (exchange, request) -> {
            String body = ScriptedHttpServer.textResult(request, "done");
            ScriptedHttpServer.endedStream(
                    exchange,
                    ": hello\r\n\r\nretry: 200\r\n\r\nevent: other\rdata: {}\r\r"
                            + "id: 1\r\nevent: message\r\ndata: " + body.substring(0, 16)
                            + "\r\ndata: " + body.substring(16) + "\r\n\r\n");
        });
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
    }

    @Test
    void streamOfTheHandshakeStartsTheSession() {
        server.answer("initialize", (exchange, request) -> {
            exchange.getResponseHeaders().set("Mcp-Session-Id", "streamed");
            ScriptedHttpServer.endedStream(exchange, "data: " + ScriptedHttpServer.initializeResult(request) + "\n\n");
        });
        harness.add("streamed", "mcp-http", "{\"url\":\"" + server.origin() + "/mcp\"}");
        harness.await("streamed", BackendState.READY);
        assertThat(server.received("tools/list").get(1).header("Mcp-Session-Id"))
                .contains("streamed");
    }

    @Test
    void messageThatIsNoJsonRpcDoesNotEndTheStream() {
        server.answer(
                "tools/call",
                (exchange, request) -> ScriptedHttpServer.endedStream(
                        exchange,
                        "data: [DONE\n\ndata: 7\n\ndata: " + ScriptedHttpServer.textResult(request, "done") + "\n\n"));
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
    }

    @Test
    void longMessageBesideTheAnswerIsSkipped() {
        String note = NOTE.replace("half", "x".repeat(5_000_000));
        server.answer(
                "tools/call",
                (exchange, request) -> ScriptedHttpServer.endedStream(
                        exchange, note + "data: " + ScriptedHttpServer.textResult(request, "done") + "\n\n"));
        assertThat(harness.value("far.write", "{}")).isEqualTo("\"done\"");
    }
}
