package org.sallyport.sandbox.directcall;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.GuestToolSnapshot;
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

class TierTest {
    private static final List<GuestTool> TOOLS = List.of(
            new GuestTool("demo", "echo"),
            new GuestTool("demo", "never"),
            new GuestTool("console", "log"),
            new GuestTool("my-backend", "echo"));

    /** In a row ⏎ stands for a line end. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            JS | await demo.echo({})                                     | SIMPLE
            JS | demo.echo()                                             | SIMPLE
            JS | return demo.echo([1, 'a', null, -1.5e3, { 'b': true }]) | SIMPLE
            JS | const r = await my_backend.echo({ a: 1, });⏎return r;   | SIMPLE
            JS | const r = await tools['my-backend'].echo({ a: 1 })⏎r    | SIMPLE
            JS | /* a */ await // b⏎mcp.demo.echo({ /* c */ a: 1 }) // d | SIMPLE
            JS | ```js⏎await demo.echo({})⏎```                           | SIMPLE
            JS | ~~~js⏎await demo.echo({})⏎~~~                           | SIMPLE
            JS | Of src/*.ts:⏎```js⏎await demo.echo({})⏎```              | SANDBOX
            JS | const r = await demo.echo({})                           | SIMPLE
            JS | const r = demo.echo({})                                 | SANDBOX
            JS | const demo = await demo.echo({})                        | SANDBOX
            JS | const r = await demo.echo({}); return s                 | SANDBOX
            JS | const r = await demo.echo({}) return r                  | SANDBOX
            JS | return⏎await demo.echo({})                              | SANDBOX
            JS | await console.log('a')                                  | SANDBOX
            JS | await tools.console.log('a')                            | SIMPLE
            JS | await demo.missing({})                                  | SANDBOX
            JS | await missing.echo({})                                  | SANDBOX
            JS | await demo.then({})                                     | SANDBOX
            JS | await demo?.echo({})                                    | SANDBOX
            JS | await demo.echo({}, 1)                                  | SANDBOX
            JS | await demo.echo(undefined)                              | SANDBOX
            JS | await demo.echo({ a })                                  | SANDBOX
            JS | await demo.echo({ __proto__: null })                    | SANDBOX
            JS | await demo.echo({ a: 010 })                             | SANDBOX
            JS | await demo.echo({ a: 1n })                              | SANDBOX
            JS | await demo.echo({ a: 1e999 })                           | SANDBOX
            JS | await demo.echo({ a: 1234567890123456789 })             | SIMPLE
            JS | await demo.echo({ a: -00.0 })                           | SANDBOX
            JS | await demo.echo({ a: 0.00012345678901234567891 })       | SIMPLE
            JS | await demo.echo({ a: 100_000_000_000_000_000_000_000 }) | SIMPLE
            JS | await demo.echo({ a: 123456789012345678901 })           | SANDBOX
            JS | await demo.echo([,])                                    | SANDBOX
            JS | await demo.echo({ a: `b${1}` })                         | SANDBOX
            JS | await demo.echo({ a: `b` })                             | SIMPLE
            JS | await demo.echo({}); evil()                             | SANDBOX
            JS | await demo.echo({}).a                                   | SANDBOX
            JS | (await demo.echo({})).a                                 | SANDBOX
            JS | await demo.echo({}) /* a                                | SANDBOX
            JS | await demo.echo({})⏎//# sallyport-tests⏎                | SANDBOX
            JS | {"tool":"$sallyport.artifacts.list"}                    | SANDBOX
            JS | const r: any = await demo.echo({})                      | SANDBOX
            TS | const r: any = await demo.echo({})                      | SIMPLE
            TS | const r: { a: number }[] = await demo.echo({}) as any; return r as Array<{ a: number }> | SIMPLE
            TS | await demo.echo({} as const)                            | SANDBOX
            JS | {"tool":"demo.echo"}                                    | DIRECT
            JS | {"tool":"demo.echo","arguments":{"a":1e999}}            | SANDBOX
            JS | {"tool":"demo.echo","arguments":{},"more":1}            | SANDBOX
            JS |                                                         | SANDBOX
            """)
    void cheapestTierIsSelected(String language, String code, Tier tier) {
        assertThat(tier(code == null ? "" : code.replace('⏎', '\n'), language)).isEqualTo(tier);
    }

    private static Tier tier(String code, String language) {
        return Tier.of(
                new Script(code, language.equals("JS") ? SourceLanguage.JAVASCRIPT : SourceLanguage.TYPESCRIPT),
                new Toolbox(TOOLS, List.of()));
    }

    @Test
    void globalsAreNeverTakenForBackends() throws Exception {
        String names = "const n = new Set(); for (let o = globalThis; o; o = Object.getPrototypeOf(o))"
                + " for (const k of Object.getOwnPropertyNames(o)) n.add(k); return [...n].sort().join(' ')";
        try (Sandbox engine = new InProcessSandbox(1)) {
            SessionResult end =
                    RecordingListener.start(engine, request(names, List.of())).end();
            assertThat(end).isInstanceOfSatisfying(SessionResult.ScriptReturned.class, returned -> {
                List<String> unknown = new ArrayList<>();
                for (String name : returned.result().replace("\"", "").split(" ")) {
                    if (!ReservedNames.isReserved(name)) {
                        unknown.add(name);
                    }
                }
                assertThat(unknown).as("names to add to ReservedNames").isEmpty();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "my-shop.a my_shop.get-user my_shop.get_user",
                "my_shop.get-user",
                "my_shop.get_user",
                "my-shop.a"
            })
    void toolNameMeansTheSameToolInEveryTier(String grants) throws Exception {
        List<String> granted = List.of(grants.split(" "));
        Toolbox toolbox = Toolbox.of(
                GuestToolSnapshot.of(List.of(
                        new GuestTool("my-shop", "a"),
                        new GuestTool("my_shop", "get-user", "{}", "my_shop_2", "get_user_2", "get-user"),
                        new GuestTool("my_shop", "get_user", "{}", "my_shop_2", "get_user", "get_user"))),
                tool -> granted.contains(tool.backend() + "." + tool.tool()),
                List.of());
        try (Sandbox engine = new InProcessSandbox(1)) {
            Sandbox tiered = new TieredSandbox(engine);
            for (String backend : List.of("my_shop", "my_shop_2", "my-shop")) {
                for (String tool : List.of("a", "get_user", "get_user_2", "get-user")) {
                    for (String code : List.of(
                            "tools." + backend + "." + tool + "({})",
                            "{\"tool\":\"" + backend + "." + tool + "\",\"arguments\":{}}")) {
                        if (code.startsWith("tools") && code.contains("-")) {
                            continue;
                        }
                        assertThat(called(tiered, code, toolbox)).as(code).isEqualTo(called(engine, code, toolbox));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            return await demo.echo({ a: 1 })                                     | JAVASCRIPT
            {"tool":"demo.echo","arguments":{}}                                  | JAVASCRIPT
            ```ts⏎return await demo.echo({ a: 1 }) as number⏎```                 | TYPESCRIPT
            const r: number = await demo.echo({ a: 1 }); return r                | TYPESCRIPT
            """)
    void callWithoutLanguageHasTheLanguageOfItsTier(String row, SourceLanguage found) throws Exception {
        String code = row.replace('⏎', '\n');
        try (Sandbox engine = new InProcessSandbox(1)) {
            for (Sandbox sandbox : List.of(engine, new TieredSandbox(engine))) {
                assertThat(sandbox.check("t", new Script(code, SourceLanguage.UNSPECIFIED))
                                .toCompletableFuture()
                                .get())
                        .isEqualTo(new ScriptCheckResult.ScriptAccepted(found, false));
            }
        }
    }

    private static List<String> called(Sandbox sandbox, String code, Toolbox toolbox) throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox, request(code, toolbox));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (listener.calls().isEmpty() && !listener.isEnded() && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        listener.session().cancel();
        listener.end();
        return listener.calls();
    }

    @Test
    void cancelledCallEndsOnceAndItsAnswerIsDropped() throws Exception {
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            RecordingListener listener = RecordingListener.start(tiered, request("await demo.never({})", TOOLS));
            assertThat(tiered.status().sessions()).isEqualTo(1);
            listener.session().cancel();
            listener.session().resolve(1, "1");
            assertThat(listener.end()).isEqualTo(new SessionResult.SessionCancelled());
            assertThat(tiered.status().sessions()).isZero();
        }
    }

    @Test
    void closeEndsOpenCalls() throws Exception {
        Sandbox tiered = new TieredSandbox(new FailingSandbox());
        RecordingListener listener = RecordingListener.start(tiered, request("await demo.never({})", TOOLS));
        tiered.close();
        assertThat(listener.end()).isInstanceOf(SessionResult.SessionLost.class);
    }

    @Test
    void deepAndLongScriptsAreParsedInLinearTime() {
        String deep = "await demo.echo(" + "[".repeat(100_000);
        String list = "await demo.echo([" + "1,".repeat(100_000) + "])";
        String comments = "/**/".repeat(100_000) + "await demo.echo({})";
        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        assertThat(ParsedCall.parse(deep, false)).isEmpty();
        assertThat(ParsedCall.parse(list, false)).isPresent();
        assertThat(ParsedCall.parse(comments, false)).isPresent();
        assertThat(threads.getCurrentThreadCpuTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));
    }

    private static SessionRequest request(String code, List<GuestTool> tools) {
        return request(code, new Toolbox(tools, List.of()));
    }

    private static SessionRequest request(String code, Toolbox toolbox) {
        return new SessionRequest(
                "s",
                "t",
                new Script(code, SourceLanguage.JAVASCRIPT),
                "{}",
                "{}",
                new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, 20_000, 1_000, 10, 10, 1_000, 10),
                toolbox);
    }
}
