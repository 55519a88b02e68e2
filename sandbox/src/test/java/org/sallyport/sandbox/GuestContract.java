package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of the guest API, the language and the limits of scripts, for every kind of sandbox. */
public interface GuestContract {
    /** For scripts whose first use of an engine part may be slow on a busy machine. */
    SessionLimits RELAXED_LIMITS = new SessionLimits(20_000, 64 << 20, 20, 8, 60_000, 20_000, 10_000, 10, 5, 10_000, 5);

    String ARGS = "{\"n\":1,\"list\":[{\"n\":1}]}";

    SessionLimits LIMITS = new SessionLimits(1_500, 64 << 20, 20, 8, 60_000, 20_000, 10_000, 10, 5, 10_000, 5);
    SessionLimits LARGE_LIMITS =
            new SessionLimits(20_000, 64 << 20, 100, 8, 4_000_000, 2_000_000, 1_000_000, 10, 5, 10_000_000, 5);

    Toolbox TOOLBOX = new Toolbox(
            List.of(
                    new GuestTool("demo", "echo", """
                            {"description": "Gives back what it gets",
                             "inputSchema": {"type": "object", "properties": {"a": {}}}, "readOnly": true,
                             "declaration": "echo(args: { a: number }): Promise<unknown>"}"""),
                    new GuestTool("demo", "fail"),
                    new GuestTool("demo", "never"),
                    new GuestTool("demo", "later"),
                    new GuestTool("demo", "unknown"),
                    new GuestTool("demo", "json"),
                    new GuestTool("my-backend", "my.tool"),
                    new GuestTool("events", "create")),
            List.of(
                    module("maths", "1.0.0", "exports.double = () => 'old'"),
                    module("maths", "2.0.0", "exports.double = (x) => x * 2;\nexports.broken = () => null.x;"),
                    module("cycle-a", "1.0.0", """
                            exports.done = false;
                            exports.loads = (exports.loads ?? 0) + 1;
                            exports.seenByB = require('cycle-b').seen;
                            exports.done = true;"""),
                    module("cycle-b", "1.0.0", "exports.seen = require('cycle-a').done"),
                    module("throws", "1.0.0", "throw new Error('at load')"),
                    new LibraryModule("tampered", "1.0.0", "0".repeat(64), "exports.x = 1")));

    Sandbox sandbox();

    static LibraryModule module(String name, String version, String code) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(code.getBytes(StandardCharsets.UTF_8));
            return new LibraryModule(name, version, HexFormat.of().formatHex(hash), code);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static SessionRequest request(String code, String args, SessionLimits limits) {
        return new SessionRequest(
                "s",
                "t",
                new Script(code, SourceLanguage.JAVASCRIPT),
                args,
                "{\"user\":{\"name\":\"ada\"}}",
                limits,
                TOOLBOX,
                "{\"REGION\":\"eu-1\"}",
                SandboxDebugMode.NONE,
                ReplayState.NONE,
                0);
    }

    static SessionRequest request(String code, Toolbox toolbox) {
        return new SessionRequest(
                "s",
                "t",
                new Script(code, SourceLanguage.JAVASCRIPT),
                "{}",
                "{}",
                RELAXED_LIMITS,
                toolbox,
                "{}",
                SandboxDebugMode.NONE,
                ReplayState.NONE,
                0);
    }

    static SessionRequest request(String code) {
        return request(code, ARGS, RELAXED_LIMITS);
    }

