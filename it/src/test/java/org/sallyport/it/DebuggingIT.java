package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.UseServer;

/** Debugging of scripts, and modules that scripts import, on a service whose operator allows both. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
class DebuggingIT {
    private static final Pattern DEBUGGER_URL =
            Pattern.compile("Debugger listening on (ws://127\\.0\\.0\\.1:\\d+/[0-9a-f]+)\n");

    private final SallyportServer server;

    DebuggingIT(SallyportServer server) {
        this.server = server;
    }

    /** Debugger client that resumes the script. */
    private static final class ResumingDebuggerClient implements WebSocket.Listener {
        private final StringBuilder messageBuffer = new StringBuilder();
        private CompletableFuture<?> lastSend = CompletableFuture.completedFuture(null);

        /**
         * Sends messages one after the other, because a {@code WebSocket} rejects a message while another is being
         * sent.
         */
        synchronized void send(WebSocket socket, String message) {
            lastSend = lastSend.thenCompose(before -> socket.sendText(message, true));
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            messageBuffer.append(part);
            if (last && messageBuffer.indexOf("\"Debugger.paused\"") >= 0) {
                send(socket, "{\"id\":3,\"method\":\"Debugger.resume\"}");
            }
            if (last) {
                messageBuffer.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    private static SubmissionBody withDebugMode(String code, String mode) {
        return SubmissionBody.javascript(code).with("debug", TextNode.valueOf(mode));
    }

    @Test
    void debuggerUrlIsPrintedToTheErrorOutput() throws IOException {
        RestClient api = server.api();
        String id = api.submit(withDebugMode("return 6 * 7", "inspect-brk"));
        Matcher url = DEBUGGER_URL.matcher(
                api.awaitErrorOutput(id, "Open in Chrome").path("errorOutput").asText());
        assertThat(url.find()).isTrue();
        ResumingDebuggerClient resuming = new ResumingDebuggerClient();
        WebSocket debugger = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(url.group(1)), resuming)
                .join();
        resuming.send(debugger, "{\"id\":0,\"method\":\"Runtime.enable\"}");
        resuming.send(debugger, "{\"id\":1,\"method\":\"Debugger.enable\"}");
        resuming.send(debugger, "{\"id\":2,\"method\":\"Runtime.runIfWaitingForDebugger\"}");
        assertThat(api.awaitEnd(id).path("result").asInt()).isEqualTo(42);
        debugger.abort();
    }

    @Test
    void aProfileIsKeptAsAnArtifact() {
        RestClient api = server.api();
        JsonNode ended = api.run(withDebugMode(
                "function busy(end) { while (performance.now() < end); } busy(performance.now() + 2000); return 1",
                "profile"));
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        JsonNode profile = api.get(
                        RestClient.EXECUTIONS + "/" + ended.path("id").asText() + "/artifacts/profile.cpuprofile")
                .expectStatus(200)
                .json();
        assertThat(profile.path("samples")).hasSizeGreaterThan(5);
        assertThat(profile.path("nodes").findValuesAsText("functionName")).contains("busy");
    }

    @Test
    void registeredModulesAreImported() {
        JsonNode ended = server.api().run(SubmissionBody.typescript("""
                        import { shout } from 'shout';
                        return [shout('a'), require('shout@1.0.0').shout('b'), (await import('shout')).shout('c')];
                        """));
        assertThat(ended.path("result")).as(ended.toString()).hasToString("[\"A!\",\"B!\",\"C!\"]");
        JsonNode refused = server.api().run(SubmissionBody.javascript("require('fs')"));
        assertThat(refused.path("error").path("code").asText()).isEqualTo("module-not-allowed");
    }

    @Test
    void submitterMayNotDebug() {
        String secret = server.api()
                .post("/api/v1/api-keys", "{\"name\": \"debugging\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        RestClient submitter = server.api().withKey(secret);
        for (String mode : List.of("inspect", "inspect-brk", "profile")) {
            assertThat(submitter
                            .post(
                                    RestClient.EXECUTIONS,
                                    withDebugMode("return 1", mode).json())
                            .expectStatus(403)
                            .problemType())
                    .as(mode)
                    .isEqualTo("forbidden");
        }
        assertThat(submitter
                        .run(SubmissionBody.javascript("return 1"))
                        .path("result")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void debuggingIsOffUnlessAllowed(@UseServer(ServerProfile.PLAIN) RestClient elsewhere) {
        assertThat(elsewhere
                        .post(
                                RestClient.EXECUTIONS,
                                withDebugMode("return 1", "inspect").json())
                        .expectStatus(403)
                        .problemType())
                .isEqualTo("forbidden");
        assertThat(server.api()
                        .post(
                                RestClient.EXECUTIONS,
                                withDebugMode("return 1", "peek").json())
                        .expectStatus(400)
                        .problemType())
                .isEqualTo("validation");
    }
}
