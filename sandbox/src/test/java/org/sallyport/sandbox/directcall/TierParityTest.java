package org.sallyport.sandbox.directcall;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.ExactNumberEncoder;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.ReportedScript;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.InProcessSandbox;

/**
 * Tests with random scripts, replies and errors that a script that runs without an engine has the same calls, output
 * and end as with an engine.
 */
class TierParityTest {
    private static final int SCRIPTS = Integer.getInteger("sallyport.test.scripts", 150);

    @SuppressWarnings("NullAway.Init")
    private static Sandbox engine;

    @BeforeAll
    static void open() {
        engine = new InProcessSandbox(2);
    }

    private static final List<GuestTool> TOOLS = List.of(
            new GuestTool("demo", "echo"),
            new GuestTool("demo", "other"),
            new GuestTool("demo", "1st"),
            new GuestTool("my-backend", "echo"),
            new GuestTool("my-backend", "my.tool"),
            new GuestTool("demo", "my.tool"),
            new GuestTool("console", "echo"));

    @AfterAll
    static void close() {
        engine.close();
    }

    /** The answer of the tool: a result or an error. */
    private record FakeToolAnswer(String result, Optional<GuestError> error) {}

    /** The recorded events and the end of a run. */
    private record RecordedRun(List<String> events, SessionResult end) {}

    private static final class RunRecorder implements SessionListener {
        private final FakeToolAnswer answer;
        private final List<String> events = new ArrayList<>();
        private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
        private final CompletableFuture<SessionResult> end = new CompletableFuture<>();

        private RunRecorder(FakeToolAnswer answer) {
            this.answer = answer;
        }

        @Override
        public void onToolCall(long call, String backend, String tool, String arguments) {
            events.add(call + " " + backend + " " + tool + " " + arguments);
            session.thenAccept(started -> {
                if (answer.error().isEmpty()) {
                    started.resolve(call, answer.result());
                } else {
                    started.reject(call, answer.error().get());
                }
            });
        }

        @Override
        public void onOutput(OutputStreamKind stream, String text) {
            events.add(stream + text);
        }

        @Override
        public void onProgress(double fraction, String text) {
            events.add(fraction + text);
        }

        @Override
        public void onOutputTruncated(OutputStreamKind stream) {
            events.add("cut " + stream);
        }

        @Override
        public void onEnded(SessionResult ended) {
            end.complete(ended);
        }

        private RecordedRun run(Sandbox sandbox, SessionRequest request) throws Exception {
            session.complete(sandbox.start(request, this));
            return new RecordedRun(events, end.get(60, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void scriptRunsTheSameWithAndWithoutAnEngine(long seed) throws Exception {
        RandomCallScripts scripts = new RandomCallScripts(seed);
        int simple = 0;
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            for (int i = 0; i < SCRIPTS; i++) {
                boolean typed = scripts.chance(4);
                String generated = scripts.script(typed);
                String code = generated.contains("mcp") || generated.contains("tools")
                        ? generated
                        : RandomCallScripts.withBareRoot(generated);
                SessionRequest request = request(code, typed, scripts.any(2_000, 2_000, 2_000, 40, 3));
                if (Tier.of(request.script(), new Toolbox(TOOLS, List.of())) != Tier.SIMPLE || !fits(request)) {
                    continue;
                }
                simple++;
                assertSameRun(tiered, request, answer(scripts));
            }
        }
        assertThat(simple).as("scripts that were simple").isGreaterThan(SCRIPTS / 20);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12})
    void jsonCallRunsTheSameWithAndWithoutAnEngine(long seed) throws Exception {
        RandomCallScripts scripts = new RandomCallScripts(seed);
        int direct = 0;
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            for (int i = 0; i < SCRIPTS; i++) {
                String tool = scripts.any(
                        "demo.echo",
                        "my-backend.my.tool",
                        "my_backend.my_tool",
                        "x.y.z",
                        "demo.then",
                        "demo._1st",
                        "demo.my.tool");
                String code = "{\"tool\":\"" + tool + "\""
                        + (scripts.chance(5) ? "" : ",\"arguments\": " + scripts.reply(4)) + "}";
                SessionRequest request = request(code, scripts.chance(2), scripts.any(2_000, 2_000, 40, 3));
                if (Tier.of(request.script(), new Toolbox(TOOLS, List.of())) != Tier.DIRECT || !fits(request)) {
                    continue;
                }
                direct++;
                assertSameRun(tiered, request, answer(scripts));
            }
        }
        assertThat(direct).as("scripts that were direct").isGreaterThan(SCRIPTS / 3);
    }