    private void check(ScriptTable.ScriptTableRow row) throws Exception {
        long start = System.nanoTime();
        RecordingListener listener = RecordingListener.start(
                sandbox(), request(row.code(), ARGS, row.shouldReturn() ? RELAXED_LIMITS : LIMITS));
        SessionResult end = listener.end();
        row.check(end, listener.output());
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)).isLessThan(30);
    }

    static Stream<ScriptTable.ScriptTableRow> globals() {
        return ScriptTable.rows("globals");
    }

    static Stream<ScriptTable.ScriptTableRow> promises() {
        return ScriptTable.rows("promises");
    }

    static Stream<ScriptTable.ScriptTableRow> limits() {
        return ScriptTable.rows("limits");
    }

    static Stream<ScriptTable.ScriptTableRow> limitsForSeconds() {
        return ScriptTable.rows("limits-slow");
    }

    static Stream<ScriptTable.ScriptTableRow> hostile() {
        return ScriptTable.rows("hostile");
    }

    static Stream<ScriptTable.ScriptTableRow> hostileForSeconds() {
        return ScriptTable.rows("hostile-slow");
    }

    @ParameterizedTest
    @MethodSource("globals")
    default void everyGlobalWorks(ScriptTable.ScriptTableRow row) throws Exception {
        check(row);
    }

    @ParameterizedTest
    @MethodSource("promises")
    default void promisesSettleAsExpected(ScriptTable.ScriptTableRow row) throws Exception {
        check(row);
    }

    @ParameterizedTest
    @MethodSource("limits")
    default void everyLimitErrorNamesItsLimitAndSetting(ScriptTable.ScriptTableRow row) throws Exception {
        check(row);
    }

    /** Runs scripts that compute for seconds. */
    @ParameterizedTest
    @MethodSource("limitsForSeconds")
    @Tag("slow")
    default void limitsOfLongComputingScriptsAreExact(ScriptTable.ScriptTableRow row) throws Exception {
        check(row);
    }

    @ParameterizedTest
    @MethodSource("hostile")
    default void hostileScriptsAreContained(ScriptTable.ScriptTableRow row) throws Exception {
        check(row);
    }

    /** Runs scripts that compute until a limit ends them. */
    @ParameterizedTest
    @MethodSource("hostileForSeconds")
    @Tag("slow")
    default void longComputingHostileScriptsAreContained(ScriptTable.ScriptTableRow row) throws Exception {
        check(row);
    }

    @Test
    default void overflowOfTheCallStackHasItsLine() throws Exception {
        RecordingListener listener =
                RecordingListener.start(sandbox(), request("const n = 1;\nconst down = () =>\n  down() + n;\ndown();"));
        assertThat(listener.end()).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
            assertThat(threw.message()).isEqualTo("RangeError: Maximum call stack size exceeded");
            assertThat(threw.line()).isEqualTo(2);
            assertThat(threw.stack()).contains("at down (script:3:3)");
        });
    }

    @Test
    default void parallelCallsOverlap() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request("return (await Promise.all([1, 2, 3, 4, 5].map((a) => demo.later({ a, of: 5 })))).map((r) => "
                        + "r.a)"));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("[1,2,3,4,5]"));
        assertThat(listener.maxOpenCalls()).isEqualTo(5);
    }

    @Test
    default void longCallAndAllEventsBehindItWaitForItsReservation() throws Exception {
        RecordingListener listener =
                RecordingListener.startWithoutReservations(sandbox(), request("""
                        const long = demo.echo({ a: 'x'.repeat(40_000) });
                        const short = demo.echo({ a: 1 });
                        const event = events.emit('made', 2);
                        console.log('made');
                        progress(1, 'made');
                        await event;
                        return [(await long).a.length, (await short).a]""", "{}", LARGE_LIMITS));
        // Progress does not wait. When it has arrived, the calls before it would have arrived too.
        await(() -> !listener.progress().isEmpty());
        assertThat(listener.reservations()).containsExactly("1 40008");
        assertThat(listener.calls()).isEmpty();
        assertThat(listener.output()).isEmpty();

        listener.grantReservations();

        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("[40000,1]"));
        assertThat(listener.reservations()).hasSize(1);
        assertThat(listener.calls()).hasSize(3).satisfies(calls -> {
            assertThat(calls.get(0)).startsWith("1 demo.echo {\"a\":\"xxx");
            assertThat(calls.get(1)).isEqualTo("2 demo.echo {\"a\":1}");
            assertThat(calls.get(2)).startsWith("3 $sallyport.events.emit");
        });
        assertThat(listener.output()).isEqualTo("OUT:made\n");
    }

    @Test
    default void longResultWaitsForItsReservation() throws Exception {
        RecordingListener listener = RecordingListener.startWithoutReservations(
                sandbox(), request("console.log('made'); return 'x'.repeat(20_000)", "{}", LARGE_LIMITS));
        await(() -> !listener.reservations().isEmpty());
        assertThat(listener.output()).isEqualTo("OUT:made\n");
        assertThat(listener.isEnded()).isFalse();

        listener.grantReservations();

        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("\"" + "x".repeat(20_000) + "\""));
        assertThat(listener.reservations()).containsExactly("result 20002");
    }

    @Test
    default void scriptThatIsCancelledWhileItsResultWaitsEndsAtOnce() throws Exception {
        RecordingListener listener = RecordingListener.startWithoutReservations(
                sandbox(), request("return 'x'.repeat(20_000)", "{}", LARGE_LIMITS));
        await(() -> !listener.reservations().isEmpty());

        listener.session().cancel();

        assertThat(listener.end()).isEqualTo(new SessionResult.SessionCancelled());
    }

    @Test
    default void onlyCallsBeyondTheUnansweredOnesReserve() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("""
                        const call = () => demo.echo({ a: 'x'.repeat(20_000) });
                        for (let i = 0; i < 5; i++) await call();
                        await Promise.all([call(), call()]);
                        return (await call()).a.length""", "{}", LARGE_LIMITS));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("20000"));
        assertThat(listener.reservations()).containsExactly("7 20008");
        assertThat(listener.calls()).hasSize(8);
    }

    @Test
    default void manyCallsThatReserveKeepTheirOrder() throws Exception {
        RecordingListener listener =
                RecordingListener.startWithoutReservations(sandbox(), request("""
                        const calls = [];
                        for (let i = 0; i < 50; i++) calls.push(demo.echo({ a: i, b: 'x'.repeat(40_000) }));
                        for (let i = 0; i < 5; i++) calls.push(artifacts.write('a' + i, 'x'.repeat(40_000)));
                        progress(1, 'made');
                        const replies = await Promise.all(calls);
                        return replies.slice(0, 50).map((reply) => reply.a).join()""", "{}", LARGE_LIMITS));
        await(() -> !listener.progress().isEmpty());
        listener.grantReservations();
        assertThat(listener.end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptReturned.class,
                        returned -> assertThat(returned.result())
                                .startsWith("\"0,1,2,3,")
                                .endsWith(",48,49\""));
        assertThat(listener.calls()).hasSize(55);
        for (int i = 0; i < 55; i++) {
            assertThat(listener.calls().get(i)).startsWith((i + 1) + " ");
        }
    }

    /** Otherwise a replay might make fewer calls than the first run. */
    @Test
    default void endOfTheScriptWaitsBehindItsCalls() throws Exception {
        String code = "demo.echo({ a: 'x'.repeat(40_000) }); demo.echo({ a: 1 }); console.log('made'); return 1";
        RecordingListener listener =
                RecordingListener.startWithoutReservations(sandbox(), request(code, "{}", LARGE_LIMITS));
        await(() -> !listener.reservations().isEmpty());
        assertThat(listener.isEnded()).isFalse();
        listener.grantReservations();
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
        assertThat(listener.calls()).hasSize(2);
        assertThat(listener.output()).startsWith("OUT:made\n").contains("2 calls were still open");

        RecordingListener cancelled =
                RecordingListener.startWithoutReservations(sandbox(), request(code, "{}", LARGE_LIMITS));
        await(() -> !cancelled.reservations().isEmpty());
        cancelled.session().cancel();
        assertThat(cancelled.end()).isEqualTo(new SessionResult.SessionCancelled());
        cancelled.grantReservations();
        assertThat(cancelled.calls()).isEmpty();
    }

    @Test
    default void sessionThatWaitsForAReservationIsCancelled() throws Exception {
        RecordingListener listener = RecordingListener.startWithoutReservations(
                sandbox(), request("await demo.echo({ a: 'x'.repeat(40_000) })", "{}", LARGE_LIMITS));
        await(() -> !listener.reservations().isEmpty());
        listener.session().cancel();
        assertThat(listener.end()).isEqualTo(new SessionResult.SessionCancelled());
        listener.grantReservations();
        assertThat(listener.calls()).isEmpty();
    }

    @Test
    default void bigIntArgumentIsWrittenWithItsDigits() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("""
                        const { id } = await demo.echo({ id: 725653563933458432n, list: [10n, -1n, 0n] });
                        return [id, typeof id, (await demo.echo({ id: BigInt(id) + 1n })).id];"""));
        assertThat(listener.end())
                .isEqualTo(
                        new SessionResult.ScriptReturned("[\"725653563933458432\",\"string\",\"725653563933458433\"]"));
        assertThat(listener.calls())
                .containsExactly(
                        "1 demo.echo {\"id\":725653563933458432,\"list\":[10,-1,0]}",
                        "2 demo.echo {\"id\":725653563933458433}");
    }

    /** A reader that is strict refuses a name that occurs twice in one object; others disagree on its value. */
    @Test
    default void errorsWithOwnNameAreWrittenOnce() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("""
                        class NamedError extends Error { name = 'NamedError'; message = 'm' }
                        const changed = new Error('m');
                        Object.assign(changed, { amount: 5, message: 'n', name: 'z' });
                        let reads = 0;
                        const inconstant = new Error('m');
                        const get = () => ['first', 'second'][reads++];
                        Object.defineProperty(inconstant, 'name', { enumerable: true, get });
                        await demo.echo({ error: new NamedError() });
                        return [new NamedError(), changed, inconstant];"""));
        assertThat(listener.end())
                .isEqualTo(new SessionResult.ScriptReturned("[{\"name\":\"NamedError\",\"message\":\"m\"},"
                        + "{\"name\":\"z\",\"message\":\"n\",\"amount\":5},"
                        + "{\"name\":\"first\",\"message\":\"m\"}]"));
        assertThat(listener.calls())
                .containsExactly("1 demo.echo {\"error\":{\"name\":\"NamedError\",\"message\":\"m\"}}");
    }

    @Test
    default void promiseOfAnEventHandlerDoesNotReceiveTheFunctionThatReportsErrors() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("""
                        let received = 'nothing';
                        const handled = new Promise((resolve) => {
                          events.on('x', () => {
                            const own = Promise.resolve();
                            own.catch = (report) => { received = typeof report; };
                            resolve();
                            return own;
                          });
                        });
                        await events.emit('x', 1);
                        await handled;
                        return received;"""));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("\"nothing\""));
    }

    @Test
    default void rejectedPromiseOfAnEventHandlerEndsTheScript() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("""
                        events.on('x', async () => { throw new Error('in the handler'); });
                        await events.emit('x', 1);
                        await sleep('20s');"""));
        assertThat(listener.end()).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
            assertThat(threw.code()).isEqualTo("script-error");
            assertThat(threw.message()).isEqualTo("Error: in the handler");
        });
    }

    @Test
    default void consoleFormatsValuesLikeNode() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(), request("""
                        const wrong = [];
                        for (const { code, shown } of args) {
                          const value = (0, eval)('(' + code + ')');
                          console.log(value);
                          console.log('\\u0001');
                        }""", ScriptTable.resource("console-values.json"), LARGE_LIMITS));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
        RecordingListener expected = RecordingListener.start(
                sandbox(),
                request(
                        "for (const { shown } of args) { console.log(shown); console.log('\\u0001'); }",
                        ScriptTable.resource("console-values.json"),
                        LARGE_LIMITS));
        assertThat(expected.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
        List<String> shown = List.of(listener.output().split("\u0001"));
        List<String> wanted = List.of(expected.output().split("\u0001"));
        assertThat(shown).isEqualTo(wanted);
    }

    /** The locales and time zones have other digits, other beginnings of days, or an i without a dot. */
    @ParameterizedTest
    @CsvSource({"de-DE, Asia/Tokyo", "tr-TR, America/New_York", "ar-EG-u-nu-arab, Pacific/Chatham"})
    default void localeAndTimeZoneDoNotDependOnTheServer(String locale, String zone) throws Exception {
        Locale before = Locale.getDefault();
        TimeZone zoneBefore = TimeZone.getDefault();
        Locale.setDefault(Locale.forLanguageTag(locale));
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        try {
            RecordingListener listener = RecordingListener.start(sandbox(), request("""
                            const day = new Date(Date.UTC(2024, 6, 1, 12, 30));
                            console.log('%d %i %f %o', 1234.5, 12, 1.5, { n: 1.5 }, day);
                            return [
                              day.getHours(), day.getMinutes(), day.getTimezoneOffset(), new Date(2024, 6, \
                            1).toISOString(),
                              String(day), day.toLocaleDateString(), Date.parse('2024-07-01T00:00:00'),
                              (1234.5).toLocaleString(), 'TITLE'.toLocaleLowerCase(), 'title'.toLocaleUpperCase(),
                              ['z', 'ä', 'a'].sort((one, other) => one.localeCompare(other)).join(''),
                              new Intl.NumberFormat().resolvedOptions().locale,
                              new Intl.DateTimeFormat().resolvedOptions().locale,
                              new Intl.DateTimeFormat().resolvedOptions().timeZone,
                            ]"""));
            assertThat(listener.end())
                    .isEqualTo(new SessionResult.ScriptReturned(
                            "[12,30,0,\"2024-07-01T00:00:00.000Z\",\"Mon Jul 01 2024 12:30:00 GMT+0000 "
                                    + "(GMT+0)\","
                                    + "\"7/1/2024\",1719792000000,\"1,234.5\",\"title\",\"TITLE\",\"aäz\","
                                    + "\"en-US\",\"en-US\",\"UTC\"]"));
            assertThat(listener.output()).contains("1234.5 12 1.5 { n: 1.5 }").contains("2024-07-01T12:30:00.000Z");
        } finally {
            Locale.setDefault(before);
            TimeZone.setDefault(zoneBefore);
        }
    }

    @Test
    default void consolePrintsLikeNode() throws Exception {
        RecordingListener table = RecordingListener.start(
                sandbox(),
                request(
                        "return args.flatMap(({ code, printed }) => [code, printed])",
                        ScriptTable.resource("console-calls.json"),
                        LARGE_LIMITS));
        List<String> cells = strings(((SessionResult.ScriptReturned) table.end()).result());
        for (int i = 0; i < cells.size(); i += 2) {
            RecordingListener listener = RecordingListener.start(sandbox(), request(cells.get(i), "{}", LARGE_LIMITS));
            assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
            assertThat(listener.output()).as(cells.get(i)).isEqualTo(cells.get(i + 1));
        }
    }

    private static List<String> strings(String json) throws Exception {
        List<String> texts = new ArrayList<>();
        try (var parser = new com.fasterxml.jackson.core.JsonFactory().createParser(json)) {
            parser.nextToken();
            while (parser.nextToken() == com.fasterxml.jackson.core.JsonToken.VALUE_STRING) {
                texts.add(parser.getText());
            }
        }
        return texts;
    }

    @Test
    default void urlsAreParsedAsStandardized() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(), request(ScriptTable.resource("urls.js"), ScriptTable.resource("urls.json"), LARGE_LIMITS));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("[]"));
    }

    @Test
    default void blockedAccessIsCountedByNameAndReportedOnceBeforeTheEnd() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request("const tried = [() => Deno.readFile('/etc/passwd'), () => process.env.HOME, () => fetch('x'), "
                        + "() => require('fs')];\n"
                        + "for (const attempt of [...tried, tried[0]]) try { attempt() } catch {}\n"
                        + "return 1"));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
        assertThat(listener.blockedAccess())
                .containsExactly(List.of(
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.GLOBAL, "Deno.readFile", 2),
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.GLOBAL, "process.env", 1),
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.GLOBAL, "fetch", 1),
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.MODULE, "fs", 1)));
    }

    @Test
    default void blockedAccessThatEndsTheScriptIsReported() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("return Buffer.from('a')"));
        assertThat(listener.end()).isInstanceOf(SessionResult.ScriptThrew.class);
        assertThat(listener.blockedAccess())
                .containsExactly(List.of(new BlockedAccess(BlockedAccess.BlockedAccessKind.GLOBAL, "Buffer", 1)));
    }

    @Test
    default void scriptWithoutBlockedAccessReportsNone() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("return typeof process + 1"));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("\"undefined1\""));
        assertThat(listener.blockedAccess()).isEmpty();
    }

    /** A script that tries very often, under very many and very long names, causes one short report. */
    @Test
    default void reportOfBlockedAccessIsBounded() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request(
                        "for (let i = 0; i < 2000; i++) try { Deno[(i % 50) + 'x'.repeat(1000)] } catch {}\n"
                                + "for (let i = 0; i < 50; i++) try { require('m' + i) } catch {}",
                        "{}", LARGE_LIMITS));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
        assertThat(listener.blockedAccess()).hasSize(1);
        List<BlockedAccess> counts = listener.blockedAccess().get(0);
        assertThat(counts)
                .hasSize(2 * (BlockedAccess.MAX_NAMES + 1))
                .allSatisfy(
                        each -> assertThat(each.name().length()).isLessThanOrEqualTo(BlockedAccess.MAX_NAME_LENGTH));
        assertThat(counts)
                .contains(
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.GLOBAL, "", 1_600),
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.MODULE, "", 40));
        assertThat(counts.stream().mapToLong(BlockedAccess::count).sum()).isEqualTo(2_050);
    }

    @Test
    default void emptyAndCutNamesAreMarked() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request("for (const name of ['', 'm'.repeat(101), 'm'.repeat(100)]) try { require(name) } catch {}"));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
        assertThat(listener.blockedAccess())
                .containsExactly(List.of(
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.MODULE, "(empty)", 1),
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.MODULE, "m".repeat(99) + "…", 1),
                        new BlockedAccess(BlockedAccess.BlockedAccessKind.MODULE, "m".repeat(100), 1)));
    }

    @Test
    default void blockedAccessIsReportedWhenALimitEndsTheScript() throws Exception {
        RecordingListener listener =
                RecordingListener.start(sandbox(), request("while (true) try { Deno.exit() } catch {}", "{}", LIMITS));
        assertThat(listener.end()).isInstanceOf(SessionResult.SessionLimitReached.class);
        assertThat(listener.blockedAccess()).hasSize(1);
        assertThat(listener.blockedAccess().get(0))
                .singleElement()
                .satisfies(each -> assertThat(each.name()).isEqualTo("Deno.exit"));
    }

    @Test
    default void progressIsThrottledAndTheLastReportIsAlwaysSent() throws Exception {
        long start = System.nanoTime();
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request("for (let i = 0; i <= 100; i++) { progress(i / 100, 'step ' + i + 'x'.repeat(2000)); "
                        + "if (i % 20 === 0) await sleep(30) }"));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("null"));
        long tenths = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 100;
        assertThat(listener.progress()).hasSizeBetween(2, (int) tenths + 2);
        String last = listener.progress().get(listener.progress().size() - 1);
        assertThat(last).startsWith("1.0 step 100").hasSize(1_004);
    }

    @Test
    default void eventsReachOtherSessions() throws Exception {
        InMemoryHostServices host = new InMemoryHostServices();
        RecordingListener waiting = RecordingListener.start(
                sandbox(),
                request("console.log('up'); return (await events.next('go', { timeout: '20s' })).data"),
                host);
        await(() -> waiting.calls().stream().anyMatch(call -> call.contains("events.next")));
        RecordingListener.start(sandbox(), request("await events.emit('go', { n: 7 })"), host)
                .end();
        assertThat(waiting.end()).isEqualTo(new SessionResult.ScriptReturned("{\"n\":7}"));
    }

    @Test
    default void tenMegabyteArtifactRoundTrips() throws Exception {
        RecordingListener listener = RecordingListener.start(sandbox(), request("""
                        const size = 10_000_000;
                        await artifacts.write('large', new Uint8Array(size).fill(7));
                        const back = await artifacts.read('large');
                        return [back.length, back[0], back[size - 1]]""", "{}", LARGE_LIMITS));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("[10000000,7,7]"));
    }

    @Test
    default void callsContainTheArgumentsOfTheScript() throws Exception {
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request("await demo.echo({ a: 1 }); await tools['my-backend'].my_tool({ b: [2] });"
                        + " await demo.echo({ a: 1, b: undefined })"));
        listener.end();
        assertThat(listener.calls())
                .containsExactly("1 demo.echo {\"a\":1}", "2 my-backend.my.tool {\"b\":[2]}", "3 demo.echo {\"a\":1}");
    }

    @Test
    default void testsRunAgainstAScript() throws Exception {
        Script implementation = new Script("""
                export default async function main({ x }) {
                  if (x < 0) throw new RangeError('negative');
                  return (await demo.echo({ a: x })).a + 1;
                }""", SourceLanguage.JAVASCRIPT);
        Script tests = new Script(ScriptTable.resource("tests.js"), SourceLanguage.JAVASCRIPT);
        Script both = new TestScript(implementation, tests).toScript();
        RecordingListener listener = RecordingListener.start(sandbox(), request(both.code(), "{}", LARGE_LIMITS));
        assertThat(listener.end())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptReturned.class,
                        returned -> assertThat(
                                        returned.result().replaceAll("\"durationMillis\":\\d+", "\"durationMillis\":0"))
                                .isEqualToIgnoringNewLines(
                                        ScriptTable.resource("tests.json").replaceAll("\n\\s*", "")));
        assertThat(listener.output())
                .isEqualTo("OUT:before\nbefore each\nbefore each\nbefore each\nbefore each\nafter\n");
        assertThat(listener.calls()).containsExactly("1 demo.echo {\"a\":5}");
    }

    /** Maps each name by which scripts may call a tool to the tool that it denotes. */
    Map<String, String> TOOL_BY_NAME = new TreeMap<>(Map.of(
            "my_shop.a", "my-shop.a",
            "my-shop.a", "my-shop.a",
            "my_shop_2.get_user", "my_shop.get_user",
            "my_shop_2.get-user", "my_shop.get-user",
            "my_shop_2.get user", "my_shop.get_user_3",
            "my_shop_2.get_user_3", "my_shop.get_user_3",
            "my_shop_2.get_user_2", "my_shop.get-user"));

    /**
     * {@code get_user} was declared after {@code get-user}, which has that identifier, and a third tool, which also had
     * a similar name, is no longer declared. The backend {@code my-shop} has no tool yet.
     */
    @Test
    default void takenNameCallsNoOtherTool() throws Exception {
        GuestToolSnapshot all = new GuestToolSnapshot(
                List.of(
                        new GuestTool("my_shop", "get-user", "{}", "my_shop_2", "get_user", "get-user"),
                        new GuestTool("my_shop", "get_user_2", "{}", "my_shop_2", "get_user_2", "get_user"),
                        new GuestTool("my_shop", "get_order_2", "{}", "my_shop_2", "get_order_2", "get_order")),
                List.of(new GuestTool("my_shop", "get-order", "{}", "my_shop_2", "get_order", "get-order")),
                Map.of("my-shop", "my_shop", "my_shop", "my_shop_2"));
        Map<String, String> toolByName = new TreeMap<>(Map.of(
                "my_shop_2.get_user", "my_shop.get-user",
                "my_shop_2.get-user", "my_shop.get-user",
                "my_shop_2.get_user_2", "my_shop.get_user_2",
                "my_shop_2.get_order", "my_shop.get-order",
                "my_shop_2.get_order_2", "my_shop.get_order_2",
                "my_shop.get_user_2", "my-shop.get_user_2"));
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request(
                        """
                const all = %s;
                for (const as of all) {
                  const [backend, tool] = as.split('.');
                  tools[backend][tool]({ as }).catch(() => {});
                }
                await 0;
                return all
                  .map((as) => __getToolInterface(as))
                  .map((one) => one ? one.backend + '.' + one.tool : '');""".formatted(toolByName.keySet().stream()
                                .map(name -> "'" + name + "'")
                                .toList()),
                        Toolbox.of(all, tool -> true, List.of())));
        List<String> reported = strings(((SessionResult.ScriptReturned) listener.end()).result());

        assertThat(listener.calls().stream()
                        .map(call -> call.replaceAll("\\d+ (\\S+) \\{\"as\":\"(.*)\"}", "$2 is $1")))
                .containsExactlyInAnyOrderElementsOf(toolByName.entrySet().stream()
                        .map(meant -> meant.getKey() + " is " + meant.getValue())
                        .toList());
        assertThat(reported)
                .isEqualTo(toolByName.values().stream()
                        .map(meant -> meant.equals("my_shop.get-order") || meant.startsWith("my-shop") ? "" : meant)
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "my-shop.a my_shop.get-user my_shop.get_user my_shop.get_user_3",
                "my_shop.get_user_3",
                "my-shop.a my_shop.get-user",
                "my-shop.a my_shop.get_user",
                "my_shop.get-user",
                "my_shop.get_user",
                "my-shop.a"
            })
    default void toolNameIsIndependentOfOtherGrants(String grants) throws Exception {
        List<String> granted = List.of(grants.split(" "));
        Toolbox toolbox = Toolbox.of(
                GuestToolSnapshot.of(List.of(
                        new GuestTool("my-shop", "a"),
                        new GuestTool("my_shop", "get-user", "{}", "my_shop_2", "get_user_2", "get-user"),
                        new GuestTool("my_shop", "get_user", "{}", "my_shop_2", "get_user", "get_user"),
                        new GuestTool("my_shop", "get_user_3", "{}", "my_shop_2", "get_user_3", "get user"))),
                tool -> granted.contains(tool.backend() + "." + tool.tool()),
                List.of());
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                request(
                        """
                const all = %s;
                for (const as of all) {
                  const [backend, tool] = as.split('.');
                  tools[backend][tool]({ as }).catch(() => {});
                }
                await 0;
                return [
                  ...all.map((as) => __getToolInterface(as)).map((one) => one && one.backend + '.' + one.tool),
                  ...Object.keys(tools).flatMap((backend) => Object.keys(tools[backend]).map((tool) => backend + '.' + \
                tool))
                ].map(String);""".formatted(TOOL_BY_NAME.keySet().stream()
                                .map(name -> "'" + name + "'")
                                .toList()),
                        toolbox));
        List<String> reported = strings(((SessionResult.ScriptReturned) listener.end()).result());

        assertThat(listener.calls().stream()
                        .map(call -> call.replaceAll("\\d+ (\\S+) \\{\"as\":\"(.*)\"}", "$2 is $1"))
                        .filter(call -> granted.contains(call.substring(call.indexOf(" is ") + 4))))
                .containsExactlyInAnyOrderElementsOf(TOOL_BY_NAME.entrySet().stream()
                        .filter(meant -> granted.contains(meant.getValue()))
                        .map(meant -> meant.getKey() + " is " + meant.getValue())
                        .toList());
        assertThat(reported.subList(0, TOOL_BY_NAME.size()))
                .isEqualTo(TOOL_BY_NAME.values().stream()
                        .map(meant -> granted.contains(meant) ? meant : "null")
                        .toList());
        assertThat(reported.subList(TOOL_BY_NAME.size(), reported.size()))
                .as("what is listed")
                .hasSameSizeAs(granted)
                .allMatch(name -> granted.contains(TOOL_BY_NAME.get(name)));
    }

    /** The shipped demo backend; whole-system tests compare its catalog with the same examples. */
    String DOCUMENTED_ADD = """
            {"description": "Adds two numbers.",
             "inputSchema": {"type": "object", "properties": {"a": {}, "b": {}}}, "outputSchema": {"type": "number"},
             "declaration": "interface tools {\\n  demo: {\\n    /**\\n     * Adds two numbers.\\n     */\\n\
                add(args: {\\n      a: number;\\n      b: number;\\n    }): Promise<number>;\\n  };\\n}\\n"}""";

    static Stream<DocumentedScript> documented() {
        return DocumentedScript.all().stream();
    }

    @ParameterizedTest
    @MethodSource("documented")
    default void examplesOfTheDocumentationWork(DocumentedScript example) throws Exception {
        Toolbox documented = new Toolbox(
                List.of(
                        new GuestTool("demo", "echo", """
                                {"description": "Gives back what it was given.", "inputSchema": {}}"""),
                        new GuestTool("demo", "add", DOCUMENTED_ADD),
                        new GuestTool("demo", "fail"),
                        new GuestTool("my-backend", "my.tool")),
                TOOLBOX.modules());
        RecordingListener listener = RecordingListener.start(
                sandbox(),
                new SessionRequest(
                        "s",
                        "t",
                        new Script(example.code(), example.language()),
                        "{\"city\":\"Jakarta\",\"list\":[1]}",
                        "{\"user\":{\"name\":\"ada\"}}",
                        RELAXED_LIMITS,
                        documented,
                        "{\"REGION\":\"eu-1\"}",
                        SandboxDebugMode.NONE,
                        ReplayState.NONE,
                        0));
        example.check(listener.end(), listener.output());
    }

    static Stream<ReportedScript> reported() {
        return ReportedScript.all();
    }

    @ParameterizedTest
    @MethodSource("reported")
    default void reportedScriptsEndAsInNode(ReportedScript script) throws Exception {
        script.check(RecordingListener.start(sandbox(), script.request()).end());
    }

    private static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }
}
