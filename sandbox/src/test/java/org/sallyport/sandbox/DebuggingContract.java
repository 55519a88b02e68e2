package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract for debugging scripts in every kind of sandbox. */
public abstract class DebuggingContract {
    private static final SessionLimits LIMITS =
            new SessionLimits(60_000, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5);

    protected abstract Sandbox sandbox();

    private RecordingListener start(String code, SandboxDebugMode debug) {
        return start(code, SourceLanguage.JAVASCRIPT, debug);
    }

    private RecordingListener start(String code, SourceLanguage language, SandboxDebugMode debug) {
        return RecordingListener.start(
                sandbox(),
                new SessionRequest(
                        "d",
                        "t",
                        new Script(code, language),
                        "{\"n\":1}",
                        "{}",
                        LIMITS,
                        new Toolbox(List.of(new GuestTool("demo", "echo")), List.of()),
                        "{}",
                        debug,
                        ReplayState.NONE,
                        0));
    }

    @Test
    void debuggerStopsAtABreakpointInspectsAndSteps() throws Exception {
        RecordingListener session = start("""
                let sum = args.n;
                sum += (await tools.demo.echo({ a: 20 })).a;
                sum *= 2;
                return sum;
                """, SandboxDebugMode.INSPECT_BREAK);
        String url = session.url();
        assertThat(url).matches("ws://127\\.0\\.0\\.1:\\d{4,5}/[0-9a-f]{32}");
        try (DevToolsClient tools = DevToolsClient.attach(url)) {
            tools.send("Runtime.enable", "{}");
            tools.send("Debugger.enable", "{}");
            tools.send("Debugger.setBreakpointByUrl", "{\"url\":\"script\",\"lineNumber\":2}");
            tools.send("Runtime.runIfWaitingForDebugger", "{}");
            tools.await("Debugger.paused");
            tools.send("Debugger.resume", "{}");
            JsonNode paused = tools.await("Debugger.paused");
            assertThat(line(paused)).isEqualTo(2);
            assertThat(evaluate(tools, paused, "sum")).isEqualTo(21);
            tools.send("Debugger.stepOver", "{}");
            JsonNode stepped = tools.await("Debugger.paused");
            assertThat(line(stepped)).isEqualTo(3);
            assertThat(evaluate(tools, stepped, "sum")).isEqualTo(42);
            tools.send("Debugger.resume", "{}");
            assertThat(session.end()).isEqualTo(new SessionResult.ScriptReturned("42"));
        }
    }

    /** Line numbers are those of the author: neither removed types nor the code generated for an enum shifts them. */
    @Test
    void typeScriptBreakpointUsesTheOriginalLine() throws Exception {
        RecordingListener session = start("""
                enum Size {
                  Small = 1,
                  Large = 10,
                }
                interface Order {
                  size: Size;
                  count: number;
                }
                const order: Order = { size: Size.Large, count: args.n as number };
                let sum: number = order.size * order.count;
                sum += 1;
                return sum;
                """, SourceLanguage.TYPESCRIPT, SandboxDebugMode.INSPECT_BREAK);
        try (DevToolsClient tools = DevToolsClient.attach(session.url())) {
            tools.send("Runtime.enable", "{}");
            tools.send("Debugger.enable", "{}");
            tools.send("Debugger.setBreakpointByUrl", "{\"url\":\"script\",\"lineNumber\":10}");
            tools.send("Runtime.runIfWaitingForDebugger", "{}");
            tools.await("Debugger.paused");
            tools.send("Debugger.resume", "{}");
            JsonNode paused = tools.await("Debugger.paused");
            assertThat(line(paused)).isEqualTo(10);
            assertThat(evaluate(tools, paused, "sum")).isEqualTo(10);
            tools.send("Debugger.resume", "{}");
            assertThat(session.end()).isEqualTo(new SessionResult.ScriptReturned("11"));
        }
    }

    private static JsonNode frame(JsonNode paused) {
        return paused.path("callFrames").path(0);
    }

    private static int line(JsonNode paused) {
        return frame(paused).path("location").path("lineNumber").asInt(-1);
    }

    private static int evaluate(DevToolsClient tools, JsonNode paused, String expression) throws InterruptedException {
        String id = frame(paused).path("callFrameId").asText();
        return tools.send(
                        "Debugger.evaluateOnCallFrame",
                        "{\"callFrameId\":\"" + id + "\",\"expression\":\"" + expression + "\"}")
                .path("result")
                .path("value")
                .asInt(-1);
    }

    @Test
    void scriptRunsWithoutAnAttachedDebugger() throws Exception {
        RecordingListener session = start("return args.n", SandboxDebugMode.INSPECT);
        assertThat(session.url()).startsWith("ws://127.0.0.1:");
        assertThat(session.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
    }

    @Test
    void scriptWaitingForItsDebuggerCanBeCancelled() throws Exception {
        RecordingListener session = start("return args.n", SandboxDebugMode.INSPECT_BREAK);
        session.url();
        session.session().cancel();
        assertThat(session.end()).isEqualTo(new SessionResult.SessionCancelled());
    }

    @Test
    void profileShowsTheBusyFunction() throws Exception {
        RecordingListener session = start("""
                function busy(until) { let n = 0; while (performance.now() < until) n++; return n; }
                function outer() { return busy(performance.now() + 1000); }
                outer();
                return 'done';
                """, SandboxDebugMode.PROFILE);
        assertThat(session.end()).isEqualTo(new SessionResult.ScriptReturned("\"done\""));
        JsonNode profile = DevToolsClient.parse(session.profile());
        assertThat(profile.path("samples")).hasSizeGreaterThan(10).hasSameSizeAs(profile.path("timeDeltas"));
        Set<Integer> ids = new HashSet<>();
        profile.path("nodes")
                .forEach(node -> assertThat(ids.add(node.path("id").asInt())).isTrue());
        assertThat(profile.path("samples")).allMatch(id -> ids.contains(id.asInt()));
        assertThat(profile.path("nodes"))
                .allSatisfy(node -> assertThat(node.path("children")).allMatch(id -> ids.contains(id.asInt())))
                .anySatisfy(node -> {
                    assertThat(node.path("callFrame").path("functionName").asText())
                            .isEqualTo("busy");
                    assertThat(node.path("callFrame").path("lineNumber").asInt())
                            .isZero();
                    assertThat(node.path("hitCount").asInt()).isGreaterThan(3);
                });
        assertThat(profile.path("endTime").asLong())
                .isGreaterThan(profile.path("startTime").asLong());
    }
}