    /** Declared names that are no identifiers, that have a meaning in JavaScript, or that give equal identifiers. */
    private static final List<String> ODD_NAMES = List.of(
            ("get-user|get_user|get.user|get user|get/user|3d-render|42|delete|new|import|class|await|then|catch"
                            + "|constructor|toString|toJSON|hasOwnProperty|__proto__|prototype|name|length|arguments"
                            + "|inspect|valueOf|$ref|_|-|查询|größe|grüße|e\u0301t|\u00e9t|Get-User|"
                            + "a".repeat(200) + "|" + "a".repeat(199) + "b"
                            + "|mcp__server__tool|ns:tool|tool@1.0|😀")
                    .split("\\|"));

    /** Returns the tools of the odd names; a tool's name is unlike the one that is declared. */
    private static List<GuestTool> oddTools() {
        Map<String, String> identifiers = new LinkedHashMap<>();
        ODD_NAMES.stream()
                .filter(ToolIdentifiers::isIdentifier)
                .filter(name -> name.length() < 100)
                .forEach(name -> identifiers.put(name, name));
        for (String name : ODD_NAMES) {
            String base = ToolIdentifiers.toIdentifier(name);
            String identifier = base;
            for (int number = 2; !identifiers.containsKey(name) && identifiers.containsValue(identifier); number++) {
                identifier = base + "_" + number;
            }
            identifiers.putIfAbsent(name, identifier);
        }
        List<GuestTool> tools = new ArrayList<>();
        identifiers.forEach((declared, identifier) ->
                tools.add(new GuestTool("x", "name-" + tools.size(), "{}", "x", identifier, declared)));
        // The second one was declared after the first, which has the identifier that equals its declared name.
        tools.add(new GuestTool("x", "get-order", "{}", "x", "get_order", "get-order"));
        tools.add(new GuestTool("x", "get_order_2", "{}", "x", "get_order_2", "get_order"));
        return tools;
    }

    /** Returns the name of the tool that each text denotes: identifiers before names before declared names. */
    private static Map<String, String> toolByText(List<GuestTool> tools) {
        Map<String, String> toolByText = new HashMap<>();
        tools.forEach(tool -> toolByText.putIfAbsent(tool.toolId(), tool.tool()));
        tools.forEach(tool -> toolByText.putIfAbsent(tool.tool(), tool.tool()));
        tools.forEach(tool -> toolByText.putIfAbsent(tool.declaredName(), tool.tool()));
        return toolByText;
    }

    /** Each tool is called in each form by its identifier, by its name and by its declared name. */
    @Test
    void eachTextOfAToolCallsItInAllTiers() throws Exception {
        List<GuestTool> tools = oddTools();
        Map<String, String> toolByText = toolByText(tools);
        assertThat(tools).hasSize(42);
        assertThat(toolByText).containsEntry("get_order", "get-order").containsEntry("get_order_2", "get_order_2");
        FakeToolAnswer answer = new FakeToolAnswer("1", Optional.empty());
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            for (GuestTool tool : tools) {
                for (String text : new TreeSet<>(List.of(tool.toolId(), tool.tool(), tool.declaredName()))) {
                    List<String> scripts = new ArrayList<>(List.of(
                            "{\"tool\": " + quoted("x." + text) + "}", "return tools.x[" + quoted(text) + "]({})"));
                    if (ToolIdentifiers.isIdentifier(text)) {
                        scripts.add("return tools.x." + text + "({})");
                        scripts.add("return x." + text + "({})");
                    }
                    for (String code : scripts) {
                        SessionRequest request = request(code, tools);
                        RecordedRun sandboxed = new RunRecorder(answer).run(engine, request);
                        if (text.equals("then") && !code.startsWith("{")) {
                            // An object with a member "then" would be a promise.
                            assertThat(sandboxed.events()).as(code).isEmpty();
                            continue;
                        }
                        assertThat(sandboxed.events()).as(code).containsExactly("1 x " + toolByText.get(text) + " {}");
                        if (!code.startsWith("{")) {
                            SessionRequest longer = request("const all = [0]; " + code, tools);
                            assertThat(Tier.of(longer.script(), longer.toolbox()))
                                    .isEqualTo(Tier.SANDBOX);
                            assertThat(new RunRecorder(answer)
                                            .run(engine, longer)
                                            .events())
                                    .as("in a longer script: %s", code)
                                    .isEqualTo(sandboxed.events());
                        }
                        if (Tier.of(request.script(), request.toolbox()) != Tier.SANDBOX) {
                            assertThat(new RunRecorder(answer).run(tiered, request))
                                    .as(code)
                                    .isEqualTo(sandboxed);
                        }
                    }
                }
            }
        }
    }

    private static String quoted(String text) {
        return "\"" + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
    }

