package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of every kind of sandbox. */
public abstract class SandboxContract {
    public static final SessionLimits LIMITS =
            new SessionLimits(10_000, 64 << 20, 20, 8, 40, 2_000, 1_000, 10, 5, 10_000, 5);
    private static final List<GuestTool> TOOLS = List.of(
            new GuestTool("demo", "echo"),
            new GuestTool("demo", "fail"),
            new GuestTool("demo", "never"),
            new GuestTool("my-backend", "echo"));

    protected abstract Sandbox sandbox();

    /**
     * Returns a number of sessions that exceeds the number that can run at the same time, where sessions share a
     * worker.
     */
    protected int endlessSessionCount() {
        return 12;
    }

    public static SessionRequest request(String code, SourceLanguage language) {
        return request("t", code, language);
    }

    protected static SessionRequest request(String tenant, String code, SourceLanguage language) {
        return new SessionRequest(
                "s", tenant, new Script(code, language), "{\"n\":1}", "{}", LIMITS, new Toolbox(TOOLS, List.of()));
    }

    private SessionResult run(String code, SourceLanguage language) throws Exception {
        return RecordingListener.start(sandbox(), request(code, language)).end();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            return 1 + args.n                                                  | 2
            return await tools.demo.echo({ a: [1, 'x'] })                      | {"a":[1,"x"]}
            return await my_backend.echo()                                     | {}
            return (await mcp['my-backend'].echo({ q: 1 })).q                  | 1
            export default async function main(args) { return args.n + 2 }     | 3
            export async function main(a, b) { return [a, b] }                 | [{"n":1},{}]
            {"tool":"demo.echo","arguments":{"k":true}}                        | {"k":true}
            return new Date(0)                                                 | "1970-01-01T00:00:00.000Z"
            return { u: undefined, l: [undefined] }                            | {"l":[null]}
            return typeof process + typeof Java + typeof load                  | "undefinedundefinedundefined"
            await sleep('5ms'); return structuredClone({ a: 1 })               | {"a":1}
            try { await demo.fail() } catch (e) { return [e.code, e.retryable, e instanceof ToolError] } | \
            ["tool-failed",true,true]
            Object.prototype.toJSON = () => 'evil'; JSON.stringify = null; return await demo.echo({ a: [1] }) | \
            {"a":[1]}
            """)
    void sessionReturnsTheScriptResult(String code, String result) throws Exception {
        assertThat(run(code, SourceLanguage.JAVASCRIPT)).isEqualTo(new SessionResult.ScriptReturned(result));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            null.x                                         | script-error        | 1 | 1
            const a = 1; throw new RangeError('no')        | script-error        | 1 | 20
            await new Promise(() => {})                    | deadlock            | 0 | 0
            Promise.reject(new Error('x')); await sleep(5) | unhandled-rejection | 1 | 16
            let x = ;                                      | syntax-error        | 1 | 9
            }); evil(); (async()=>{                        | syntax-error        | 1 | 1
            return { f() {} }                              | result-not-json     | 0 | 0
            import fs from 'fs'                            | module-not-allowed  | 1 | 1
            await demo.fail()                              | tool-failed         | 1 | 12
            try { await demo.fail() } catch (e) { e.code = 'worker-lost'; throw e } | tool-failed | 1 | 18
            await tools['$sallyport'].x()                  | tool-not-found      | 1 | 27
            """)
    void failureHasACodeAndAPosition(String code, String failure, int line, int column) throws Exception {
        assertThat(run(code, SourceLanguage.JAVASCRIPT))
                .isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                    assertThat(threw.code()).isEqualTo(failure);
                    assertThat(threw.line()).isEqualTo(line);
                    assertThat(threw.column()).isEqualTo(column);
                    assertThat(threw.stack()).doesNotContain("sallyport", "java", "graal");
                });
    }

    @Test
    void typeScriptKeepsEnumsAndPositions() throws Exception {
        assertThat(run("enum E { A = 4 }\nreturn E.A as number;", SourceLanguage.TYPESCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned("4"));
        assertThat(run("interface I { a: number }\nconst e: string = '😀'; null.x;", SourceLanguage.TYPESCRIPT))
                .isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                    assertThat(threw.line()).isEqualTo(2);
                    assertThat(threw.column()).isEqualTo(25);
                });
        assertThat(sandbox()
                        .check("t", new Script("let y: number = ;", SourceLanguage.TYPESCRIPT))
                        .toCompletableFuture()
                        .get())
                .isInstanceOfSatisfying(
                        ScriptCheckResult.ScriptRejected.class,
                        rejected -> assertThat(rejected.column()).isEqualTo(17));
    }

    @Test
    void referencesOfAnyTextAreFound() throws Exception {
        assertThat(references("import a from 'lodash';\nreturn await tools.demo.echo.call(console.log)"))
                .isEqualTo(new ScriptReferences(
                        List.of(
                                new ScriptReferences.ReferencePath(List.of("tools", "demo", "echo"), 2, 14),
                                new ScriptReferences.ReferencePath(List.of("console", "log"), 2, 35)),
                        List.of(new ScriptReferences.ModuleReference("lodash", 1, 15))));
        assertThat(references("demo.echo(").paths())
                .containsExactly(new ScriptReferences.ReferencePath(List.of("demo", "echo"), 1, 1));
        assertThat(references("```js\nreturn demo.echo()\n```").paths())
                .containsExactly(new ScriptReferences.ReferencePath(List.of("demo", "echo"), 2, 8));
        assertThat(references("")).isEqualTo(ScriptReferences.NONE);
    }

    @Test
    void referenceOfACallAsJsonIsFound() throws Exception {
        assertThat(references("\n {\"tool\": \"my-shop.get-user\", \"arguments\": {\"a\": \"demo.echo\"}}"))
                .isEqualTo(new ScriptReferences(
                        List.of(new ScriptReferences.ReferencePath(List.of("tools", "my-shop", "get-user"), 2, 2)),
                        List.of()));
        for (String other : List.of("demo.my.tool", "demo.", ".echo")) {
            assertThat(references("{\"tool\": \"" + other + "\"}").paths())
                    .as(other)
                    .isEmpty();
        }
    }

    private ScriptReferences references(String code) throws Exception {
        return sandbox()
                .findReferences("t", new Script(code, SourceLanguage.JAVASCRIPT))
                .toCompletableFuture()
                .get();
    }

    @Test
    void outputKeepsItsOrderAndIsTruncatedAtACodePoint() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request(
                        "console.log('a'); console.error('b'); console.log('x'.repeat(37) + '😀😀')",
                        SourceLanguage.JAVASCRIPT));
        listener.end();
        assertThat(listener.output()).isEqualTo("OUT:a\nERR:b\nOUT:" + "x".repeat(37) + "[cut OUT]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"i < 10000", "true"})
    void lastLinesOfLongOutputAreKeptAlsoIfTheScriptIsStopped(String condition) throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                new SessionRequest(
                        "s",
                        "t",
                        new Script(
                                "for (let i = 0; " + condition + "; i++) console.log('line ' + i)",
                                SourceLanguage.JAVASCRIPT),
                        "null",
                        "{}",
                        new SessionLimits(1_500, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5),
                        new Toolbox(TOOLS, List.of())));
        assertThat(listener.end())
                .isInstanceOfAny(SessionResult.ScriptReturned.class, SessionResult.SessionLimitReached.class);
        assertThat(listener.output())
                .startsWith("OUT:line 0\nline 1\n")
                .contains("[cut OUT]")
                .containsPattern("characters omitted …]\nline \\d+\nline \\d+\n")
                .endsWith("\n");
    }

    @Test
    void everyCodeUnitRoundTrips() throws Exception {
        assertThat(run("return await demo.echo({ a: '\\u0000\\ud800' })", SourceLanguage.JAVASCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned("{\"a\":\"\\u0000\\ud800\"}"));
        assertThat(run("return '\0\ud800'.length", SourceLanguage.JAVASCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned("2"));
    }

    @Test
    void oversizedResultReachesItsLimit() throws Exception {
        assertResultIsTooLong("return 'x'.repeat(3000)");
    }

    @Test
    void oversizedTextIsRefusedBeforeItIsBuilt() throws Exception {
        assertResultIsTooLong("return 'x'.repeat(5e7)");
    }

    @Tag("slow")
    @Test
    void oversizedTextInAListIsRefusedBeforeItIsBuilt() throws Exception {
        assertResultIsTooLong("return [1, { a: 'x'.repeat(5e7) }]");
    }

    private void assertResultIsTooLong(String code) throws Exception {
        assertThat(run(code, SourceLanguage.JAVASCRIPT))
                .isInstanceOfSatisfying(
                        SessionResult.SessionLimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionResult.SessionLimitType.RESULT));
    }

    @Test
    void pollutedPrototypeDoesNotAffectToolErrors() throws Exception {
        assertThat(run(
                        "for (const name of ['tool', 'code', 'get', 'set', 'value', 'message'])"
                                + " Object.defineProperty(Object.prototype, name, { __proto__: null, get: () => "
                                + "'evil', configurable: true });"
                                + " try { await demo.fail() } catch (e) { return [e.code, e.tool] }",
                        SourceLanguage.JAVASCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned("[\"tool-failed\",\"fail\"]"));
    }

    @Test
    void largeObjectIsPrintedAbbreviated() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                new SessionRequest(
                        "s",
                        "t",
                        new Script(
                                "const o = {}; for (let i = 0; i < 1e5; i++) o['k' + i] = i; console.log(o)",
                                SourceLanguage.JAVASCRIPT),
                        "{}",
                        "{}",
                        new SessionLimits(10_000, 64 << 20, 20, 8, 200_000, 2_000, 1_000, 10, 5, 10_000, 5),
                        Toolbox.EMPTY));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
        assertThat(listener.output().length()).isBetween(1_000, 13_000);
    }

    @Test
    void cancelledEndlessLoopDoesNotAffectItsNeighbor() throws Exception {
        RecordingListener endless = RecordingListener.start(sandbox(), endless("while (true) {}"));
        RecordingListener neighbour = RecordingListener.start(
                sandbox(), request("await sleep(50); return await demo.echo({})", SourceLanguage.JAVASCRIPT));
        assertThat(neighbour.end()).isEqualTo(new SessionResult.ScriptReturned("{}"));
        long start = System.nanoTime();
        endless.session().cancel();
        assertThat(endless.end()).isEqualTo(new SessionResult.SessionCancelled());
        assertStoppedInTime(start);
    }

    /** The documented limit is two seconds on an idle machine; other load on the machine may prolong the stop. */
    protected static void assertStoppedInTime(long askedNanos) {
        assertThat(System.nanoTime() - askedNanos).isLessThan(TimeUnit.SECONDS.toNanos(10));
    }

    @Test
    void waitingSessionIsCancelled() throws Exception {
        RecordingListener waiting =
                RecordingListener.start(sandbox(), request("await demo.never()", SourceLanguage.JAVASCRIPT));
        waiting.session().cancel();
        assertThat(waiting.end()).isEqualTo(new SessionResult.SessionCancelled());
    }

    /** Returns a request for a script that computes for longer than any timeout of the test. */
    protected static SessionRequest endless(String code) {
        return new SessionRequest(
                "s",
                "t",
                new Script(code, SourceLanguage.JAVASCRIPT),
                "{}",
                "{}",
                new SessionLimits(600_000, 64 << 20, 20, 8, 40, 2_000, 1_000, 10, 5, 10_000, 5),
                Toolbox.EMPTY);
    }

    @Test
    void computingScriptsDoNotBlockOtherSessionsOrChecks() throws Exception {
        List<RecordingListener> loops = java.util.stream.IntStream.range(0, endlessSessionCount())
                .mapToObj(i -> RecordingListener.start(sandbox(), endless("while (true) {}")))
                .toList();
        try {
            assertThat(run("return await demo.echo({})", SourceLanguage.JAVASCRIPT))
                    .isEqualTo(new SessionResult.ScriptReturned("{}"));
            assertThat(sandbox()
                            .check("t", new Script("return 'fresh'", SourceLanguage.JAVASCRIPT))
                            .toCompletableFuture()
                            .get())
                    .isEqualTo(new ScriptCheckResult.ScriptAccepted(SourceLanguage.JAVASCRIPT, false));
            // Holds on a busy machine, too: the sandbox did not end another session to run this check.
            assertThat(loops).noneMatch(RecordingListener::isEnded);
        } finally {
            loops.forEach(loop -> loop.session().cancel());
        }
        for (RecordingListener loop : loops) {
            assertThat(loop.end()).isEqualTo(new SessionResult.SessionCancelled());
        }
    }
}
