package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.InProcessSandbox;

/**
 * Each row has the source as an author writes it and the expected outcome. In a row ⏎ stands for a line end, ␍ for a
 * carriage return and ␤ for U+2028.
 */
class ScriptNormalizerTest {
    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new InProcessSandbox(2);
    }

    private static final SessionLimits LIMITS =
            new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5);
    private static final List<GuestTool> TOOLS =
            List.of(new GuestTool("demo", "echo"), new GuestTool("demo", "fail"), new GuestTool("my-backend", "echo"));

    @AfterAll
    static void close() {
        sandbox.close();
    }

    private static Script script(String row, SourceLanguage language) {
        String code = row.replace('⏎', '\n').replace('␍', '\r').replace('␤', '\u2028');
        return new Script(code, language);
    }

    private static SessionResult run(String row, SourceLanguage language) throws Exception {
        SessionRequest request = new SessionRequest(
                "s", "t", script(row, language), "{\"n\":1}", "{\"c\":2}", LIMITS, new Toolbox(TOOLS, List.of()));
        return RecordingListener.start(sandbox, request).end();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            1+1                                                                  | 2
            'text'                                                               | "text"
            ({ a: 1 })                                                           | {"a":1}
            1; 2; ;                                                              | 2
            args.n + context.c                                                   | 3
            args.n ⏎ + 1 // a comment                                            | 2
            await demo.echo({ a: 1 })                                            | {"a":1}
            demo.echo({ a: 1 })                                                  | {"a":1}
            await demo.echo({ a: 1 });⏎⏎/* the end */                            | {"a":1}
            const r = await demo.echo({ a: 1 });⏎r.a                             | 1
            const r = await demo.echo({ a: 1 });                                 | null
            return await demo.echo({})                                           | {}
            let x = 1; x = 2                                                     | null
            let x = 1; x++                                                       | null
            if (args.n) return 1; return 2                                       | 1
            if (args.n) return 1;⏎2                                              | 1
            for (const a of [1]) { return a }                                    | 1
            async () => { return args.n }                                        | 1
            async (input, more) => [input.n, more.c]                             | [1,2]
            (async () => { return 3 });                                          | 3
            (async () => { return 3 })()                                         | 3
            ;(async function () { return 3 })();                                 | 3
            (async () => { return 3 })().catch(console.error)                    | 3
            function () { return 4 }                                             | 4
            async function (args, context) { return context.c }                  | 2
            // the job⏎async function (a) { return a.n };                        | 1
            async function main() { return 5 }                                   | 5
            async function main(a, c) { return a.n + c.c }⏎                      | 3
            async function run() { return 5 }                                    | 5
            async function run() { return twice(await demo.echo({ n: 2 })) }⏎function twice(r) { return r.n * 2 } | 4
            const run = async (a) => more(a.n);⏎const more = (n) => n + 1;⏎class Unused {} | 2
            const a = 1, run = (args) => args.n + a, b = 2                       | 2
            async function run() { return 5 }⏎const list = [1].map((run) => run) | 5
            async function run() { return 5 }⏎const list = [run]                 | null
            async function run() { return 5 }⏎async function main() { return 6 }⏎const x = 1 | 6
            const run = { main() { return 5 } };⏎const x = 1                     | null
            async function anyName(a) { return a.n }                             | 1
            const job = async (a) => a.n + 6                                     | 7
            const job = function (a) { return a.n + 7 };                         | 8
            function one() { return 1 } function two() { return one() + 1 }      | 2
            async function main() { return 5 } main()                            | 5
            async function main() { return 5 }⏎await main();                     | 5
            main(); async function main() { return 5 }                           | 5
            void main(); async function main() { return 5 }                      | 5
            return main(); async function main() { return 5 }                    | 5
            async function main() { return 5 }⏎main().then(x => x + 1)           | 6
            async function main() { return 5 }⏎console.log('loaded')             | 5
            async function main(x = 1) { return x === 3 ? 3 : main(3) }          | 3
            const main = async () => 5; main                                     | 5
            async function main() { return helper(1) }⏎function helper(n) { return n > 0 ? n : main() }⏎let x = 1 \
                                                                                 | 1
            function main() { return 5 }⏎function again() { return main() }⏎const x = 1 | 5
            function main() { return 5 }⏎const api = { main };⏎const x = 1       | null
            function one() { return two() } function two() { return one() }      | null
            function* main() { yield 1 }                                         | null
            function helper() { return 1 } const x = helper();                   | null
            class A {}                                                           | null
            export default async function main(args) { return args.n }           | 1
            export default async function (args) { return args.n }               | 1
            export default function* () { }                                      | ¤(a generator)¤
            export default (args) => args.n                                      | 1
            export default async (args) => args.n + 1;⏎const a = 1               | 2
            export default { a: 1 }                                              | {"a":1}
            export default { async main(args) { return args.n } }                | 1
            export default { k: 7, run() { return this.k } }                     | 7
            export default 42                                                    | 42
            export default await demo.echo({ a: 2 })                             | {"a":2}
            export default(1)                                                    | 1
            export /* a */ default⏎async⏎ (a) => a.n                             | ¤(line end before the arrow's \
            parameters)¤
            export async function main(a, b) { return [a, b] }                   | [{"n":1},{"c":2}]
            export const main = async (a) => a.n                                 | 1
            export const run = async (a) => a.n; export const other = () => 9    | 1
            export function only() { return 8 }                                  | 8
            async function job() { return 1 } export { job as default }          | 1
            async function job() { return 1 } export { job as main }             | 1
            export const x = 1; return x + 1                                     | 2
            export const x = 1; x + 1                                            | 2
            module.exports = async (args) => args.n                              | 1
            module.exports = { main: (args) => args.n + 1 }                      | 2
            exports.main = async () => 6; const a = 1                            | 6
            module.exports.run = () => 7                                         | 7
            exports.handler = async (args) => args.n                             | 1
            module.exports = { handler: (args) => args.n }                       | 1
            module.exports = { a: 1 }                                            | {"a":1}
            let main; main = async () => 7                                       | 7
            exports.a = 1; exports.b = 2                                         | {"a":1,"b":2}
            const module = { exports: 1 }; module.exports = 2; return 3          | 3
            #!/usr/bin/env node⏎return 1                                         | 1
            { "tool": "demo.echo", "arguments": { "k": [1, 1.0, 1e2] } }         | {"k":[1,1,100]}
            {"tool":"my-backend.echo"}                                           | {}
            'use strict'; return this === undefined                              | false
            with ({ a: 1 }) { var b = a } return b + 010                         | 9
            1 <!-- 2                                                             | 1
            5⏎--> a comment                                                      | 5
            return 1 //                                                          | 1
            return `a${ '`' }b`                                                  | "a`b"
            return /[/`]\\/}\\)/.source.length                                   | 9
            1;␤ 2                                                                | 2
            1;␍ 2 + 1                                                            | 3
            return `a␍b`.length                                                  | 3
            """)
    void everyFormOfJavaScriptRuns(String code, String result) throws Exception {
        SessionResult end = run(code, SourceLanguage.JAVASCRIPT);
        if (result.startsWith("(")) {
            assertThat(end).isInstanceOf(SessionResult.ScriptThrew.class);
        } else {
            assertThat(end).isEqualTo(new SessionResult.ScriptReturned(result));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            ```js⏎return 1⏎```                                                   | 1
            ```⏎return 1⏎```                                                     | 1
            ```javascript title="a"⏎return 1⏎```⏎                                | 1
            Here is the script:⏎⏎```js⏎1 + 1⏎```⏎⏎It adds `1` and `1`.           | 2
            Script:⏎```ts⏎const a: number = 1;⏎return a as number⏎```            | 1
            ```typescript⏎enum E { A = 4 }⏎return E.A                            | 4
            1. So:⏎  ```js⏎  return 1⏎  ```                                | 1
            ````js⏎return '⏎```⏎'.length⏎````                                    | ¤(a text over lines)¤
            ````js⏎return `\\`\\`\\``⏎````                                       | "```"
            Install:⏎```bash⏎npm i⏎```⏎Run:⏎```js⏎return 1⏎```                   | 1
            ```json⏎{"tool":"demo.echo","arguments":{"a":1}}⏎```                 | {"a":1}
            /*⏎```js⏎x⏎```⏎*/ return 1                                           | 1
            This adds what matches src/*.ts:⏎⏎```js⏎const a = 1;⏎return a + 1;⏎``` | 2
            Matches /*.ts, and/or*, 5/*, text/*:⏎```js⏎/* a */ return 3⏎```      | 3
            Of /*.ts and lib/*/x:⏎```js⏎return 3⏎```⏎but not **/x, nor a/*/b     | 3
            Some `code and /*.ts:⏎```js⏎return 3⏎```                             | 3
            /** See:⏎```js⏎demo.add({})⏎```⏎*/⏎const lines = ['```', 'x', '```'];⏎return \
            `\\`\\`\\`⏎${lines.length}`.length | 5
            1. Run this:⏎⏎     ```js⏎     return 4⏎     ```⏎⏎2. Look               | 4
            - Run this:⏎⏎	```js⏎	return 4⏎	```⏎                                 | 4
            /*⏎      ```js⏎      return 3⏎      ```⏎*/⏎return 4                  | 4
            ```js⏎const s = `⏎    ~~~⏎`;⏎return s.length⏎```                     | 9
            ~~~js⏎return 4;⏎~~~⏎                                                 | 4
            Script:⏎~~~⏎return 4;⏎~~~⏎Done                                       | 4
            Script:⏎~~~js⏎return 4;⏎~~~⏎Done                                     | 4
            ~~~~ts⏎const s: string = `⏎~~~⏎`;⏎return s.length⏎~~~~               | 5
            ~~~js⏎return `⏎\\`\\`\\`⏎`.length⏎```⏎~~~                            | ¤(backticks end no fence of tildes)¤
            const text = `⏎~~~js⏎${1 + 1}⏎~~~⏎`;⏎return text.length              | 13
            const x = 3, y =⏎~~~x;⏎return y                                      | -4
            /* the same⏎~~~js⏎x⏎~~~⏎*/ return 1                                  | 1
            In src/*:⏎```js⏎return 1⏎```⏎```js⏎return 2⏎```                      | ¤(two scripts)¤
            ```js⏎#!/usr/bin/env node⏎return 1⏎```                               | 1
            ```js␍⏎return 1␍⏎```␍⏎                                               | 1
            /*⏎Usage for src/*.ts:⏎```bash⏎run it⏎```⏎*/⏎return 1;              | 1
            /**⏎ * ```js⏎ * demo.fail({})⏎ * ```⏎ */⏎return 4                    | 4
            /*⏎```js⏎return 3⏎```⏎*/⏎return 4 +                                  | ¤(an error in the script itself)¤
            /** Of src/*.ts:⏎```js⏎return 3⏎```⏎*/⏎return 4 +                    | ¤(an error in the script itself)¤
            // like ```js⏎return 4                                               | 4
            return 4 // like ```js                                               | 4
            ~~~args.n                                                            | -2
            const js = 4;⏎return (⏎~~~js⏎)                                       | -5
            const js = 4;⏎return (1 +⏎~~~js⏎                                     | ¤(no closing bracket)¤
            Here it is: ```js⏎return 4⏎```                                       | 4
            Here it is: ```⏎return 4⏎```⏎Done                                    | 4
            Here's `main.js`: ```js⏎return 4⏎```                                 | 4
            1. ```js⏎   return 4⏎   ```                                          | 4
            - ```js⏎  return 4⏎  ```                                             | 4
            * ```⏎  return 4⏎  ```                                               | 4
            > ```js⏎> const a = 4⏎> return a > 3⏎> ```                           | true
            > Look:⏎> ```ts⏎> const a: number = 4⏎> return a⏎⏎Done               | 4
            ```js⏎return 4```                                                    | 4
            ```js⏎```                                                            | ¤(no code)¤
            Script: ```js⏎⏎```                                                   | ¤(no code)¤
            ¤    ```js⏎    return 4⏎    ```¤                                     | 4
            ¤        ```⏎        return 4⏎        ```¤                           | 4
            Script:⏎⏎    ```js⏎    return 4⏎    ```                              | 4
            - a⏎  - b⏎      ```js⏎      return 4⏎      ```                       | 4
            """)
    void markdownFenceIsRemoved(String code, String result) throws Exception {
        SessionResult end = run(code, SourceLanguage.JAVASCRIPT);
        if (result.startsWith("(")) {
            assertThat(end).isInstanceOf(SessionResult.ScriptThrew.class);
        } else {
            assertThat(end).isEqualTo(new SessionResult.ScriptReturned(result));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            enum E { A = 4, B }⏎return E.B                                       | 5
            const enum E { A = 'x' }⏎return E.A                                  | "x"
            function f<T extends object>(a: T): T { return a }⏎return f<{ b: number }>({ b: 1 }) | {"b":1}
            namespace N { export const a = 1; export namespace M { export const b = 2 } }⏎N.a + N.M.b | 3
            namespace N { export const a = 1 }⏎namespace N { export const b = a + 1; export const c = { a } }⏎\
            [N.b, N.c]                                                           | [2,{"a":1}]
            namespace N { export let n = 1 }⏎namespace N { export function up() { n++; return n } }⏎[N.up(), N.n] | \
            [2,2]
            namespace N { export let a = 0, b = 0 }⏎namespace N { ({ a, x: [b] } = { a: 5, x: [6] }) }⏎[N.a, N.b] | \
            [5,6]
            const a = 1; namespace N { export const a = 2 }⏎namespace N { export const b = (a: number) => a }⏎\
            namespace N { export const c = a; const d = { a: a }; export const e = d.a }⏎[N.b(7), N.c, N.e] | \
            [7,2,2]
            namespace N { export const a = 2 }⏎namespace N { const a = 3; export const b = a }⏎N.b | 3
            namespace A { export namespace B { export const x = 1 } }⏎namespace A.B { export const y = x + 1 }⏎\
            namespace A { export const z = B.y; namespace C { export const q = 4 } namespace C { export const r \
            = q } export const s = C.r }⏎[A.B.y, A.z, A.s]                             | [2,2,4]
            namespace N { export class P { n = 1 } export enum E { A = 3 } export function f() { return new P() } }⏎\
            namespace N { export class Q extends P { e: E = E.A; static g() { return f().n } } }⏎\
            [new N.Q().n, new N.Q().e, N.Q.g()]                                  | [1,3,1]
            enum C { R = 1, G }⏎namespace C { export const hex = (c: C): string => c.toString(16) + C[c] }⏎\
            C.hex(C.G)                                                           | "2G"
            function count() { return ++count.n }⏎namespace count { export let n = 4 }⏎[count(), count()] | [5,6]
            const r = await <any>demo.echo({ n: 1 }); return [(<any>r).n!, r.n satisfies number] | [1,1]
            const first = <T,>(list: T[]): T => list[0]; let n!: number; n = 2; first([n])! | 2
            import type { X } from './x'; export type A = { a: number }; export enum M { F = 'f' } export { type X };⏎\
            export abstract class B<T extends object = {}> { abstract run(x: T): Promise<number>; declare tag: string \
            }⏎\
            declare global { interface Array<T> { mine?: T } } declare module 'x' { export const y: number }⏎\
            export default async function main({ n, b = 2 }: any, ...more: unknown[]): Promise<object> {⏎\
            class C extends B<A> { override async run(x: A) { return x.a + b } }⏎\
            return { v: await new C().run({ a: n }), m: M.F } as const satisfies object } | {"v":3,"m":"f"}
            import type { X } from 'm'; const a: X = 1 as any; return a          | 1
            import { type X } from 'm'; return 1                                 | 1
            return ({ a: 1 } satisfies { a: number }).a                          | 1
            return { a: 1 } as const                                             | {"a":1}
            class A { constructor(private readonly x: number, public y = 2) {} get s() { return this.x + this.y } \
            }⏎return new A(1).s | 3
            abstract class B { abstract f(): number; g() { return this.f() } }⏎class C extends B { f() { return 1 } \
            }⏎return new C().g() | 1
            function o(a: string): void; function o(a: number): number; function o(a: any) { return a }⏎return o(1) | 1
            function twice(t: any, c: any) { return function (this: any) { return t.call(this) * 2 } }⏎class A { \
            @twice m() { return 2 } }⏎return new A().m() | 4
            let x = <number>1; return x!                                         | 1
            // @ts-nocheck⏎/// <reference path="/etc/passwd" />⏎// @ts-ignore⏎return 1 | 1
            export default async function main(a: { n: number }): Promise<number> { return a.n } | 1
            async function job(a: any): Promise<number> { return a.n }           | 1
            const job = async (a: any): Promise<number> => a.n                   | 1
            (a: any): number => a.n                                              | 1
            export = (a: any) => a.n                                             | 1
            export default class { }                                             | ¤(a class)¤
            type A = { a: number }; interface I { b: A }⏎const v: I = { b: { a: 1 } }; v.b.a | 1
            declare const z: number; return typeof z                             | "undefined"
            await demo.echo({ a: 1 }) as unknown                                 | {"a":1}
            return '\\ud800'                                                     | "\\ud800"
            namespace N { export const a = 1 }⏎namespace N { export function f(N: number) { return a + N } }⏎N.f(2) | 3
            namespace P { export const other = 4 }⏎namespace P { export class P { n = other } }⏎new P.P().n | 4
            namespace A.B { export const x = 1 }⏎namespace A.B { export const f = (B: number) => ({ x, B }) }⏎\
            A.B.f(2)                                                             | {"x":1,"B":2}
            namespace A { export namespace B { export const x = 1 } }⏎\
            namespace A { export namespace B { export const f = (B: number) => x + B } }⏎A.B.f(2) | 3
            namespace A { namespace B { export const x = 1 } namespace B { export const f = (B: number) => x + B } \
            export const y = B.f(2) }⏎A.y                                        | 3
            declare namespace N { let a: number }⏎namespace N { export const b = a ?? 3 }⏎N.b | 3
            const $N$1 = 5; namespace N { export const a = 1 }⏎\
            namespace N { export const f = (N: number) => a + N + $N$1 }⏎N.f(2)  | 8
            """)
    void everyFormOfTypeScriptRuns(String code, String result) throws Exception {
        SessionResult end = run(code, SourceLanguage.TYPESCRIPT);
        if (result.startsWith("(")) {
            assertThat(end).isInstanceOf(SessionResult.ScriptThrew.class);
        } else {
            assertThat(end).isEqualTo(new SessionResult.ScriptReturned(result));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            JS | let x = ;                                        | syntax-error | 1 | 9
            JS | const 😀 = 1                                     | syntax-error | 1 | 7
            JS | let a; let a;                                    | syntax-error | 1 | 12
            JS | ⏎⏎  return }                                     | syntax-error | 3 | 10
            JS | const a = '😀'; null.x                           | script-error | 1 | 17
            JS | null.x                                           | script-error | 1 | 1
            JS | 1;⏎  null.x                                      | script-error | 2 | 3
            JS | (async () => { null.x })()                       | script-error | 1 | 16
            JS | async () => { null.x }                           | script-error | 1 | 15
            JS | async function main() {⏎  throw new Error('a') } | script-error | 2 | 9
            JS | async function () {⏎  throw new Error('a') }     | script-error | 2 | 9
            JS | async function () { null.x }                     | script-error | 1 | 21
            JS | export default async () => { null.x }            | script-error | 1 | 30
            JS | export default async function () {⏎null.x }      | script-error | 2 | 1
            JS | import a from 'x'; null.x                        | module-not-allowed | 1 | 1
            JS | 1; import {⏎a⏎} from 'x';⏎null.x                 | module-not-allowed | 1 | 4
            JS | const x = 1; await import('fs')                  | module-not-allowed | 1 | 20
            JS | module.exports = () => { null.x }                | script-error | 1 | 26
            JS | void main(); async function main() { null.x }    | script-error | 1 | 38
            JS | 1;␤ null.x                                       | script-error | 1 | 5
            JS | 1;␍ null.x                                       | script-error | 2 | 2
            JS | 1;␍⏎ null.x                                      | script-error | 2 | 2
            JS | let a = 1;␤ let b = ;                            | syntax-error | 1 | 21
            JS | let a = 1;␍ let b = ;                            | syntax-error | 2 | 10
            JS | Look:⏎```js⏎let a = 1;⏎null.x⏎```                | script-error | 4 | 1
            JS | ```js⏎let a = ;⏎```                              | syntax-error | 2 | 9
            JS | ```python⏎print(1)⏎```                           | syntax-error | 1 | 1
            JS | ```js⏎1⏎```⏎```js⏎2⏎```                          | syntax-error | 4 | 1
            JS | null.x //# sourceURL=a.js                        | script-error | 1 | 1
            JS | //# sourceURL=a.js⏎null.x⏎//@ sourceURL=b.js     | script-error | 2 | 1
            JS | null.x⏎//# sourceMappingURL=a.map                | script-error | 1 | 1
            JS | const a = <div/>;                                | syntax-error | 1 | 11
            JS | export default class A {}                        | syntax-error | 1 | 1
            JS | export const a = 1;                              | syntax-error | 1 | 1
            JS | import.meta.url                                  | syntax-error | 1 | 1
            JS | let { ...rest, } = { a: 1 };                     | syntax-error | 1 | 14
            JS | ({ ...a /* x */ , }) => 1                        | syntax-error | 1 | 17
            JS | const a = 1;⏎function f({ b, ...c, }) {}         | syntax-error | 2 | 21
            JS | ({ ...args.list, } = {})                         | syntax-error | 1 | 16
            JS | ({ ...(args.list), } = {})                       | syntax-error | 1 | 18
            TS | let { ...rest /* a, b */ , } = {};               | syntax-error | 1 | 26
            TS | ({ ...args.list[f(1,2)], } = {})                 | syntax-error | 1 | 24
            TS | let { ...rest, // last⏎} = {} as any;            | syntax-error | 1 | 14
            JS | ```js⏎⏎```                                       | syntax-error | 1 | 1
            TS | namespace N { export const a: any = 0 }⏎namespace N { ((N) =>⏎  a.b.c)(1) } | script-error | 3 | 3
            TS | const a: number = 1;⏎const f = ({ b, ...c, }: any) => c; | syntax-error | 2 | 21
            JS | See src/*.ts:⏎```js⏎let a = ;⏎```                | syntax-error | 3 | 9
            JS | See src/*.ts:⏎~~~⏎  null.x⏎~~~⏎                  | script-error | 3 | 3
            JS | const h = 1;⏎async function run() { null.x }⏎const i = 2 | script-error | 2 | 24
            JS | const a: number = 1;                             | syntax-error | 1 | 8
            TS | namespace N { export const a = 1 }⏎namespace N { const b = a; null.x } | script-error | 2 | 28
            TS | namespace N { export const a: any = null }⏎namespace N {⏎  a.x } | script-error | 3 | 3
            TS | let y: number = ;                                | syntax-error | 1 | 17
            TS | interface I { a: number }⏎const e: string = '😀'; null.x | script-error | 2 | 25
            TS | enum E { A }⏎type T = 1;⏎  null.x                | script-error | 3 | 3
            TS | namespace N { null.x }                           | script-error | 1 | 15
            TS | const a: any = async (): Promise<void> => { null.x }; a() | script-error | 1 | 45
            TS | export default async function (a: any) {⏎  null.x } | script-error | 2 | 3
            TS | async function (a: any) { null.x }               | script-error | 1 | 27
            TS | @d class A { }⏎function d() {}⏎null.x            | script-error | 3 | 1
            TS | const a = <div/>;                                | syntax-error | 1 | 11
            TS | ```ts⏎let a: number = 1;⏎null.x⏎```              | script-error | 3 | 1
            TS | import x = require('fs'); x.y()                  | module-not-allowed | 1 | 8
            TS | let a: any = 1;␍null.x                           | script-error | 2 | 1
            TS | let a; let a;                                    | syntax-error | 1 | 12
            TS | null.x //# sourceURL=a.js                        | script-error | 1 | 1
            JS | const s = AbortSignal.timeout(5);⏎await new Promise((_, no) => { s.onabort = () => no(s.reason) }) \
                                                                  | script-error | 1 | 23
            """)
    void errorsHaveTheOriginalLineAndColumn(String language, String code, String failure, int line, int column)
            throws Exception {
        SessionResult end = run(code, language.equals("JS") ? SourceLanguage.JAVASCRIPT : SourceLanguage.TYPESCRIPT);
        assertThat(end).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
            assertThat(threw.code() + " " + threw.line() + ":" + threw.column())
                    .as(threw.message())
                    .isEqualTo(failure + " " + line + ":" + column);
            assertThat(threw.stack() + threw.message())
                    .doesNotContain("$", "sallyport", "java", "graal", "main.js", "a.js");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            async function handler() { return helper() }⏎function helper() { return 1 }    | handler
            const job = { async run() { return 1 } };⏎const other = 3                      | job
            async function run() {} const api = { run };⏎const other = 3                    | api
            async function run() {} const api = { start: run, retries: 3 };⏎const other = 3 | api
            class Job { async run() { return 1 } }                                         | Job
            function* main() { yield 1 }                                                   | main
            async function start() {}⏎console.log('ready');⏎const x = [1].map((start) => 2) | start
            const a = () => 1, b = () => 2;⏎const c = 3                                    | a, b
            function a() {} function b() {} function c() {} function d() {} function e() {} function f() {} 1; \
            undefined \
                                                                                           | a, b, c, d, e, …
            function used() { return 1 }⏎used(); null                                      | ¤¤
            function unused() {}⏎return null                                               | ¤¤
            function unused() {}⏎5                                                         | ¤¤
            let main; main = async () => 1                                                 | ¤¤
            let main; main = async () => 1; main(); null                                   | ¤¤
            main = async () => 1; main(); null                                             | ¤¤
            class Job { async run() { return 1 } }⏎const job = new Job();                  | job
            class Job { async run() { return 1 } }⏎const job = new Job();⏎null             | ¤¤
            class Job { static { this.ready = true } }                                     | ¤¤
            function one() { return two() } function two() { return one() }⏎const x = 1    | one
            const a = 1                                                                    | ¤¤
            async function main() {}                                                       | ¤¤
            """)
    void scriptThatReturnsNothingNamesItsUnusedCode(String code, String names) throws Exception {
        SessionRequest request = new SessionRequest(
                "s", "t", script(code, SourceLanguage.JAVASCRIPT), "{}", "{}", LIMITS, new Toolbox(TOOLS, List.of()));
        RecordingListener listener = RecordingListener.start(sandbox, request);
        assertThat(listener.end()).isInstanceOf(SessionResult.ScriptReturned.class);
        if (names.isEmpty()) {
            assertThat(listener.output()).isEmpty();
        } else {
            assertThat(listener.output())
                    .contains(
                            "Warning: the script returned nothing and never used " + names + "; call what should run");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            const a = 1; return a                                          | JAVASCRIPT
            const a: number = 1; return a                                  | TYPESCRIPT
            interface A { b: number }⏎return ({ b: 1 } as A).b             | TYPESCRIPT
            async function (a: { n: number }) { return a.n }               | TYPESCRIPT
            return await demo.echo({ a: 1 }) as unknown                    | TYPESCRIPT
            return await demo.echo({ a: 1 })                               | JAVASCRIPT
            {"tool":"demo.echo","arguments":{"a":1}}                       | JAVASCRIPT
            Of src/*:⏎```js⏎const a: number = 1; return a⏎```              | TYPESCRIPT
            ```ts⏎return 1⏎```                                             | TYPESCRIPT
            with ({ a: 1 }) { var b = a } return b                         | JAVASCRIPT
            const s = new Set<string>(['a']); return s.size                | TYPESCRIPT
            const r = await demo.echo<{ a: number }>({ a: 1 }); return r.a | TYPESCRIPT
            const a = 1, b = 2, c = 0; return a<b && b>(c)                 | JAVASCRIPT
            const m = new Map<string, Array<number>>([['a', [1]]]); return m.size | TYPESCRIPT
            const [a, b, c, d] = [1, 2, 3, 4]; return [a<b,c>(d)]          | JAVASCRIPT
            const list = 1, number = 2; return [args.n<number, list>(3)]   | JAVASCRIPT
            return ((a, b) => [a<context, args>(b)])(1, 2)                 | JAVASCRIPT
            const f = (x) => x; return [f<1, 2>(3)]                        | JAVASCRIPT
            ¤const f = (x) => x; return f<'a' | 'b'>('a')¤                 | TYPESCRIPT
            const f = (x) => x, list = [1]; return f<typeof list>(list)    | TYPESCRIPT
            const id = 5; const r = await demo.echo<{ id: number }>({ id }); return r.id | TYPESCRIPT
            class Job {} const jobs = new Set<Job>([new Job()]); return jobs.size | TYPESCRIPT
            """)
    void languageIsFoundWhenNoneIsGiven(String code, SourceLanguage found) throws Exception {
        Script script = script(code, SourceLanguage.UNSPECIFIED);

        assertThat(sandbox.check("t", script).toCompletableFuture().get())
                .isEqualTo(new ScriptCheckResult.ScriptAccepted(found, code.startsWith("Of src/*")));
        assertThat(run(code, SourceLanguage.UNSPECIFIED)).isInstanceOf(SessionResult.ScriptReturned.class);
    }

    /** As TypeScript, the script would run with two variables. */
    @ParameterizedTest
    @EnumSource(names = {"UNSPECIFIED", "JAVASCRIPT"})
    void nameThatIsDeclaredTwiceIsAnErrorOfJavaScript(SourceLanguage language) throws Exception {
        assertThat(run("{ const a = null; function f() { var f } { let q = 1; var q = 2 } } return 1", language))
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.message())
                                .contains("has already been declared")
                                .doesNotContain("TypeScript"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            UNSPECIFIED | let a = ;                                  | 1 | 9  | SyntaxError: Expression expected
            UNSPECIFIED | const a: number = 1;⏎return a +;           | 2 | 11 | SyntaxError: Expression expected
            UNSPECIFIED | let { ...a /* b, c */ , } = {}             | 1 | 23 | Rest element must be last element
            UNSPECIFIED | ({ ...args.list[f(1,2)], } = {})           | 1 | 24 | Rest element must be last element
            JAVASCRIPT  | return 1 as number                         | 1 | 10 | (the script is TypeScript: submit it \
            with the language
            """)
    void errorIsThatOfTheLikelyLanguage(SourceLanguage language, String code, int line, int column, String message)
            throws Exception {
        assertThat(sandbox.check("t", script(code, language))
                        .toCompletableFuture()
                        .get())
                .isInstanceOfSatisfying(ScriptCheckResult.ScriptRejected.class, rejected -> {
                    assertThat(rejected.message()).contains(message);
                    assertThat(rejected.line() + ":" + rejected.column()).isEqualTo(line + ":" + column);
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            }); globalThis.evil = 1; (async()=>{
            }) ; (async($args$)=>{
            /* */ }); globalThis.evil = 1; (async()=>{ /* */
            return 1⏎}, globalThis.evil = 1, async()=>{
            `${ 1 }`⏎}); globalThis.evil = 1; (()=>{
            }⏎--> x
            */ }); (async()=>{ /*
            return 1 /* unterminated
            return `unterminated
            return `${ unterminated
            return 'unterminated
            return /unterminated
            return "unterminated\\
            <!--⏎}); globalThis.evil = 1; (async()=>{
            1;␤}); globalThis.evil = 1; (async()=>{
            //␤}); globalThis.evil = 1; (async()=>{
            //␍}); globalThis.evil = 1; (async()=>{
            #!⏎}); globalThis.evil = 1; (async()=>{
            } catch (e) {} {
            let $args$ = 1
            super.x
            yield 1
            return new.target
            export default }); globalThis.evil = 1; (async()=>{
            ) { } (
            """)
    void injectedCodeCannotLeaveTheWrapper(String code) throws Exception {
        Script script = script(code, SourceLanguage.JAVASCRIPT);
        assertThat(sandbox.check("t", script).toCompletableFuture().get())
                .isInstanceOfSatisfying(
                        ScriptCheckResult.ScriptRejected.class,
                        rejected -> assertThat(rejected.line())
                                .as(rejected.message())
                                .isPositive());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            const m = require('x')                      | Module "x"
            import m from 'x'; m()                      | Module "x"
            import { a as b, default as c } from "x"    | Module "x"
            import * as m from 'x'; export default m    | Module "x"
            import 'x'                                  | Module "x"
            export { main } from 'x'                    | Module "x"
            export * from 'x'; export default 1         | Module "x"
            await import('x')                           | Module "x"
            return (() => import('x'))()                | Module "x"
            """)
    void unknownModulesAreRefusedOnImport(String code, String words) throws Exception {
        assertThat(run(code, SourceLanguage.JAVASCRIPT))
                .isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                    assertThat(threw.message()).contains("ModuleNotAllowedError", words);
                    assertThat(threw.line()).isEqualTo(1);
                });
    }
}
