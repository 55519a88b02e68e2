package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.GuestContract;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OpenCharsLimiter;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.isolation.Isolation;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * Tests workers that violate the protocol: the pool fails their sessions, kills the workers, and continues to serve
 * sessions.
 */
class HostileWorkerTest {
    private static final String ACCEPTED = "\"paths\":[],\"pathPositions\":[],\"modules\":[],\"modulePositions\":[],"
            + "\"verdict\":\"accepted\",\"fenced\":false,\"language\":";
    private static final String CALL =
            "{\"is\":\"call\",\"session\":#,\"call\":%d,\"backend\":\"demo\",\"tool\":\"never\",\"arguments\":\"{}\"}";
    private static final String RESERVE = "{\"is\":\"reserve\",\"session\":#,\"call\":%d,\"chars\":%d}";
    private static final String DONE = "{\"is\":\"done\",\"session\":#,\"end\":\"returned\",\"result\":\"2\"}";
    private static final String LONG_DONE = DONE.replace("\"2\"", "\"\\\"%s\\\"\"");
    private static final String OUTPUT = "{\"is\":\"output\",\"session\":#,\"stream\":\"OUT\",\"text\":\"%s\"}";
    private static final String THREW = "{\"is\":\"done\",\"session\":#,\"end\":\"threw\",\"code\":\"%s\","
            + "\"message\":\"%s\",\"line\":1,\"column\":1,\"stack\":\"%s\",\"tool\":\"%s\",\"call\":1}";
    private static final String PROGRESS = "{\"is\":\"progress\",\"session\":#,\"permille\":%d,\"text\":\"step %d\"}";
    private static final String BEAT =
            "{\"is\":\"heartbeat\",\"computing\":[],\"allocated\":[],\"heapPercent\":1,\"damaged\":false}";

    private final AtomicReference<FakeWorkerProcess> first = new AtomicReference<>();
    private WorkerSandbox sandbox = open(FakeWorkerProcess::healthy);

