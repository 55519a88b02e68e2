package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
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

/** In a row ⏎ stands for a line end. The list {@code big} has 70,000 items, more than the engine spreads. */
class SpreadRewriterTest {
    private static final SessionLimits LIMITS =
            new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5);
    private static final Toolbox TOOLBOX =
            new Toolbox(List.of(new GuestTool("demo", "echo"), new GuestTool("demo", "fail")), List.of());
    private static final String BIG =
            "const big = Array.from({ length: 70_000 }, (_, i) => i); " + "const count = (...all) => all.length; ";

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
            return [count(...big), count(1, ...big, ...big, 2)]                                   | [70000,140002]
            return Math . max ( /* all */ ...big , )                                              | 69999
            const list = []; list⏎  .push(⏎    ...big,⏎  ); return list.length                   | 70000
            return new (class { constructor(...all) { this.all = all } })(...big).all.length      | 70000
            export default Math.max(...big)                                                       | 69999
            const main = (...all) => count(...big, ...all); main(...[1])                          | 70001
            using r = { of: (...all) => ({ n: all.length, [Symbol.dispose]() {} }) }.of(...big); return r.n | 70000
            return `${count(...big)} ${((...all) => all.length)(...[1, 2])}`                      | "70000 2"
            """)
    void callsTakeMoreArgumentsThanTheEngineSpreads(String code, String result) throws Exception {
        assertThat(run(BIG + code, SourceLanguage.JAVASCRIPT)).isEqualTo(new SessionResult.ScriptReturned(result));
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            return Math.max(...big)                                                               | 69999
            return Math['m' + 'ax'](...big)                                                       | 69999
            return [].concat([1], ...big).concat(...big).length                                   | 140001
            return new Array(...big).length                                                       | 70000
            return new Set(...[[1, 2]]).size                                                      | 2
            return Reflect.construct(Array, [...new Array(...big)]).length                        | 70000
            count(...big)                                                                         | 70000
            new Array(...big).length                                                              | 70000
            void Math.max(...big)                                                                 | 69999
            export default () => count(...big)                                                    | 70000
            using r = { count, [Symbol.dispose]() {} }; return r.count(...big)                    | 70000
            const f = async () => count(...await [big][0]); return await f()                      | 70000
            function* g() { return count(...(yield 1)) } const i = g(); i.next(); return i.next(big).value | 70000
            return typeof count(...big) + !Math.max(...big)                                       | "numberfalse"
            """)
    void moreFormsOfCallsTakeMoreArgumentsThanTheEngineSpreads(String code, String result) throws Exception {
        assertThat(run(BIG + code, SourceLanguage.JAVASCRIPT)).isEqualTo(new SessionResult.ScriptReturned(result));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            const o = { n: 5, add(a, b) { return this.n + a + b } }; return [o.add(...[1, 2]), o['add'](...[1, 2])] \
            | [8,8]
            const o = { f() { 'use strict'; return this === o } }; const { f } = o; return [o.f(...[]), f(...[])] \
            | [true,false]
            const o = { m() { return this === o } }; \
            return [(o.m)(...[]), (0, o.m)(...[]), o?.m(...[]), o.x?.m(...[])]              | [true,false,true,null]
            class A { constructor(...all) { this.all = all } m() { return this.all } } \
            class B extends A { constructor(...all) { super(0, ...all) } \
            m(...all) { return [super.m(...all), this.#p(...all)] } \
            #p(...all) { return all } } return new B(...[1]).m(...[2])                                  | [[0,1],[2]]
            class A { static of(...all) { return new this(...all) } constructor(a) { this.a = a } } \
            return A.of(...[7])                                                                         | {"a":7}
            function F() { return new.target === F } return new F(...[]) instanceof F                   | true
            const log = []; const o = { get m() { log.push('get'); return () => log.push('call') } }; \
            o.m(log.push('argument'), ...[]); return log                                    | ["get","argument","call"]
            const log = []; const o = () => { log.push('object'); return { [1]: () => log.push('call') } }; \
            o()[log.push('key') - 1](...[log.push('argument')]); return log         | ["object","key","argument","call"]
            let f = (...all) => all.join(); const g = f; return f(...[f = null, 1])                     | ",1"
            return 'text'.concat(...['a', 'b'])                                                         | "textab"
            const $spread$ = 1; return [[1, 2]].map((all) => Math.max(...all, $spread$))                | [2]
            return [[1, 2]].map(($spread$) => Math.max(...$spread$))                                    | [2]
            with ({ f() { return this.n }, n: 3 }) { return f(...[]) }                                  | 3
            const x = 1; return eval('x') + Math.max(...[1, 2])                                         | 3
            return await demo.echo(...[{ a: 1 }])                                                       | {"a":1}
            const { length } = [...[1, 2]], f = (...all) => ({ ...all }); return [length, f(...'ab')] \
            | [2,{"0":"a","1":"b"}]
            """)
    void spreadCallsMeanWhatTheyMeanInTheLanguage(String code, String result) throws Exception {
        // Calls that spread only literal lists are not rewritten.
        for (String each : List.of(code, code.replaceAll("\\.\\.\\.(\\[[^\\[\\]]*])", "...$1.slice()"))) {
            assertThat(run(each, SourceLanguage.JAVASCRIPT)).isEqualTo(new SessionResult.ScriptReturned(result));
        }
    }

    @Test
    void callsThatSpreadOnlyLiteralListsAreNotRewritten() throws Exception {
        assertThat(run(
                        "const f = (...all) => Math.max(...[1, ...all], ...[2]);"
                                + " return [f(3), String(() => f(...[1]))]",
                        SourceLanguage.JAVASCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned("[3,\"() => f(...[1])\"]"));
    }

    @Test
    void longChainsOfCallsRun() throws Exception {
        // The engine itself parses chains in quadratic time: a chain of 20,000 calls exceeds the limit of CPU time.
        String chain = "const all = [1]; const o = { n: 0, f(n) { this.n += n; return this } }; return o"
                + ".f(...all)".repeat(5_000) + ".n";
        assertThat(run(chain, SourceLanguage.JAVASCRIPT)).isEqualTo(new SessionResult.ScriptReturned("5000"));
    }

    @Test
    void typeScriptSpreads() throws Exception {
        String code = "enum E { A = 2 }\nconst count = (...all: number[]): number => all.length + E.A;\n"
                + "const big: number[] = new Array<number>(70000).fill(1);\n"
                + "return [count(...big), (count as any)(...[1]), count!(...(big as number[])),\n"
                + "  new Array<number>(...big).length];";
        assertThat(run(code, SourceLanguage.TYPESCRIPT))
                .isEqualTo(new SessionResult.ScriptReturned("[70002,3,70002,70000]"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "const o = {};⏎ o.missing(...one)",
                "const o = { a: {} };⏎ o.a.b(...one)",
                "const o = { a: {} };⏎ o⏎  .a⏎  .b(...one)",
                "let u;⏎ u(...one)",
                "const o = {}; const k = 'x';⏎ o[k](...one)",
                "⏎ unknown(...one)",
                "const C = 1;⏎ new C(...one)",
                "const C = () => {};⏎ new C(...one)",
                "const o = { a: null };⏎ o?.a.m(...one)",
                "let u;⏎ u[{ toString() { throw new Error('not called') } }](...one)",
                "let u;⏎ u[Symbol('s')](...one)",
                "let u;⏎ u[1](...one)",
                "let u;⏎ u.name(...one)",
                "const o = {};⏎ o⏎  .a⏎  .b(...one)",
                "const o = {};⏎ 1 +⏎ o.a.b.c(...one)",
                "const f = () => {⏎ null.x };⏎ const g = () => f(...one);⏎ g()",
                "const o = { f() { null.x } };⏎ const g = () => 1 + o.f(...one);⏎ g()",
                "class C { constructor() { null.x } }⏎ const g = () => 1 + new C(...one);⏎ g()",
                "⏎ await demo.fail(...one)",
                "⏎ await tools⏎ .demo⏎ .fail(...one)",
            })
    void errorsAreThoseOfACallWithoutSpread(String code) throws Exception {
        String start = "const one = [1];\n";
        SessionResult end = run(start + code, SourceLanguage.JAVASCRIPT);
        assertThat(end).isInstanceOf(SessionResult.ScriptThrew.class);
        assertThat(end).isEqualTo(run(start + code.replace("...one", "1"), SourceLanguage.JAVASCRIPT));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            const big = new Array(1000001).fill(1);⏎ big.push(...big) | RangeError: A call takes at most 1000000
            const big = new Array(1000001).fill(1);⏎ new Map(...big)  | RangeError: A call takes at most 1000000
            let count;⏎ Math.max(...count)                            | TypeError:
            let u;⏎ u.name(...'a')                                    | TypeError: Cannot read property 'name' of undef
            const big = new Array(70000).fill(1), o = { m() {} };⏎ o?.m(...big)     | RangeError: A call of this form
            const big = new Array(70000).fill(1), o = { m() {} };⏎ o.m?.(1, ...big) | RangeError: A call of this form
            const big = new Array(70000).fill(1), f = () => 1;⏎ (f)(...big)         | RangeError: A call of this form
            const big = new Array(70000).fill(1), f = () => f;⏎ f()(...big, 1)      | RangeError: A call of this form
            const big = new Array(70000).fill(1); class A {} class B extends A { constructor() {⏎ super(...big)⏎ } } \
            new B()                                                                 | RangeError: A call of this form
            const big = new Array(70000).fill(1); class A { m() {} } class B extends A { m() {⏎ super.m(...big)⏎ } } \
            new B().m()                                                             | RangeError: A call of this form
            const big = new Array(70000).fill(1); class A { #p() {} m() {⏎ this.#p(...big)⏎ } } new A().m() \
            | RangeError: A call of this form
            """)
    void errorBeforeTheCallHasItsLine(String code, String message) throws Exception {
        assertThat(run(code, SourceLanguage.JAVASCRIPT))
                .isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                    assertThat(threw.message()).startsWith(message);
                    assertThat(threw.line()).isEqualTo(2);
                    assertThat(threw.stack()).doesNotContain("spread");
                });
    }
}
