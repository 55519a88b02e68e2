package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.InProcessSandbox;

/**
 * Each row has a script and its outcome. Before the script stand, on the same line, a list {@code log} and two
 * functions that make resources, which write into the list when they are closed. In a row ⏎ stands for a line end.
 */
class UsingRewriterTest {
    private static final String RESOURCES =
            "const log = []; const r = (n) => ({ n, [Symbol.dispose]() { log.push('close ' + n) } }); "
                    + "const ar = (n) => ({ n, async [Symbol.asyncDispose]() { "
                    + "await demo.echo({}); log.push('end ' + n) } });";
    private static final SessionLimits LIMITS =
            new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5);
    private static final Toolbox TOOLBOX = new Toolbox(List.of(new GuestTool("demo", "echo")), List.of());

    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new InProcessSandbox(2);
    }

    @AfterAll
    static void close() {
        sandbox.close();
    }

    private static SessionResult run(String code, SourceLanguage language) throws Exception {
        return RecordingListener.start(
                        sandbox,
                        new SessionRequest(
                                "s", "t", new Script(code.replace('⏎', '\n'), language), "{}", "{}", LIMITS, TOOLBOX))
                .end();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            { using a = r(1); using b = r(2), c = null; log.push('body') } return log | ["body","close 2","close 1"]
            { await using a = ar(1); await using b = r(2), c = undefined; log.push('body') } return log \
                                                                                 | ["body","close 2","end 1"]
            const f = () => { 'use strict'; using a = r(1); return log.length }; return [f(), log] | [0,["close 1"]]
            const f = async () => { await using a = ar(1); return log.length }; return [await f(), log] | [0,["end 1"]]
            for (using x of [r(1), r(2)]) { if (x.n === 1) continue; log.push(x.n) } return log | ["close 1",2,"close \
            2"]
            for (using x of [r(1), r(2)]) if (x.n === 1) break; return log       | ["close 1"]
            for await (await using x of [ar(1)]) log.push(x.n); return log       | [1,"end 1"]
            for (using x of [r(1)]) for (using y of [r(2)]) log.push(x.n + y.n); return log | [3,"close 2","close 1"]
            for (using x of [r(1)]) { using y = r(2); } return log               | ["close 2","close 1"]
            out: { using a = r(1); break out; } return log                       | ["close 1"]
            function* g() { using a = r(1); yield 1; yield 2 } for (const x of g()) break; return log | ["close 1"]
            function* g() { try { yield 1 } finally { log.push('left') } } { using it = g(); it.next() } return log \
                                                                                 | ["left"]
            class A { static { using a = r(1) } constructor() { using a = r(2) } get x() { using a = r(3); return 4 } \
            } \
            return [new A().x, log]                                              | [4,["close 1","close 2","close 3"]]
            if (true) { using a = r(1) } switch (1) { case 1: { using a = r(2) } } return log | ["close 1","close 2"]
            try { using a = r(1); throw 5 } catch (e) { log.push(e) } return log | ["close 1",5]
            { using a = r(1); { using b = r(2) } log.push('between') } return log | ["close 2","between","close 1"]
            { using a = (() => { using b = r(1); return r(2) })() } return log   | ["close 1","close 2"]
            const using = 3; return using + 1                                    | 4
            { using a = r(1) } let n = 3; while (n --> 1) log.push(n); return log | ["close 1",2,1]
            const $open$ = 5; { using a = r(1); log.push($open$) } return log    | [5,"close 1"]
            { using a = r(1); const $open$ = 5; using b = r($open$) } return log | ["close 5","close 1"]
            globalThis.Error = globalThis.Reflect = globalThis.String = null; { using a = r(1) } return log \
                                                                                 | ["close 1"]
            using a = { open: true, [Symbol.dispose]() { this.open = false } }; (async () => { await demo.echo({}); \
            return a.open })()                                                   | true
            using a = { open: true, [Symbol.dispose]() { this.open = false } }; async function main() { \
            await demo.echo({}); return a.open }                                 | true
            using a = { open: true, [Symbol.dispose]() { this.open = false } }; export default async () => { \
            await demo.echo({}); return a.open }                                 | true
            using a = null; const x = 3; export const main = () => x             | 3
            using a = r(1); exports.main = () => log.length                      | 0
            await using a = ar(1); return log                                    | ["end 1"]
            try { using a = { [Symbol.dispose]() { throw Error('A') } }; throw Error('B') } catch (e) { return \
            [e.name, \
            e.error.message, e.suppressed.message, e instanceof SuppressedError, e instanceof Error] } \
                                                                                 | ["SuppressedError","A","B",true,true]
            const s = new DisposableStack(); s.defer(() => log.push('d')); s.adopt(3, (v) => log.push(v)); \
            s.use(r(1)); \
            const m = s.move(); m.dispose(); m.dispose(); return [log, s.disposed, String(m)] \
                                                                 | [["close 1",3,"d"],true,"[object DisposableStack]"]
            { await using s = new AsyncDisposableStack(); s.use(ar(1)); s.defer(async () => log.push('d')) } return \
            log \
                                                                                 | ["d","end 1"]
            return [String(Symbol.dispose), String(Symbol.asyncDispose), Symbol.dispose === Symbol.dispose] \
                                                     | ["Symbol(Symbol.dispose)","Symbol(Symbol.asyncDispose)",true]
            """)
    void resourcesAreClosedInReverseOrder(String code, String result) throws Exception {
        assertThat(run(RESOURCES + " " + code, SourceLanguage.JAVASCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned(result));
        assertThat(run(RESOURCES + " " + code, SourceLanguage.TYPESCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned(result));
    }

    @Test
    void functionThatIsAlsoAVariableIsNamed() throws Exception {
        assertThat(run("using a = null; var f = 1; function f() {}", SourceLanguage.JAVASCRIPT))
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.message())
                                .contains("A block with a using declaration cannot declare f as a function and with"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            JS | {⏎  using a = 5; }                                    | script-error | 2 | 9
            JS | {⏎  using a = null, b = {}; }                         | script-error | 2 | 19
            JS | async function f() {⏎  await using a = {} }⏎f()       | script-error | 2 | 15
            JS | for (using x of [5])⏎  null.x                         | script-error | 1 | 12
            JS | {⏎  using a = null;⏎  null.x }                        | script-error | 3 | 3
            JS | using a = null;⏎null.x                                | script-error | 2 | 1
            JS | using a = null;⏎(args) => null.x                      | script-error | 2 | 11
            JS | await using a = null;⏎return await null.x             | script-error | 2 | 14
            JS | { using a = { [Symbol.dispose]() {⏎  null.x } } }     | script-error | 2 | 3
            JS | await using a = { async [Symbol.asyncDispose]() {⏎  null.x } }⏎1 | script-error | 2 | 3
            JS | { using a = { [Symbol.dispose]() {⏎  null.x } };⏎  throw Error('b') } | script-error | 2 | 3
            JS | for (using x of [null]) { null.y }                    | script-error | 1 | 27
            TS | using a: any = null;⏎type T = 1;⏎null.x               | script-error | 3 | 1
            TS | type T = 1; {⏎  using a: any = null;⏎  null.x }  | script-error | 3 | 3
            JS | 1;⏎function f() { await using a = null }              | syntax-error | 2 | 16
            JS | switch (1) { case 1: using a = null }                 | syntax-error | 1 | 22
            JS | for (using a in {}) {}                                | syntax-error | 1 | 6
            JS | using a;                                              | syntax-error | 1 | 1
            JS | using a = null; var f = 1;⏎function f() {}            | syntax-error | 2 | 1
            JS | function g() {⏎  using a = null; if (a) { var f }⏎  function f() {} }⏎g() | syntax-error | 3 | 3
            JS | using a = null; let n = 1; while (n --> 0) {}⏎null.x  | script-error | 2 | 1
            """)
    void errorsHaveTheOriginalLineAndColumn(String language, String code, String failure, int line, int column)
            throws Exception {
        SessionResult end = run(code, language.equals("JS") ? SourceLanguage.JAVASCRIPT : SourceLanguage.TYPESCRIPT);

        assertThat(end).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
            assertThat(threw.code() + " " + threw.line() + ":" + threw.column())
                    .as(threw.message())
                    .isEqualTo(failure + " " + line + ":" + column);
            assertThat(threw.stack() + threw.message()).doesNotContain("$", "sallyport");
        });
    }
}