    /** Opens a sandbox whose first worker is hostile. All other workers are healthy. */
    private WorkerSandbox open(FakeWorkerProcess.FakeWorkerBehavior hostile) {
        AtomicInteger started = new AtomicInteger();
        WorkerSettings settings = new WorkerSettings(
                Path.of("target"),
                Optional.empty(),
                64,
                1,
                0,
                1,
                10,
                1_000,
                Duration.ofMinutes(1),
                WorkerSharing.TENANT,
                Duration.ofMillis(100),
                0,
                Optional.empty(),
                false);
        return new WorkerSandbox(settings, (run, door) -> {
            WorkerStarter starter = token -> {
                int number = started.incrementAndGet();
                FakeWorkerProcess peer =
                        new FakeWorkerProcess(door, token, number > 1 ? FakeWorkerProcess::healthy : hostile);
                first.compareAndSet(null, peer);
                return new StartedWorkerProcess(peer, Files.createDirectory(run.resolve("w" + number)));
            };
            return new WorkerSandbox.WorkerRuntime(starter, Isolation.none());
        });
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    private SessionResult run() throws Exception {
        return RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT))
                .end();
    }

    private void reopen(FakeWorkerProcess.FakeWorkerBehavior hostile) {
        sandbox.close();
        first.set(null);
        sandbox = open(hostile);
    }

    /**
     * Returns a worker that sends {@code said} to its first session; {@code #} stands for the number of this session.
     */
    private static FakeWorkerProcess.FakeWorkerBehavior sendingFrames(String... said) {
        return (peer, token) -> {
            peer.sendHello(token);
            String session = Long.toString(peer.awaitSession());
            for (String each : said) {
                peer.sendJson(each.replace("#", session));
            }
        };
    }

    private void assertViolation(FakeWorkerProcess.FakeWorkerBehavior hostile) throws Exception {
        reopen(hostile);
        assertViolation(run());
    }

    private void assertViolation(SessionResult end) throws Exception {
        assertThat(end)
                .isInstanceOfSatisfying(
                        SessionResult.SessionLost.class,
                        lost -> assertThat(lost.reason())
                                .isEqualTo(SessionResult.SessionLossReason.PROTOCOL_VIOLATION));
        assertPoolRecovers();
    }

    private void assertPoolRecovers() throws Exception {
        WorkerSandboxTest.await(() -> {
            FakeWorkerProcess peer = first.get();
            return peer != null && peer.isKilled();
        });
        assertThat(run()).isEqualTo(new SessionResult.ScriptReturned("1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "[]",
                "{}",
                "null",
                "{\"is\":\"nothing\"}",
                "{\"is\":\"done\",\"session\":\"#\",\"end\":\"returned\",\"result\":\"1\"}",
                "{\"is\":\"done\",\"session\":#,\"end\":\"returned\"}",
                "{\"is\":\"done\",\"session\":#,\"end\":\"returned\",\"result\":null}",
                "{\"is\":\"done\",\"session\":#,\"end\":\"lost\",\"result\":\"1\"}",
                "{\"is\":\"done\",\"session\":#,\"end\":\"cancelled\"}",
                "{\"is\":\"done\",\"session\":#,\"end\":\"returned\",\"result\":\"1\",\"result\":\"2\"}",
                "{\"is\":\"done\",\"session\":#.5,\"end\":\"cancelled\"}",
                "{\"is\":\"done\",\"session\":1e400,\"end\":\"cancelled\"}",
                "{\"is\":\"done\",\"session\":99,\"end\":\"returned\",\"result\":\"1\"}",
                "{\"is\":\"done\",\"session\":-1,\"end\":\"returned\",\"result\":\"1\"}",
                "{\"is\":\"hello\",\"version\":1,\"token\":\"x\"}",
                "{\"is\":\"cancel\",\"session\":#}",
                "{\"is\":\"resolve\",\"session\":#,\"call\":1,\"result\":\"1\"}",
                "{\"is\":\"checked\",\"check\":#,\"verdict\":\"accepted\"}",
                "{\"is\":\"checked\",\"check\":#," + ACCEPTED + "\"JAVASCRIPT\"}",
                "{\"is\":\"checked\",\"check\":77," + ACCEPTED + "\"JAVASCRIPT\"}",
                "{\"is\":\"checked\",\"check\":1," + ACCEPTED + "\"UNSPECIFIED\"}",
                "{\"is\":\"call\",\"session\":#,\"call\":2,\"backend\":\"b\",\"tool\":\"t\",\"arguments\":\"{}\"}",
                "{\"is\":\"call\",\"session\":#,\"call\":0,\"backend\":\"b\",\"tool\":\"t\",\"arguments\":\"{}\"}",
                "{\"is\":\"output\",\"session\":#,\"stream\":\"OTHER\",\"text\":\"x\"}",
                "{\"is\":\"output\",\"session\":#,\"stream\":\"OUT\",\"text\":\"\"}",
                "{\"is\":\"progress\",\"session\":#,\"permille\":1001,\"text\":\"\"}",
                "{\"is\":\"blocked\",\"session\":#,\"names\":[],\"counts\":[]}",
                "{\"is\":\"blocked\",\"session\":#,\"names\":[\"GLOBAL\",\"a\"],\"counts\":[]}",
                "{\"is\":\"blocked\",\"session\":#,\"names\":[\"OTHER\",\"a\"],\"counts\":[1]}",
                "{\"is\":\"blocked\",\"session\":#,\"names\":[\"GLOBAL\",\"a\"],\"counts\":[0]}",
                "{\"is\":\"blocked\",\"session\":#,\"names\":[\"GLOBAL\",\"a\"],\"counts\":[1000000001]}",
                "{\"is\":\"blocked\",\"session\":#,\"names\":[\"GLOBAL\",\"a\",\"GLOBAL\",\"a\"],\"counts\":[1,1]}",
                "{\"is\":\"heartbeat\",\"computing\":[\"x\"],\"allocated\":[1],\"heapPercent\":1,\"damaged\":false}",
                "{\"is\":\"heartbeat\",\"computing\":[],\"allocated\":[1],\"heapPercent\":1,\"damaged\":false}",
                "{\"is\":\"heartbeat\",\"computing\":[],\"allocated\":[],\"heapPercent\":-1,\"damaged\":false}",
                "{\"is\":\"heartbeat\",\"computing\":[1],\"allocated\":[-1],\"heapPercent\":1,\"damaged\":false}",
                "{\"is\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}"
            })
    void invalidFrameEndsTheSessionsOfItsWorker(String frame) throws Exception {
        assertViolation(sendingFrames(frame));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, (32 << 20) + 1, Integer.MAX_VALUE})
    void invalidFrameLengthIsRefusedImmediately(int length) throws Exception {
        assertViolation((peer, token) -> {
            peer.sendHello(token);
            peer.awaitSession();
            peer.sendBytes(ByteBuffer.allocate(4).putInt(length).array());
        });
    }

    @Test
    void repeatedOrExcessiveCallsEndTheSession() throws Exception {
        assertViolation(sendingFrames(CALL.formatted(1), CALL.formatted(1)));
        String[] calls = new String[SandboxContract.LIMITS.toolCalls() + 1];
        for (int i = 0; i < calls.length; i++) {
            // The test answers calls of this tool, so few are open.
            calls[i] = CALL.formatted(i + 1).replace("never", "echo");
        }
        assertViolation(sendingFrames(calls));
        assertViolation(sendingFrames(CALL.formatted(1)
                .replace("{}", " ".repeat(SandboxContract.LIMITS.argumentChars() + 1))));
    }

    /** The limit of open calls bounds what one session holds in the memory of the server. */
    @Test
    void moreOpenCallsThanTheLimitEndTheSession() throws Exception {
        String[] calls = new String[SandboxContract.LIMITS.concurrentCalls() + 1];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = CALL.formatted(i + 1);
        }
        assertViolation(sendingFrames(calls));
        calls[calls.length - 1] = DONE;
        reopen(sendingFrames(calls));
        assertThat(run()).isEqualTo(new SessionResult.ScriptReturned("2"));
    }

    /** The unanswered calls without a reservation bound what one session holds beside the budget of the server. */
    @Test
    void callsWithoutAReservationEndTheSessionBeyondTheirLimit() throws Exception {
        int maxChars = (int) OpenCharsLimiter.MAX_UNRESERVED_CHARS;
        assertThat(endAfterFrames(callOf(1, maxChars / 2), callOf(2, maxChars / 2), DONE))
                .isEqualTo(new SessionResult.ScriptReturned("2"));
        assertViolation(endAfterFrames(callOf(1, maxChars / 2), callOf(2, maxChars / 2), callOf(3, 2)));
        assertViolation(endAfterFrames(callOf(1, maxChars + 1)));
        // The test answers the first call, which frees its characters.
        assertThat(endAfterFrames(callOf(1, maxChars).replace("never", "echo"), callOf(2, maxChars), DONE))
                .isEqualTo(new SessionResult.ScriptReturned("2"));
    }

    @Test
    void reservationIsForTheNextCallAndItsLength() throws Exception {
        assertThat(endAfterFrames(RESERVE.formatted(1, 90_000), callOf(1, 90_000), callOf(2, 30_000), DONE))
                .isEqualTo(new SessionResult.ScriptReturned("2"));
        assertViolation(endAfterFrames(RESERVE.formatted(1, 90_000), callOf(1, 90_001)));
        assertViolation(endAfterFrames(RESERVE.formatted(2, 90_000)));
        assertViolation(endAfterFrames(RESERVE.formatted(1, 90_000), RESERVE.formatted(1, 90_000)));
        assertViolation(endAfterFrames(RESERVE.formatted(1, Integer.MAX_VALUE)));
        assertViolation(endAfterFrames(RESERVE.formatted(1, -1)));
    }

    @Test
    void callBeforeItsReservationIsGrantedEndsTheSession() throws Exception {
        reopen(sendingFrames(RESERVE.formatted(1, 90_000), callOf(1, 2)));
        assertViolation(RecordingListener.startWithoutReservations(sandbox, longCallRequest())
                .end());
    }

    private static String longResult(int chars) {
        return LONG_DONE.formatted("x".repeat(chars - 2));
    }

    @Test
    void longResultWithoutItsReservationEndsTheSession() throws Exception {
        assertThat(endAfterFrames(longResult(OpenCharsLimiter.MAX_UNRESERVED_RESULT_CHARS)))
                .isInstanceOf(SessionResult.ScriptReturned.class);
        assertViolation(endAfterFrames(longResult(OpenCharsLimiter.MAX_UNRESERVED_RESULT_CHARS + 1)));
        assertThat(endAfterFrames(RESERVE.formatted(0, 40_000), longResult(40_000)))
                .isInstanceOf(SessionResult.ScriptReturned.class);
        assertViolation(endAfterFrames(RESERVE.formatted(0, 40_000), longResult(40_001)));
        assertViolation(endAfterFrames(RESERVE.formatted(0, Integer.MAX_VALUE)));
        reopen(sendingFrames(RESERVE.formatted(0, 40_000), longResult(40_000)));
        assertViolation(RecordingListener.startWithoutReservations(sandbox, longCallRequest())
                .end());
    }

    @Test
    void sessionOnlyEndsAfterTheReservationForItsResult() throws Exception {
        String reserve = RESERVE.formatted(0, 40_000);
        assertThat(endAfterFrames(reserve, DONE)).isEqualTo(new SessionResult.ScriptReturned("2"));
        assertViolation(endAfterFrames(reserve, reserve));
        assertViolation(endAfterFrames(reserve, callOf(1, 2)));
        assertViolation(endAfterFrames(reserve, OUTPUT.formatted("late")));
        assertViolation(endAfterFrames(reserve, RESERVE.formatted(1, 90_000)));
    }

    private SessionResult endAfterFrames(String... frames) throws Exception {
        reopen(sendingFrames(frames));
        return RecordingListener.start(sandbox, longCallRequest()).end();
    }

    private static String callOf(int call, int argumentChars) {
        return CALL.formatted(call).replace("{}", "{}" + " ".repeat(argumentChars - 2));
    }

    private static SessionRequest longCallRequest() {
        return GuestContract.request("x", "{}", GuestContract.LARGE_LIMITS);
    }

    /** The server inserts arguments and results into other JSON texts. */
    @ParameterizedTest
    @ValueSource(strings = {"", "{", "1},\"state\":\"COMPLETED\"", "{\"to\":\"judged\",\"to\":\"sent\"}", "[1e99999]"})
    void textThatIsNotOneStrictJsonValueEndsTheSession(String text) throws Exception {
        String escaped = text.replace("\"", "\\\"");
        assertViolation(sendingFrames(CALL.formatted(1).replace("{}", escaped)));
        assertViolation(sendingFrames(DONE.replace("\"2\"", '"' + escaped + '"')));
    }

    @ParameterizedTest
    @CsvSource({
        "runner-lost,script-error",
        "protocol-violation,script-error",
        "memory-limit,script-error",
        "no-such-code,script-error",
        "denied,denied",
        "timer-limit,timer-limit"
    })
    void workerCannotEndAScriptWithACodeOfTheService(String sent, String kept) throws Exception {
        reopen(sendingFrames(THREW.formatted(sent, "m", "", "demo.echo")));
        assertThat(run())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.code()).isEqualTo(kept));
    }

    @Test
    void progressFloodIsThrottledAndItsLastReportIsPassedOn() throws Exception {
        String[] frames = new String[2_001];
        for (int i = 0; i < 2_000; i++) {
            frames[i] = PROGRESS.formatted(i / 2, i);
        }
        frames[2_000] = DONE;
        long start = System.nanoTime();
        reopen(sendingFrames(frames));
        RecordingListener listener =
                RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("2"));
        int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + 1;
        assertThat(listener.progress())
                .hasSizeBetween(1, ProgressRateLimiter.MAX_PER_SECOND * (seconds + 1) + 1)
                .last()
                .isEqualTo("0.999 step 1999");
    }

    @Test
    void excessiveCountsOfBlockedAccessEndTheSession() throws Exception {
        String blocked = "{\"is\":\"blocked\",\"session\":#,\"names\":[%s],\"counts\":[%s]}";
        assertViolation(sendingFrames(
                blocked.formatted("\"GLOBAL\",\"" + "a".repeat(BlockedAccess.MAX_NAME_LENGTH + 1) + "\"", "1")));
        String frame = blocked.formatted("\"GLOBAL\",\"a\"", "1");
        assertViolation(sendingFrames(frame, frame));
        List<String> names = new ArrayList<>();
        for (int i = 0; i < BlockedAccess.MAX_NAMES + 2; i++) {
            names.add("\"GLOBAL\",\"a" + i + "\"");
        }
        assertViolation(sendingFrames(
                blocked.formatted(String.join(",", names), String.join(",", Collections.nCopies(names.size(), "1")))));
    }

    @Test
    void referencesThatAScriptCannotHaveAreRefused() throws Exception {
        Script script = new Script("a.b", SourceLanguage.JAVASCRIPT);
        ScriptReferences possible =
                new ScriptReferences(List.of(new ScriptReferences.ReferencePath(List.of("a", "b"), 1, 1)), List.of());
        ScriptReferences tooLong =
                new ScriptReferences(List.of(), List.of(new ScriptReferences.ModuleReference("long", 1, 1)));
        RemoteScriptCheck check = new RemoteScriptCheck(sandbox, "t", script, false);
        RemoteScriptCheck checkWithReferences = new RemoteScriptCheck(sandbox, "t", script, true);

        assertThatThrownBy(() -> check.complete(accepted(possible))).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> checkWithReferences.complete(accepted(tooLong)))
                .isInstanceOf(ProtocolException.class);
        checkWithReferences.complete(accepted(possible));
        assertThat(checkWithReferences.result().join()).isEqualTo(accepted(possible));
    }

    private static CheckedScript accepted(ScriptReferences references) {
        return new CheckedScript(new ScriptCheckResult.ScriptAccepted(SourceLanguage.JAVASCRIPT, false), references);
    }

    @Test
    void outputOrResultBeyondItsLimitEndsTheSession() throws Exception {
        String full = "x".repeat(SandboxContract.LIMITS.outputChars());
        assertViolation(sendingFrames(OUTPUT.formatted(full), OUTPUT.formatted("y")));
        String truncated = "{\"is\":\"truncated\",\"session\":#,\"stream\":\"OUT\"}";
        assertViolation(sendingFrames(OUTPUT.formatted(full), truncated, OUTPUT.formatted("y")));
        assertViolation(sendingFrames(truncated, truncated));
        assertViolation(sendingFrames(DONE.replace(
                "\"2\"", '"' + "1".repeat(SandboxContract.LIMITS.resultChars() + 1) + '"')));
    }

    @Test
    void framesAfterTheEndOfASessionAreIgnored() throws Exception {
        for (String after : new String[] {DONE, CALL.formatted(1), OUTPUT.formatted("late")}) {
            reopen(sendingFrames(OUTPUT.formatted("in time"), DONE, after));
            RecordingListener listener =
                    RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
            assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("2"));
            assertPoolRecovers();
            assertThat(listener.output()).isEqualTo("OUT:in time");
        }
    }

    @Test
    void truncatedFrameMeansALostWorker() throws Exception {
        reopen((peer, token) -> {
            peer.sendHello(token);
            peer.awaitSession();
            peer.sendBytes(ByteBuffer.allocate(14).putInt(100).array());
            peer.destroyForcibly();
        });
        assertThat(run())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLost.class,
                        lost -> assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.WORKER_LOST));
        assertPoolRecovers();
    }

    @Test
    @Timeout(120)
    void workerThatNeverReadsIsKilledWithItsReason() throws Exception {
        reopen((peer, token) -> {
            peer.sendHello(token);
            String session = Long.toString(peer.awaitSession());
            peer.sendJson(CALL.formatted(1).replace("#", session));
            // Reads nothing until it is killed.
            peer.waitFor();
        });
        RecordingListener listener =
                RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
        WorkerSandboxTest.await(() -> !listener.calls().isEmpty());
        String megabyte = '"' + "x".repeat(1 << 20) + '"';
        for (int i = 0; i < 40; i++) {
            listener.session().resolve(1, megabyte);
        }
        assertThat(listener.end()).isInstanceOfSatisfying(SessionResult.SessionLost.class, lost -> {
            assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.WORKER_LOST);
            assertThat(lost.message()).contains("it did not read its socket");
        });
        assertPoolRecovers();
    }

    /** A worker that collects garbage on a busy machine reads nothing for seconds. */
    @Test
    @Timeout(120)
    void workerThatReadsNothingForThreeSecondsIsKept() throws Exception {
        reopen((peer, token) -> {
            peer.sendHello(token);
            String session = Long.toString(peer.awaitSession());
            peer.sendJson(CALL.formatted(1).replace("#", session));
            for (int i = 0; i < 30; i++) {
                Thread.sleep(100);
                peer.sendJson(BEAT);
            }
            peer.sendJson(DONE.replace("#", session));
        });
        RecordingListener listener =
                RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
        WorkerSandboxTest.await(() -> !listener.calls().isEmpty());
        String megabyte = '"' + "x".repeat(1 << 20) + '"';
        for (int i = 0; i < 8; i++) {
            listener.session().resolve(1, megabyte);
        }
        WorkerSandboxTest.await(() -> {
            sandbox.inspectWorkers(System.nanoTime());
            return listener.isEnded();
        });
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("2"));
    }

    @Test
    void endlessFrameDoesNotCountAsAHeartbeat() throws Exception {
        reopen((peer, token) -> {
            peer.sendHello(token);
            peer.awaitSession();
            peer.sendBytes(ByteBuffer.allocate(4).putInt(32 << 20).array());
            while (true) {
                peer.sendBytes(new byte[] {' '});
                Thread.sleep(5);
            }
        });
        RecordingListener listener =
                RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
        WorkerSandboxTest.await(() -> {
            sandbox.inspectWorkers(System.nanoTime() + TimeUnit.SECONDS.toNanos(6));
            return listener.isEnded();
        });
        assertThat(listener.end()).isInstanceOf(SessionResult.SessionLost.class);
        assertPoolRecovers();
    }

    @Test
    void frameFloodEndsTheWorkerAndNotTheServer() throws Exception {
        assertViolation((peer, token) -> {
            peer.sendHello(token);
            peer.awaitSession();
            for (int i = 0; i < 1_000_000; i++) {
                peer.sendJson(BEAT);
            }
        });
    }

    @Test
    void floodOfValidFramesOfASessionEndsTheWorker() throws Exception {
        String recorded = "{\"is\":\"recorded\",\"session\":#,\"log\":\"1 t1@0 \"}";
        String toolCall = CALL.replace("never", "echo");
        String serviceCall = CALL.replace("demo", HostServices.BACKEND).replace("never", HostServices.EVENT_LAST);
        for (String frame : List.of(PROGRESS.replace("%d", "1"), recorded, toolCall, serviceCall)) {
            assertViolation((peer, token) -> {
                peer.sendHello(token);
                String session = Long.toString(peer.awaitSession());
                for (int i = 1; i <= 1_000_000; i++) {
                    peer.sendJson(frame.replace("#", session).formatted(i));
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "1", "x ", "1 2", "t1 ", "t1@ ", "1*2*3 ", "1  ", "t99999999999@0 "})
    void replayLogThatNoReplayCanReadEndsTheSession(String log) throws Exception {
        assertViolation(sendingFrames("{\"is\":\"recorded\",\"session\":#,\"log\":\"" + log + "\"}"));
    }

    @Test
    void secondAddressOfADebuggerEndsTheSession() throws Exception {
        String ready = "{\"is\":\"inspectable\",\"session\":#,\"url\":\"ws://127.0.0.1:9229/" + "0".repeat(32) + "\"}";
        SessionRequest debugged = new SessionRequest(
                "s",
                "t",
                new Script("x", SourceLanguage.JAVASCRIPT),
                "{}",
                "{}",
                SandboxContract.LIMITS,
                Toolbox.EMPTY,
                "{}",
                SandboxDebugMode.INSPECT,
                ReplayState.NONE,
                0);
        reopen(sendingFrames(ready, DONE));
        assertThat(RecordingListener.start(sandbox, debugged).end()).isEqualTo(new SessionResult.ScriptReturned("2"));
        reopen(sendingFrames(ready, ready));
        assertViolation(RecordingListener.start(sandbox, debugged).end());
    }

    @Test
    void frameOfManySmallValuesNeedsBoundedMemory() throws Exception {
        String ones = "1,".repeat(8_000_000) + "1";
        assertViolation(sendingFrames(BEAT.replaceFirst("\\[]", "[" + ones + "]")));
        String tooMany = "1,".repeat(1_000) + "1";
        assertViolation(sendingFrames(BEAT.replace("[]", "[" + tooMany + "]")));
    }

    @Test
    void failureTextOfAWorkerIsBounded() throws Exception {
        String long_ = "x".repeat(1_000_000);
        reopen(sendingFrames(THREW.formatted(long_, long_, long_, long_)));
        assertThat(run()).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
            assertThat(threw.code().length()).isLessThan(1_000);
            assertThat(threw.message().length() + threw.stack().length()).isLessThan(100_000);
        });
        String limit = "{\"is\":\"done\",\"session\":#,\"end\":\"limit\",\"limit\":\"CPU\",\"message\":\"%s\"}";
        reopen(sendingFrames(limit.formatted(long_)));
        assertThat(run())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLimitReached.class,
                        reached -> assertThat(reached.message().length()).isLessThan(100_000));
    }

    @Test
    void nameOfACallOfAWorkerIsBounded() throws Exception {
        reopen(sendingFrames(CALL.formatted(1).replace("never", "x".repeat(1_000_000)), DONE));
        RecordingListener listener =
                RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
        assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("2"));
        assertThat(listener.calls().get(0).length()).isLessThan(2 * TextLimits.MAX_NAME_LENGTH);
    }

    @Test
    void rejectionTextOfAWorkerIsBounded() throws Exception {
        String longText = "x".repeat(1_000_000);
        RemoteScriptCheck check =
                new RemoteScriptCheck(sandbox, "t", new Script("x", SourceLanguage.JAVASCRIPT), false);
        check.complete(new CheckedScript(
                new ScriptCheckResult.ScriptRejected(longText, 1, 1, longText), ScriptReferences.NONE));
        assertThat(check.result().join().result())
                .isInstanceOfSatisfying(
                        ScriptCheckResult.ScriptRejected.class,
                        rejected -> assertThat(rejected.message().length()
                                        + rejected.codeFrame().length())
                                .isLessThan(100_000));
    }

    @Test
    void workerWithAnInvalidOrLateHelloIsRejected() throws Exception {
        FakeWorkerProcess.FakeWorkerBehavior[] strangers = {
            (peer, token) -> peer.sendHello("0".repeat(token.length())),
            (peer, token) -> peer.sendJson("{\"is\":\"hello\",\"version\":0,\"token\":\"" + token + "\"}"),
            (peer, token) -> peer.sendJson(BEAT),
            (peer, token) -> peer.sendJson("{"),
            (peer, token) -> peer.sendBytes(new byte[] {-1, -1, -1, -1}),
            (peer, token) -> {
                while (true) {
                    peer.sendBytes(new byte[] {0});
                    Thread.sleep(1_000);
                }
            },
            (peer, token) -> Thread.sleep(60_000)
        };
        for (FakeWorkerProcess.FakeWorkerBehavior stranger : strangers) {
            reopen(stranger);
            RecordingListener listener =
                    RecordingListener.start(sandbox, SandboxContract.request("x", SourceLanguage.JAVASCRIPT));
            WorkerSandboxTest.await(() -> first.get() != null);
            // Called once only: a second inspection would regard the next worker, which is still starting, as late.
            sandbox.inspectWorkers(System.nanoTime() + TimeUnit.SECONDS.toNanos(61));
            assertThat(listener.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
        }
    }

    @Test
    void tokenIsValidForOneWorker() throws Exception {
        reopen((peer, token) -> {
            peer.sendHello(token);
            peer.awaitSession();
            peer.sendHello(token);
        });
        assertThat(run()).isInstanceOf(SessionResult.SessionLost.class);
        assertPoolRecovers();
    }
}