    private static SessionRequest request(String code, List<GuestTool> tools) {
        return new SessionRequest(
                "s",
                "t",
                new Script(code, SourceLanguage.JAVASCRIPT),
                "{}",
                "{}",
                new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, 2_000, 500, 10, 10, 1_000, 10),
                new Toolbox(tools, List.of()));
    }

    /** The same numbers in each tier. */
    @Test
    void reportedScriptsRunTheSameInTheirTiers() throws Exception {
        List<ReportedScript> scripts =
                ReportedScript.all().filter(script -> !script.tier().isEmpty()).toList();
        assertThat(scripts).extracting(ReportedScript::tier).containsExactlyInAnyOrder("direct", "simple", "sandbox");
        for (ReportedScript script : scripts) {
            SessionRequest request = script.request();
            Tier tier = Tier.of(request.script(), request.toolbox());
            assertThat(tier.name()).as(script.toString()).isEqualToIgnoringCase(script.tier());
            RecordingListener with = RecordingListener.start(engine, request);
            SessionResult end = with.end();
            script.check(end);
            if (tier != Tier.SANDBOX) {
                try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
                    RecordingListener without = RecordingListener.start(tiered, request);
                    assertThat(without.end()).as(script.toString()).isEqualTo(end);
                    assertThat(without.calls()).as(script.toString()).isEqualTo(with.calls());
                }
            }
        }
    }

    /** Replies as the service passes them on: no number of them changes on its way into a result. */
    @ParameterizedTest
    @ValueSource(longs = {21, 22})
    void numbersOfRepliesAreTheSameInAllTiers(long seed) throws Exception {
        RandomCallScripts scripts = new RandomCallScripts(seed);
        SessionRequest direct = request("{\"tool\":\"demo.echo\"}", false, 2_000);
        SessionRequest simple = request("return await demo.echo({})", false, 2_000);
        SessionRequest sandbox = request("for (const call of [demo.echo]) return await call({})", false, 2_000);
        assertThat(Tier.of(sandbox.script(), new Toolbox(TOOLS, List.of()))).isEqualTo(Tier.SANDBOX);
        int returned = 0;
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            for (int i = 0; i < SCRIPTS; i++) {
                String reply = ExactNumberEncoder.encode(scripts.reply(3));
                FakeToolAnswer answer = new FakeToolAnswer(reply, Optional.empty());
                RecordedRun run = new RunRecorder(answer).run(tiered, direct);
                if (run.end() instanceof SessionResult.ScriptReturned end) {
                    returned++;
                    assertThat(new RunRecorder(answer).run(tiered, simple))
                            .as(reply)
                            .isEqualTo(run);
                    assertThat(new RunRecorder(answer).run(engine, sandbox))
                            .as(reply)
                            .isEqualTo(run);
                    assertThat(numbers(end.result())).as(reply).isEqualTo(numbers(reply));
                }
            }
        }
        assertThat(returned).as("replies that became results").isGreaterThan(SCRIPTS / 3);
    }

    /** The values of all numbers in a JSON text, sorted. */
    private static List<BigDecimal> numbers(String json) throws IOException {
        List<BigDecimal> found = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isNumeric()) {
                    BigDecimal value = new BigDecimal(parser.getText());
                    found.add(value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros());
                }
            }
        }
        return found.stream().sorted().toList();
    }

    private static boolean fits(SessionRequest request) {
        Optional<DirectCall> call = DirectCallMatcher.of(request.script())
                .flatMap(found -> found.resolveCall(ToolNameLookup.of(new Toolbox(TOOLS, List.of()))));
        return call.isPresent()
                && call.get().argumentChars() <= request.limits().argumentChars();
    }

    private static void assertSameRun(Sandbox tiered, SessionRequest request, FakeToolAnswer answer) throws Exception {
        RecordedRun without = new RunRecorder(answer).run(tiered, request);
        RecordedRun with = new RunRecorder(answer).run(engine, request);
        assertThat(without)
                .as(
                        "%s%n%s%n%s",
                        request.script().language(), escaped(request.script().code()), answer)
                .isEqualTo(with);
    }

    private static FakeToolAnswer answer(RandomCallScripts scripts) {
        if (!scripts.chance(3)) {
            return new FakeToolAnswer(
                    scripts.chance(20) ? "[".repeat(66) + "]".repeat(66) : scripts.reply(4), Optional.empty());
        }
        return new FakeToolAnswer(
                "",
                Optional.of(new GuestError(
                        scripts.any("tool-failed", "timeout", "outcome-unknown", "denied"),
                        scripts.any("it failed", "", "two\nlines", "😀", "x".repeat(10_100)),
                        scripts.chance(2),
                        scripts.any("{\"a\":1}", "null", "[]"))));
    }

    private static SessionRequest request(String code, boolean typed, int resultChars) {
        return new SessionRequest(
                "s",
                "t",
                new Script(code, typed ? SourceLanguage.TYPESCRIPT : SourceLanguage.JAVASCRIPT),
                "{}",
                "{}",
                new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, resultChars, 500, 10, 10, 1_000, 10),
                new Toolbox(TOOLS, List.of()));
    }

    private static String escaped(String code) {
        StringBuilder text = new StringBuilder();
        code.chars()
                .forEach(at ->
                        text.append(at >= ' ' && at < 0x7f ? String.valueOf((char) at) : String.format("\\u%04x", at)));
        return text.toString();
    }
}
