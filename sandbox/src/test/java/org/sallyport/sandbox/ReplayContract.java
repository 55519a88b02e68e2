package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of replay for every kind of sandbox: a script that runs again with a replay state repeats its calls and
 * output, and then continues.
 */
public abstract class ReplayContract {
    private static final int SCRIPTS = Integer.getInteger("sallyport.test.replays", 3);
    private static final ScheduledExecutorService ANSWER_EXECUTOR = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });
    private static final SessionLimits LIMITS =
            new SessionLimits(20_000, 64 << 20, 1_000, 50, 100_000, 100_000, 10_000, 1_000, 5, 10_000, 50);
    private static final long PARK_MILLIS = 10_000;
    private static final Toolbox TOOLS = new Toolbox(
            List.of(
                    new GuestTool("demo", "echo"),
                    new GuestTool("demo", "later"),
                    new GuestTool("demo", "fail"),
                    new GuestTool("demo", "ask")),
            List.of());

    protected abstract Sandbox sandbox();

    /** The output, replies and replay log of a run up to one point. */
    private record ReplayPoint(int outputChars, int replyCount, String log) {}

    /** A host that answers the calls of an earlier run in the earlier order, and later calls as a tool does. */
    private static final class ReplayingHost implements SessionListener {
        private final Random random;
        private final List<Long> earlierAnswers;
        private final Map<Long, String> calls = new HashMap<>();
        private final List<Long> answered = new ArrayList<>();
        private final List<Long> unansweredCalls = new ArrayList<>();
        private final List<String> events = new ArrayList<>();
        private final StringBuilder log = new StringBuilder();
        private final List<ReplayPoint> replayPoints = new ArrayList<>();
        private final StringBuilder output = new StringBuilder();
        private @Nullable SandboxSession session;
        private final CompletableFuture<SessionResult> end = new CompletableFuture<>();
        /** The log that was reported first. */
        private final CompletableFuture<String> firstLog = new CompletableFuture<>();

        ReplayingHost(long seed, List<Long> earlier, String log) {
            random = new Random(seed);
            this.earlierAnswers = earlier;
            this.log.append(log);
        }

        synchronized void start(SandboxSession started) {
            session = started;
            answerAsBefore();
        }

        @Override
        public synchronized void onToolCall(long call, String backend, String tool, String arguments) {
            recordEvent("call " + call + " " + tool + " " + arguments);
            calls.put(call, tool + " " + arguments);
            if (earlierAnswers.contains(call)) {
                answerAsBefore();
            } else {
                unansweredCalls.add(call);
                ANSWER_EXECUTOR.schedule(this::answerNext, random.nextInt(3), TimeUnit.MILLISECONDS);
            }
        }

        private void answerAsBefore() {
            while (session != null && answered.size() < earlierAnswers.size()) {
                long next = earlierAnswers.get(answered.size());
                if (!calls.containsKey(next)) {
                    return;
                }
                answer(next);
            }
        }

        private synchronized void answerNext() {
            answerAsBefore();
            if (session == null || answered.size() < earlierAnswers.size()) {
                ANSWER_EXECUTOR.schedule(this::answerNext, 1, TimeUnit.MILLISECONDS);
            } else {
                answer(unansweredCalls.remove(random.nextInt(unansweredCalls.size())));
            }
        }

        private void answer(long call) {
            String asked = String.valueOf(calls.get(call));
            SandboxSession live = session;
            if (live == null) {
                throw new IllegalStateException("no session yet");
            }
            if (asked.startsWith("ask ") && !earlierAnswers.contains(call)) {
                live.postpone(call);
                return;
            }
            answered.add(call);
            if (asked.startsWith("hurry ")) {
                live.lowerParkThreshold(1_000);
            }
            if (asked.startsWith("fail")) {
                live.reject(call, new GuestError("tool-failed", "it failed: " + asked, true, null));
            } else {
                live.resolve(call, asked.substring(asked.indexOf(' ') + 1));
            }
        }

        @Override
        public synchronized void onOutput(OutputStreamKind stream, String text) {
            output.append(text);
            recordEvent("printed");
        }

        private void recordEvent(String what) {
            events.add(what);
            replayPoints.add(new ReplayPoint(output.length(), answered.size(), log.toString()));
        }

        @Override
        public void onOutputTruncated(OutputStreamKind stream) {}

        @Override
        public void onProgress(double fraction, String text) {}

        @Override
        public synchronized void onReplayLog(String notes) {
            log.append(notes);
            firstLog.complete(notes);
        }

        @Override
        public void onEnded(SessionResult ended) {
            end.complete(ended);
        }

        synchronized List<String> calls() {
            return events.stream().filter(each -> each.startsWith("call")).toList();
        }

        synchronized String printed() {
            return output.toString();
        }
    }

    private ReplayingHost run(String code, long seed, List<Long> earlier, ReplayState past) throws Exception {
        return run(code, seed, earlier, past, session -> {});
    }

    /** @param atOnce runs immediately after the session has started */
    private ReplayingHost run(
            String code, long seed, List<Long> earlier, ReplayState past, Consumer<SandboxSession> atOnce)
            throws Exception {
        ReplayingHost host = new ReplayingHost(seed, earlier, past.log());
        atOnce.accept(start(code, seed, past, host));
        host.end.get(30, TimeUnit.SECONDS);
        return host;
    }

    private SandboxSession start(String code, long seed, ReplayState past, ReplayingHost host) {
        SandboxSession session = sandbox()
                .start(
                        new SessionRequest(
                                "r" + seed,
                                "t",
                                new Script(code, SourceLanguage.JAVASCRIPT),
                                "{}",
                                "{}",
                                LIMITS,
                                TOOLS,
                                "{}",
                                SandboxDebugMode.NONE,
                                past,
                                PARK_MILLIS),
                        host);
        host.start(session);
        return session;
    }

    /** Returns the log that a script reports first, and ends the script. */
    private String firstLogOf(String code) throws Exception {
        ReplayingHost host = new ReplayingHost(1, List.of(), "");
        SandboxSession session = start(code, 1, ReplayState.of("s"), host);
        String log = host.firstLog.get(30, TimeUnit.SECONDS);
        session.cancel();
        host.end.get(30, TimeUnit.SECONDS);
        return log;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void replayRepeatsCallsAndOutput(long seed) throws Exception {
        RandomReplayScripts scripts = new RandomReplayScripts(seed);
        Random random = new Random(seed);
        for (int i = 0; i < SCRIPTS; i++) {
            String code = scripts.script();
            String chance = "seed" + i;
            ReplayingHost first = run(code, i, List.of(), ReplayState.of(chance));
            ReplayState whole = new ReplayState(chance, first.log.toString(), first.answered.size());
            ReplayingHost replayed = run(code, i + 1_000, first.answered, whole);
            assertThat(replayed.end.join()).as(code).isEqualTo(first.end.join());
            assertThat(replayed.calls()).as(code).isEqualTo(first.calls());
            assertThat(replayed.printed()).as(code).isEqualTo(first.printed());
            if (!first.replayPoints.isEmpty()) {
                assertResumes(code, chance, first, first.replayPoints.get(random.nextInt(first.replayPoints.size())));
            }
        }
    }

    private void assertResumes(String code, String chance, ReplayingHost first, ReplayPoint cut) throws Exception {
        ReplayingHost resumed = run(
                code,
                cut.outputChars() + 7,
                List.copyOf(first.answered.subList(0, cut.replyCount())),
                new ReplayState(chance, cut.log(), cut.replyCount()));
        int index = first.replayPoints.indexOf(cut);
        List<String> before = first.events.subList(0, index + 1).stream()
                .filter(each -> each.startsWith("call"))
                .toList();
        assertThat(resumed.calls().stream().limit(before.size()).toList())
                .as(code)
                .isEqualTo(before);
        assertThat(resumed.printed()).as(code).startsWith(first.printed().substring(0, cut.outputChars()));
        assertThat(resumed.end.join()).as(code).isInstanceOf(SessionResult.ScriptReturned.class);
        // The log of the resumed run is a valid replay state, like the log of a single run.
        ReplayingHost third = run(
                code, 3, resumed.answered, new ReplayState(chance, resumed.log.toString(), resumed.answered.size()));
        assertThat(third.end.join()).as(code).isEqualTo(resumed.end.join());
        assertThat(third.printed()).as(code).isEqualTo(resumed.printed());
    }

    @Test
    void callsThatWaitForOthersAreMadeAgainInTheSameOrder() throws Exception {
        String code = "const got = await Promise.all(Array.from({ length: 120 }, (_, i) => i % 7 ? demo.later({ i })"
                + " : demo.later({ i }).then((one) => demo.echo(one)))); return got.every((one, i) => one.i === i)";
        ReplayingHost first = run(code, 5, List.of(), ReplayState.of("s"));
        assertThat(first.end.join()).isEqualTo(new SessionResult.ScriptReturned("true"));
        assertThat(first.calls()).hasSize(120 + 18);
        for (int call = 0; call < first.replayPoints.size(); call += 20) {
            assertResumes(code, "s", first, first.replayPoints.get(call));
        }
    }

    @Test
    void overflowThatTheScriptCatchesComesAtTheSameCallAgain() throws Exception {
        String code = "let depth = 0; const down = () => { depth++; down() };"
                + " for (let i = 0; i < 3; i++) { try { down() } catch { await demo.echo({ depth }) } } return depth";
        ReplayingHost first = run(code, 1, List.of(), ReplayState.of("s"));
        assertThat(first.end.join()).isInstanceOf(SessionResult.ScriptReturned.class);
        assertThat(first.calls()).hasSize(3);
        for (ReplayPoint cut : first.replayPoints) {
            assertResumes(code, "s", first, cut);
        }
    }

    @Test
    void scriptWithCallsThatWaitForPostponedAnswersIsParkedAndResumed() throws Exception {
        int open = LIMITS.concurrentCalls();
        String code = "const all = []; for (let i = 0; i < " + open + "; i++) all.push(demo.ask({ i }));"
                + " all.push(demo.later({ i: " + open + " })); return (await Promise.all(all)).length";
        ReplayingHost parked = run(code, 1, List.of(), ReplayState.of("s"));
        List<Long> asked = LongStream.rangeClosed(1, open).boxed().toList();
        assertThat(parked.end.join()).isEqualTo(new SessionResult.SessionParked(0, asked));
        assertThat(parked.calls()).hasSize(open);

        ReplayingHost resumed = run(code, 2, asked, new ReplayState("s", parked.log.toString(), open));
        assertThat(resumed.end.join()).isEqualTo(new SessionResult.ScriptReturned(Integer.toString(open + 1)));
        assertThat(resumed.calls()).hasSize(open + 1);
    }

    @Test
    void sameSeedGivesTheSameRandomNumbers() throws Exception {
        String code = "return [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]]";
        SessionResult one = run(code, 1, List.of(), ReplayState.of("a")).end.join();
        assertThat(run(code, 2, List.of(), ReplayState.of("a")).end.join()).isEqualTo(one);
        assertThat(run(code, 2, List.of(), ReplayState.of("b")).end.join()).isNotEqualTo(one);
        assertThat(run(code, 2, List.of(), ReplayState.NONE).end.join()).isNotEqualTo(one);
    }

    @Test
    void longSleepContinuesAfterReplay() throws Exception {
        String code = "await sleep(3600000); return 'woke'";
        long anHourAgo = System.currentTimeMillis() - 3_600_100;
        ReplayingHost host = run(code, 1, List.of(), new ReplayState("s", anHourAgo + " ", 0));
        assertThat(host.end.join()).isEqualTo(new SessionResult.ScriptReturned("\"woke\""));
    }

    @Test
    void startOfALongWaitIsReportedAtOnce() throws Exception {
        String code = "await sleep(9000); return 'woke'";
        String log = firstLogOf(code);
        assertThat(log).matches("\\d+ ");
        // Nine seconds later the sleep is over.
        ReplayingHost later = run(code, 2, List.of(), new ReplayState("s", log, 0, 9_000));
        assertThat(later.end.join()).isEqualTo(new SessionResult.ScriptReturned("\"woke\""));
    }

    @Test
    void startOfALongWaitAfterAnAnswerIsReportedAtOnce() throws Exception {
        ReplayingHost host = new ReplayingHost(1, List.of(), "");
        SandboxSession session =
                start("await demo.echo({}); await sleep(9000); return 'woke'", 1, ReplayState.of("s"), host);
        assertThat(host.firstLog.get(30, TimeUnit.SECONDS)).matches("\\d+ ");
        assertThat(host.calls()).hasSize(1);
        session.cancel();
        host.end.get(30, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "for (let i = 0; i < 400; i++) await sleep(50);",
                "await new Promise((done) => { let n = 0; setInterval(() => { if (++n === 400) done(); }, 50) });"
            })
    void shortWaitsThatEndedAreReportedWithinSeconds(String code) throws Exception {
        assertThat(firstLogOf(code)).matches("t1(-\\d+@0|@0\\*\\d+) ");
    }

    @Test
    void longSleepFollowsTheExecutionClock() throws Exception {
        String code = "await sleep(3600000); return 'woke'";
        long halfAnHourAgo = System.currentTimeMillis() - 1_800_000;
        // The clock of this machine is an hour ahead of the clock of the execution, so an hour and a half of the sleep
        // remains.
        ReplayingHost early = run(code, 1, List.of(), new ReplayState("s", halfAnHourAgo + " ", 0, -3_600_000));
        assertThat(early.end.join())
                .isInstanceOfSatisfying(
                        SessionResult.SessionParked.class,
                        end -> assertThat(end.millisToFirstTimer()).isBetween(5_300_000L, 5_400_000L));
        // The clock is an hour behind, so the sleep is over.
        ReplayingHost late = run(code, 1, List.of(), new ReplayState("s", halfAnHourAgo + " ", 0, 3_600_000));
        assertThat(late.end.join()).isEqualTo(new SessionResult.ScriptReturned("\"woke\""));
    }

    @Test
    void currentTimeFollowsTheExecutionClock() throws Exception {
        long before = System.currentTimeMillis();
        ReplayingHost host =
                run("return Date.now()", 1, List.of(), ReplayState.of("s").withClockOffset(3_600_000));
        assertThat(host.end.join())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptReturned.class,
                        end -> assertThat(Long.parseLong(end.result()) - 3_600_000)
                                .isBetween(before, System.currentTimeMillis()));
    }

    @Test
    void scriptWaitingOnlyForLongTimersIsParkedAndResumed() throws Exception {
        String code = "const kept = await demo.echo({ a: 1 }); const at = Date.now(); await sleep('1h');"
                + " console.log('woke'); return [kept.a, Date.now() - at >= 3600000]";
        ReplayingHost parked = run(code, 1, List.of(), ReplayState.of("s"));
        assertThat(parked.end.join())
                .isInstanceOfSatisfying(
                        SessionResult.SessionParked.class,
                        end -> assertThat(end.millisToFirstTimer()).isBetween(3_590_000L, 3_600_000L));
        // The same log moved an hour into the past: the sleep is over.
        ReplayingHost woken =
                run(code, 2, parked.answered, new ReplayState("s", shiftedBackAnHour(parked.log.toString()), 1));
        assertThat(woken.end.join()).isEqualTo(new SessionResult.ScriptReturned("[1,true]"));
        assertThat(woken.printed()).isEqualTo("woke\n");
    }

    /** The first time of a log is absolute, the others are relative to it. */
    private static String shiftedBackAnHour(String log) {
        String first = log.split("[* ]", 2)[0];
        return log.replace(first, Long.toString(Long.parseLong(first) - 3_600_000));
    }

    @Test
    void scriptWaitingForACallOrAShortTimerIsNotParked() throws Exception {
        String code = "const long = sleep('1h').then(() => 'late'); return await Promise.race([long, demo.later({})"
                + ".then(() => sleep(20)).then(() => 'soon')])";
        assertThat(run(code, 1, List.of(), ReplayState.of("s")).end.join())
                .isEqualTo(new SessionResult.ScriptReturned("\"soon\""));
    }

    @Test
    void lowerParkThresholdParksShorterWaits() throws Exception {
        String code = "await demo.hurry({}); await sleep(500); await sleep(40000); return 'late'";
        ReplayingHost parked = run(code, 1, List.of(), ReplayState.of("s"));
        assertThat(parked.end.join())
                .isInstanceOfSatisfying(
                        SessionResult.SessionParked.class,
                        end -> assertThat(end.millisToFirstTimer()).isBetween(30_000L, 40_000L));
        ReplayingHost hurriedAtOnce =
                run("await sleep(40000)", 1, List.of(), ReplayState.of("s"), live -> live.lowerParkThreshold(0));
        assertThat(hurriedAtOnce.end.join()).isInstanceOf(SessionResult.SessionParked.class);
    }

    @Test
    void scriptWaitingOnlyForPostponedAnswersIsParkedAndResumed() throws Exception {
        String code = "const [asked, soon] = await Promise.all([demo.ask({ a: 1 }), demo.later({ b: 2 })]);"
                + " console.log('told'); return asked.a + soon.b";
        ReplayingHost parked = run(code, 1, List.of(), ReplayState.of("s"));
        assertThat(parked.end.join()).isEqualTo(new SessionResult.SessionParked(0, List.of(1L)));
        assertThat(parked.answered).containsExactly(2L);

        ReplayingHost resumed = run(code, 2, List.of(2L, 1L), new ReplayState("s", parked.log.toString(), 2));
        assertThat(resumed.end.join()).isEqualTo(new SessionResult.ScriptReturned("3"));
        assertThat(resumed.printed()).isEqualTo("told\n");
    }

    @Test
    void shortTimerKeepsAScriptWithAPostponedAnswerRunning() throws Exception {
        String code = "return await Promise.race([demo.ask({}), sleep(50).then(() => 'first')])";
        assertThat(run(code, 1, List.of(), ReplayState.of("s")).end.join())
                .isEqualTo(new SessionResult.ScriptReturned("\"first\""));
    }

    @Test
    void longTimerBesideAPostponedAnswerLimitsTheParkTime() throws Exception {
        String code = "return await Promise.race([demo.ask({}), sleep('1h').then(() => 'first')])";
        assertThat(run(code, 1, List.of(), ReplayState.of("s")).end.join())
                .isInstanceOfSatisfying(
                        SessionResult.SessionParked.class,
                        end -> assertThat(end.millisToFirstTimer()).isBetween(3_590_000L, 3_600_000L));
    }

    @Test
    void clockNeverGoesBack() throws Exception {
        long ahead = System.currentTimeMillis() + 3_600_000;
        ReplayingHost host = run("return [Date.now(), Date.now()]", 1, List.of(), new ReplayState("s", ahead + " ", 0));
        assertThat(host.end.join()).isEqualTo(new SessionResult.ScriptReturned("[" + ahead + "," + ahead + "]"));
    }

    @Test
    void scriptThatOmitsRecordedTimersFails() throws Exception {
        ReplayingHost host = run("return await demo.later({})", 1, List.of(), new ReplayState("s", "t1@0 ", 0));
        assertThat(host.end.join())
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.code()).isEqualTo("non-deterministic-replay"));
    }

    @Test
    void replayLogOfManyTimersIsShort() throws Exception {
        ReplayingHost host = run(
                "for (let i = 0; i < 2000; i++) await sleep(0);"
                        + " let n = 0; await new Promise((done) => { const id = setInterval(() => {"
                        + " if (++n === 20) { clearInterval(id); done(); } }, 1) }); return n",
                1,
                List.of(),
                ReplayState.of("s"));
        assertThat(host.end.join()).isEqualTo(new SessionResult.ScriptReturned("20"));
        // One entry for all timers of a second. An entry for each timer would take 12,000 characters.
        assertThat(host.log.toString()).hasSizeLessThan(1_000);
    }
}
