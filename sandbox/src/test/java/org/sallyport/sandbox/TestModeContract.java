package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of test mode for every kind of sandbox: runs the tests of a script, for any behavior of the tests and of the
 * script.
 */
public interface TestModeContract {
    String DOUBLING_SCRIPT = "export default ({ x }) => x * 2;";

    Sandbox sandbox();

    private RecordingListener start(String implementation, String tests) {
        return start(implementation, tests, SourceLanguage.JAVASCRIPT, GuestContract.LARGE_LIMITS);
    }

    private RecordingListener start(
            String implementation, String tests, SourceLanguage language, SessionLimits limits) {
        Script both = new TestScript(new Script(implementation, language), new Script(tests, language)).toScript();
        return RecordingListener.start(
                sandbox(), new SessionRequest("s", "t", both, "{\"x\":21}", "{}", limits, GuestContract.TOOLBOX));
    }

    private static String report(RecordingListener listener) throws Exception {
        assertThat(listener.end()).isInstanceOf(SessionResult.ScriptReturned.class);
        return ((SessionResult.ScriptReturned) listener.end()).result();
    }

    /**
     * Returns each test as {@code name: ok}, {@code name: skipped} or {@code name: error}, then the errors of the whole
     * run.
     */
    private static List<String> results(RecordingListener listener) throws Exception {
        return TestReportReader.results(report(listener));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            test('a', async () => assert.is(await main({ x: 2 }), 4))                 | a: ok
            test('a', async () => assert.is(await main(), 42))                        | a: ok
            test('a', () => assert.is(1, 2, 'one is not two'))                        | a: Assertion: one is not two
            test('a', () => { throw null })                                           | a: Uncaught null
            test('a', () => { throw { toString() { throw 1 } } })                     | a: Uncaught
            test('a', () => { throw { get message() { throw 1 } } })                  | a: Uncaught an error that \
            cannot be read
            test('a', () => { throw new Proxy({}, { has() { throw 1 } }) })           | a: Uncaught an error that \
            cannot be read
            test('a', () => { throw { message: 'm', get stack() { throw 1 } } })      | a: Uncaught an error that \
            cannot be read
            test('a', () => { throw { name: Symbol('n'), message: 'm' } })            | a: Symbol(n): m
            test('a', () => new Promise(() => {}))                                    | a: Error: It waits for a \
            promise that nothing can settle any more
            test('a', () => ({ then() {} }))                                          | a: Error: It waits for a \
            promise that nothing can settle any more
            test('a', () => ({ get then() { throw new Error('mine') } }))             | a: Error: mine
            test('a', async () => { await demo.secret({}) })                          | a: ToolError: 'demo.secret' is \
            not mocked: answer it with mock('demo.secret', …), or grant it to the tests
            test('a', async () => { await assert.throws(() => demo.fail(), ToolError) }) | a: ok
            test('a', () => { assert = { ok() {} }; assert.ok(false) })               | a: ok
            test('a', () => { test('late', () => {}) })                               | a: Error: Tests must be \
            declared before the test code ends
            test.skip('a')                                                            | a: skipped
            """)
    default void testHasItsExpectedResult(String code, String result) throws Exception {
        assertThat(results(start(DOUBLING_SCRIPT, code)).get(0)).startsWith(result);
    }

    /** The top level of a script that declares a resource ends there when its tests read what it declares. */
    @Test
    default void scriptsAndTestsMayDeclareResources() throws Exception {
        String implementation = """
                const twice = (x) => x * 2;
                using file = { open: true, [Symbol.dispose]() { this.open = false } };
                async function main({ x }) { await demo.echo({}); return [twice(x), file.open]; }
                """;
        String tests = """
                using own = { [Symbol.dispose]() {} };
                test('main', async () => { using r = null; assert.equal(await main({ x: 1 }), [2, true]); });
                test('helper', () => { assert.is(twice(2), 4); });
                """;

        assertThat(results(start(implementation, "mock('demo.echo', {});\n" + tests)))
                .containsExactly("main: ok", "helper: ok");
    }

    @Test
    default void testsAndScriptHaveOneLanguageIfNoneIsGiven() throws Exception {
        String typed = "test('a', async () => { const r: number = await main({ x: 1 }); assert.is(r, 2); });";

        for (String implementation : List.of(DOUBLING_SCRIPT, "export default ({ x }: { x: number }) => x * 2;")) {
            assertThat(results(start(implementation, typed, SourceLanguage.UNSPECIFIED, GuestContract.LARGE_LIMITS)))
                    .containsExactly("a: ok");
        }
        assertThat(sandbox()
                        .check(
                                "t",
                                new TestScript(
                                                new Script(DOUBLING_SCRIPT, SourceLanguage.UNSPECIFIED),
                                                new Script(typed, SourceLanguage.UNSPECIFIED))
                                        .toScript())
                        .toCompletableFuture()
                        .get())
                .isEqualTo(new ScriptCheckResult.ScriptAccepted(SourceLanguage.TYPESCRIPT, false));
    }

    /**
     * Code of a script, an expression of its tests, and its value. In a row ⏎ stands for a line end. The tests call
     * {@code assert.equal} with the expression.
     */
    String DECLARATIONS = """
            function add(a, b) { return a + b } | add(1, 2) | 3
            export function add(a, b) { return a + b } | add(1, 2) | 3
            export default function add({ a, b }) { return a + b } | add({ a: 1, b: 2 }) | 3
            const add = (a, b) => a + b; export default ({ x }) => add(x, x) | [add(1, 2), await main()] | [3, 42]
            class Cart { total() { return 7 } } | new Cart().total() | 7
            const LIMITS = { low: 1 } | LIMITS.low | 1
            const { a, b: [c, ...rest], d = 4 } = { a: 1, b: [2, 3] }; | [a, c, rest, d] | [1, 2, [3], 4]
            let count = 0; function next() { return ++count } | [next(), count] | [1, 1]
            let count = 0; function next() { return ++count } | (count = 5, next()) | 6
            import { double } from 'maths'; export const four = double(2) | [double(1), four] | [2, 4]
            function half(n) { return n / 2 }⏎module.exports = { half } | half(4) | 2
            'use strict'; const early = () => late; const late = 1 | early() | 1
            export function a() { return 1 } export function b() { return 2 } | [a(), b()] | [1, 2]
            const o = { get low() { return 1 }, set low(v) {} }; const k = 2 | [o.low, k] | [1, 2]
            const t = {}; export default () => t; Object.assign(t, { a: 1 }) | t.a | 1
            class A extends Array { static { A.n = 1 } } | A.n | 1
            const process = { start() { return 1 } } | process.start() | 1
            const constructor = 1 | [constructor, typeof valueOf] | [1, 'function']
            const limit = 5⏎const r = await demo.fail({})⏎return r > limit | limit | 5
            const limit = 5⏎if (args.x) return 1 | limit | 5
            const limit = 5⏎demo.fail({ limit }) | limit | 5
            const call = demo.fail({}); const limit = 5; await call | limit | 5
            async function work() { await demo.fail({}) }⏎work() | work.name | 'work'
            function work() { return 1 } work.unit = 's' | work.unit | 's'
            function helper() { return 1 } return helper() + args.x | [helper(), await main()] | [1, 22]
            function work() { return 1 } const twice = () => work() * 2 | (work = () => 3, twice()) | 6
            function work() { return 1 } | typeof other | 'undefined'
            const test = 1, assert = 2; function mock() {} | typeof test | 'function'
            """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = DECLARATIONS)
    default void testsSeeWhatTheScriptDeclares(String code, String expression, String value) throws Exception {
        assertDeclared(code, expression, value, SourceLanguage.JAVASCRIPT);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = DECLARATIONS)
    default void testsOfAnyLanguageSeeWhatTheScriptDeclares(String code, String expression, String value)
            throws Exception {
        for (SourceLanguage language : SourceLanguage.values()) {
            assertDeclared(code, expression, value, language);
        }
    }

    private void assertDeclared(String code, String expression, String value, SourceLanguage language)
            throws Exception {
        String tests = "test('a', async () => assert.equal(" + expression + ", " + value + "))";
        assertThat(results(start(code.replace('⏎', '\n'), tests, language, GuestContract.LARGE_LIMITS)))
                .as(language.name())
                .containsExactly("a: ok");
    }

    @Test
    default void mockSeesTheDigitsOfABigInt() throws Exception {
        RecordingListener listener = start(DOUBLING_SCRIPT, """
                test('a', async () => {
                  const echo = mock('demo.echo', (args) => args);
                  const answer = await demo.echo({ id: 725653563933458432n, n: 10n, text: 'a"1' });
                  assert.equal(answer, { id: '725653563933458432', n: 10, text: 'a"1' });
                  assert.equal(echo.calls, [answer]);
                });""");
        assertThat(results(listener)).containsExactly("a: ok");
    }

    @Test
    default void toolIsMockedByEachOfItsNames() throws Exception {
        Toolbox tools = new Toolbox(
                List.of(
                        new GuestTool("x", "get-user", "{}", "x", "get_user", "get-user"),
                        new GuestTool("x", "get_user_2", "{}", "x", "get_user_2", "get user")),
                List.of());
        Script tests = new Script("""
                test('a', async () => {
                  const all = ['x.get_user', 'x.get-user', 'x.get_user_2', 'x.get user'];
                  mock('x.get_user', 'other');
                  mock('x.get_user_2', 'other');
                  const answers = [];
                  for (const name of all) {
                    const { restore } = mock(name, name);
                    answers.push(await x.get_user({}), await x.get_user_2({}));
                    restore();
                  }
                  assert.equal(answers, [all[0], 'other', all[1], 'other', 'other', all[2], 'other', all[3]]);
                });""", SourceLanguage.JAVASCRIPT);
        Script both = new TestScript(new Script(DOUBLING_SCRIPT, SourceLanguage.JAVASCRIPT), tests).toScript();
        assertThat(results(RecordingListener.start(
                        sandbox(), new SessionRequest("s", "t", both, "{}", "{}", GuestContract.LARGE_LIMITS, tools))))
                .containsExactly("a: ok");
    }

    @Test
    default void testsSeeTypeScriptDeclarations() throws Exception {
        RecordingListener listener = start("""
                enum Size { Small = 1, Large = 10 }
                interface Order { size: Size }
                abstract class Base<T> { constructor(protected readonly value: T) {} }
                class Box extends Base<number> { doubled(): number { return this.value * 2 } }
                export default (order: Order): number => order.size;""", """
                const box: Box = new Box(4);
                test('a', () => {
                  assert.is(Size.Large, 10);
                  assert.is(box.doubled(), 8);
                });""", SourceLanguage.TYPESCRIPT, GuestContract.LARGE_LIMITS);
        assertThat(results(listener)).containsExactly("a: ok");
    }

    @Test
    default void testsMayDeclareTheNamesOfTheScriptAgain() throws Exception {
        assertThat(results(start(
                        "const add = 1; function twice(n) { return n * 2 }",
                        "const add = (a, b) => a + b; let twice = 3; test('a', () => assert.is(add(twice, 1), 4))")))
                .containsExactly("a: ok");
    }

    @Test
    default void errorInADeclaredFunctionHasItsPosition() throws Exception {
        assertThat(results(start("const a = 1;\n\nfunction fails() {\n  null.x;\n}", "test('a', () => fails())"))
                        .get(0))
                .contains("fails (script:4:3)")
                .contains("tests:1:17");
    }

    @Test
    default void scriptDoesNotRunForTestsThatUseNoneOfItsNames() throws Exception {
        RecordingListener listener = start(
                "console.log('runs'); const limit = 1; function twice(n) { return n * 2 }", "test('a', () => {})");
        assertThat(results(listener)).containsExactly("a: ok");
        assertThat(listener.output()).isEmpty();
    }

    @Test
    default void declarationsRunOnceAndMakeNoCalls() throws Exception {
        RecordingListener listener = start("""
                console.log('runs');
                const call = demo.echo({ a: 1 });
                const sent = events.emit('ready', 1);
                function twice(n) { return n * 2 }
                const late = await call;""", """
                test('a', () => assert.is(twice(1), 2));
                test('b', async () => { assert.ok(call instanceof Promise); assert.is(twice(2), 4) });""");
        assertThat(results(listener)).containsExactly("a: ok", "b: ok");
        assertThat(listener.output()).isEqualTo("OUT:runs\n");
        assertThat(listener.calls()).isEmpty();
    }

    @Test
    default void declarationsSetOffNoCallsLater() throws Exception {
        RecordingListener listener = start("""
                const ready = begin();
                async function begin() { await null; await demo.fail({}); }
                setTimeout(() => demo.fail({}), 1);
                const ticking = setInterval(() => demo.fail({}), 1);
                waitUntil(demo.echo({}));
                function twice(n) { return n * 2 }""", """
                test('a', async () => {
                  await sleep(20);
                  assert.is(twice(1), 2);
                });""");
        assertThat(results(listener)).containsExactly("a: ok");
        assertThat(listener.calls()).isEmpty();
    }

    @Test
    default void rejectionInADeclarationIsAWarning() throws Exception {
        RecordingListener listener = start("""
                async function load(id) { if (!id) throw new Error('id is missing'); return id }
                const user = load(args.user);
                const both = [load(), Promise.reject(7)];
                for (let i = 0; i < 100; i++) clearTimeout(i);
                await Promise.allSettled(both);
                return (await user).id;""", """
                test('a', async () => assert.throws(() => main(), /id is missing/));
                test('b', async () => assert.throws(() => user, /id is missing/));
                test('c', () => assert.type(load, 'function'));""");
        assertThat(results(listener)).containsExactly("a: ok", "b: ok", "c: ok");
        assertThat(listener.output().lines().filter(line -> line.contains("left a rejection")))
                .hasSize(3);
    }

    @Test
    default void rejectionInATestIsAFailureOfTheRun() throws Exception {
        assertThat(start(DOUBLING_SCRIPT, "test('a', () => { Promise.reject(new Error('mine')) })")
                        .end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.code()).isEqualTo("unhandled-rejection"));
    }

    @Test
    default void strictScriptRunsInStrictModeUnderTest() throws Exception {
        String script = "'use strict'; function self() { return this === undefined } return self()";
        assertThat(results(start(
                        script, "test('a', async () => { assert.ok(await main()); assert.type(self, 'function') })")))
                .containsExactly("a: ok");
    }

    @Test
    default void moduleWithoutMainCannotBeRunByItsTests() throws Exception {
        assertThat(results(start("export const a = 1", "test('a', () => assert.is(a, 1)); test('b', () => main())")))
                .satisfies(results -> assertThat(results.get(0)).isEqualTo("a: ok"))
                .satisfies(results -> assertThat(results.get(1)).contains("must have a default export"));
    }

    @Test
    default void declarationThatFailsIsReported() throws Exception {
        RecordingListener listener = start(
                "const a = 1;\nconst b = JSON.parse('{');\nconst c = 3; function twice(n) { return n * 2 }",
                "test('a', () => assert.equal([a, twice(1)], [1, 2])); test('b', () => c)");
        List<String> results = results(listener);
        assertThat(results.get(0)).isEqualTo("a: ok");
        assertThat(results.get(1)).startsWith("b: ReferenceError");
        assertThat(listener.output())
                .contains("ERR:Warning: the tests see the script only up to its first error: SyntaxError")
                .contains("script:2:16");
    }

    @Test
    default void testsMayStandAlone() throws Exception {
        assertThat(results(start("", "test('a', () => assert.is(1, 1)); test('b', () => main())")))
                .satisfies(results -> assertThat(results.get(0)).isEqualTo("a: ok"))
                .satisfies(results -> assertThat(results.get(1)).startsWith("b: Error: There is no script to run"));
    }

    @Test
    default void pendingTestDoesNotBlockTheOthers() throws Exception {
        RecordingListener listener = start(DOUBLING_SCRIPT, """
                before.each(() => console.log('before'));
                test('first', () => new Promise(() => {}));
                test('second', async () => { await new Promise(() => {}) });
                test('third', async () => { await sleep(5); assert.is(await main({ x: 1 }), 2) });
                after(() => new Promise(() => {}));""");
        List<String> results = results(listener);
        assertThat(results).hasSize(4);
        assertThat(results.get(1)).startsWith("second: Error: It waits for a promise");
        assertThat(results.get(2)).isEqualTo("third: ok");
        assertThat(results.get(3)).startsWith("hook-failed after: Error: It waits for a promise");
        assertThat(listener.output()).isEqualTo("OUT:before\nbefore\nbefore\n");
    }

    @Test
    default void onlySelectedTestsRun() throws Exception {
        assertThat(results(start(DOUBLING_SCRIPT, "test('a', () => {}); test.only('b', () => {}); test.skip('c')")))
                .containsExactly("a: skipped", "b: ok", "c: skipped");
    }

    @Test
    default void failedHookIsReported() throws Exception {
        assertThat(results(start(DOUBLING_SCRIPT, "before(() => { throw new Error('no') }); test('a', () => {})"))
                        .get(0))
                .startsWith("a: before: Error: no");
        assertThat(results(start(DOUBLING_SCRIPT, "afterEach(() => { throw new Error('no') }); test('a', () => {})"))
                        .get(0))
                .startsWith("a: Error: no");
    }

    @Test
    default void missingTestsAreAFailure() throws Exception {
        assertThat(report(start(DOUBLING_SCRIPT, "1 + 1")))
                .isEqualTo("{\"success\":false,\"summary\":{\"total\":0,\"passed\":0,\"failed\":0,\"skipped\":0},"
                        + "\"tests\":[],\"error\":{\"code\":\"no-tests\",\"message\":\"The test code declares "
                        + "no test\"}}");
    }

    @Test
    default void positionsReferToTheirOwnSource() throws Exception {
        RecordingListener listener = start("""
                type Order = { x: number };

                export default function main(order: Order): number {
                  throw new RangeError(`bad ${order.x}`);
                }""", """
                interface Nothing {}
                test('a', async () => {
                  await main({ x: 1 });
                });
                test('b', () => {
                    assert.ok(false as boolean);
                });""", SourceLanguage.TYPESCRIPT, GuestContract.LARGE_LIMITS);
        List<String> results = results(listener);
        assertThat(results.get(0)).contains("RangeError: bad 1").contains("main (script:4:9)");
        assertThat(results.get(1)).contains("tests:6:12");
    }

    @Test
    default void syntaxErrorHasAPositionInItsOwnSource() throws Exception {
        assertThat(start("return +", "test('a', () => {})").end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.line()).isEqualTo(1));
        assertThat(start(DOUBLING_SCRIPT, "\n\ntest('a', => {})").end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.line()).isEqualTo(3));
    }

    @Test
    default void endlessTestIsStoppedAndNamed() throws Exception {
        RecordingListener listener = start(
                DOUBLING_SCRIPT,
                "test('a', () => {}); test('endless', () => { for (;;); })",
                SourceLanguage.JAVASCRIPT,
                SHORT_CPU_LIMITS);
        assertThat(listener.end())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionResult.SessionLimitType.CPU));
        assertThat(listener.progress()).last().isEqualTo("0.5 endless");
    }

    SessionLimits SHORT_CPU_LIMITS =
            new SessionLimits(3_000, 64 << 20, 20, 8, 60_000, 2_000_000, 10_000, 10, 5, 10_000, 5);

    @Tag("slow")
    @Test
    default void reportSizeIsBounded() throws Exception {
        String report = report(start(DOUBLING_SCRIPT, """
                for (let i = 0; i < 1000; i++) {
                  test('\\u0001'.repeat(10_000), () => { throw new Error('\\u0002'.repeat(100_000)) });
                }"""));
        assertThat(report.length()).isBetween(300_000, 1_000_000);
        assertThat(start(DOUBLING_SCRIPT, "for (let i = 0; i < 3000; i++) test('x', () => {})")
                        .end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.message()).contains("There may be 1000 tests"));
    }

    @Test
    default void testsThatOverwriteBuiltInsAffectOnlyTheirOwnReport() throws Exception {
        RecordingListener spoilt = start(DOUBLING_SCRIPT, """
                JSON.stringify = JSON.parse = () => 'x';
                Object.prototype.toJSON = () => 'x';
                Promise.prototype.then = undefined;
                Array.prototype.push = () => 0;
                String.prototype.split = () => { throw 1 };
                globalThis.main = () => 7;
                test('a', () => assert.is(main(), 7));""");
        spoilt.end();
        assertThat(results(start(DOUBLING_SCRIPT, "test('a', async () => assert.is(await main({ x: 2 }), 4))")))
                .containsExactly("a: ok");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "my-backend.gr__e",
                "my_backend.größe",
                "my_backend.größe (cm)",
                "tools.my_backend.größe",
                "größe",
                "gr__e",
                "größe (cm)"
            })
    default void toolIsMockedByEachOfItsNames(String name) throws Exception {
        Script both = new TestScript(
                        new Script("return await tools.my_backend.größe({})", SourceLanguage.JAVASCRIPT),
                        new Script(
                                "test('a', async () => { mock('" + name + "', 7); assert.is(await main(), 7) })",
                                SourceLanguage.JAVASCRIPT))
                .toScript();
        Toolbox toolbox = new Toolbox(
                List.of(new GuestTool("my-backend", "gr__e", "{}", "my_backend", "größe", "größe (cm)")), List.of());
        assertThat(results(RecordingListener.start(
                        sandbox(),
                        new SessionRequest("s", "t", both, "{}", "{}", GuestContract.RELAXED_LIMITS, toolbox))))
                .containsExactly("a: ok");
    }

    @Test
    default void testsOfAJsonCallMustBeCode() throws Exception {
        assertThat(results(start(
                        "{\"tool\": \"demo.echo\", \"arguments\": {\"a\": 1}}",
                        "test('a', async () => { mock('demo.echo', 7); assert.is(await main(), 7) })")))
                .containsExactly("a: ok");
        assertThat(start(DOUBLING_SCRIPT, "{\"tool\": \"demo.echo\", \"arguments\": {\"a\": 1}}")
                        .end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.message()).contains("must be code that calls test"));
    }

    @Test
    default void onlyAWholeSeparatorLineSeparatesTests() {
        assertThat(TestScript.containsSeparator("a\n//# sallyport-tests \nb")).isTrue();
        assertThat(TestScript.containsSeparator("//# sallyport-tests")).isTrue();
        assertThat(TestScript.containsSeparator("x //# sallyport-tests\n//# sallyport-testsuite"))
                .isFalse();
    }

    final class TestReportReader {
        private static final JsonFactory JSON = new JsonFactory();

        private TestReportReader() {}

        static List<String> results(String report) throws IOException {
            List<String> results = new ArrayList<>();
            String name = "";
            String code = "";
            boolean skipped = false;
            try (JsonParser json = JSON.createParser(report)) {
                for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                    if (token == JsonToken.FIELD_NAME) {
                        String member = json.currentName();
                        token = json.nextToken();
                        switch (member) {
                            case "name" -> name = json.getText();
                            case "skipped" -> skipped = token == JsonToken.VALUE_TRUE;
                            case "code" -> code = json.getText();
                            case "message" -> results.add(code + " " + json.getText());
                            case "error" -> {
                                if (!name.isEmpty() && token != JsonToken.START_OBJECT) {
                                    results.add(name + ": "
                                            + (skipped
                                                    ? "skipped"
                                                    : token == JsonToken.VALUE_NULL ? "ok" : json.getText()));
                                    name = "";
                                }
                            }
                            default -> {}
                        }
                    }
                }
            }
            return results;
        }
    }
}
