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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Looking into scripts, and what scripts import, on a service where an operator allows it. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
class DebuggingIT {
    private static final Pattern URL = Pattern.compile("Debugger listening on (ws://127\\.0\\.0\\.1:\\d+/[0-9a-f]+)\n");

    private final SallyportServer server;

    DebuggingIT(SallyportServer server) {
        this.server = server;
    }

    /** A debugger that lets the script go on. */
    private static final class ResumeWhenPaused implements WebSocket.Listener {
        private final StringBuilder heard = new StringBuilder();
        private CompletableFuture<?> said = CompletableFuture.completedFuture(null);

        /** One after the other: what is sent while another message is on its way is not sent. */
        synchronized void say(WebSocket socket, String message) {
            said = said.thenCompose(before -> socket.sendText(message, true));
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            heard.append(part);
            if (last && heard.indexOf("\"Debugger.paused\"") >= 0) {
                say(socket, "{\"id\":3,\"method\":\"Debugger.resume\"}");
            }
            if (last) {
                heard.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    private static Submission debugged(String code, String mode) {
        return Submission.javascript(code).with("debug", TextNode.valueOf(mode));
    }

    @Test
    void aDebuggerFindsItsAddressInTheErrorOutput() throws IOException {
        Api api = server.api();
        String id = api.submit(debugged("return 6 * 7", "inspect-brk"));
        Matcher url = URL.matcher(
                api.awaitErrorOutput(id, "Open in Chrome").path("errorOutput").asText());
        assertThat(url.find()).isTrue();
        ResumeWhenPaused resuming = new ResumeWhenPaused();
        WebSocket debugger = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(url.group(1)), resuming)
                .join();
        resuming.say(debugger, "{\"id\":0,\"method\":\"Runtime.enable\"}");
        resuming.say(debugger, "{\"id\":1,\"method\":\"Debugger.enable\"}");
        resuming.say(debugger, "{\"id\":2,\"method\":\"Runtime.runIfWaitingForDebugger\"}");
        assertThat(api.awaitEnd(id).path("result").asInt()).isEqualTo(42);
        debugger.abort();
    }

    @Test
    void aProfileIsKeptAsAnArtifact() {
        Api api = server.api();
        JsonNode ended = api.run(debugged(
                "function busy(end) { while (performance.now() < end); } busy(performance.now() + 2000); return 1",
                "profile"));
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        JsonNode profile = api.get(Api.EXECUTIONS + "/" + ended.path("id").asText() + "/artifacts/profile.cpuprofile")
                .expect(200)
                .json();
        assertThat(profile.path("samples")).hasSizeGreaterThan(5);
        assertThat(profile.path("nodes").findValuesAsText("functionName")).contains("busy");
    }

    @Test
    void registeredModulesAreImported() {
        JsonNode ended = server.api().run(Submission.typescript("""
                        import { shout } from 'shout';
                        return [shout('a'), require('shout@1.0.0').shout('b'), (await import('shout')).shout('c')];
                        """));
        assertThat(ended.path("result")).as(ended.toString()).hasToString("[\"A!\",\"B!\",\"C!\"]");
        JsonNode refused = server.api().run(Submission.javascript("require('fs')"));
        assertThat(refused.path("error").path("code").asText()).isEqualTo("module-not-allowed");
    }

    @Test
    void whoMayOnlySubmitDebugsNothing() {
        String secret = server.api()
                .post("/api/v1/api-keys", "{\"name\": \"debugging\", \"roles\": [\"submitter\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
        Api submitter = server.api().as(secret);
        for (String mode : List.of("inspect", "inspect-brk", "profile")) {
            assertThat(submitter
                            .post(Api.EXECUTIONS, debugged("return 1", mode).json())
                            .expect(403)
                            .problem())
                    .as(mode)
                    .isEqualTo("forbidden");
        }
        assertThat(submitter
                        .run(Submission.javascript("return 1"))
                        .path("result")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void debuggingIsOffUnlessAllowed(@Server(Profile.PLAIN) Api elsewhere) {
        assertThat(elsewhere
                        .post(Api.EXECUTIONS, debugged("return 1", "inspect").json())
                        .expect(403)
                        .problem())
                .isEqualTo("forbidden");
        assertThat(server.api()
                        .post(Api.EXECUTIONS, debugged("return 1", "peek").json())
                        .expect(400)
                        .problem())
                .isEqualTo("validation");
    }
}
