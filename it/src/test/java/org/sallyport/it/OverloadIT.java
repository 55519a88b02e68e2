package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;

/**
 * Callers submit ten times as many scripts as the server can run, without waiting for responses. The server accepts as
 * many as it can, refuses the others with an error, and recovers immediately after the load ends. The load lasts one
 * minute, or as many seconds as the system property {@code overload.seconds} gives.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverloadIT {
    private static final int DURATION_SECONDS = Integer.getInteger("overload.seconds", 60);
    private static final int MAX_LIVE_EXECUTIONS = 8;
    private static final int SCRIPT_MILLIS = 200;
    private static final int CAPACITY_PER_SECOND = MAX_LIVE_EXECUTIONS * 1_000 / SCRIPT_MILLIS;
    private static final int OFFERED_PER_SECOND = 10 * CAPACITY_PER_SECOND;
    private static final int MAX_QUEUED = 400;
    private static final int CALLERS = 16;
    private static final Duration MAX_NORMAL_LATENCY = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    /** Promised time from the last refused request to the first one with normal latency. */
    private static final Duration MAX_RECOVERY_TIME = Duration.ofSeconds(30);

    private static final Pattern USED = Pattern.compile("(?:generation|heap) +total \\d+K, used (\\d+)K");

    private final Map<String, Integer> accepted = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger numbers = new AtomicInteger();

    private SallyportServer server;
    private RestClient api;

    @BeforeAll
    void start() {
        server = ServerSetup.create("overload")
                .with("sallyport.runner.max-live-executions", Integer.toString(MAX_LIVE_EXECUTIONS))
                .with("sallyport.limits.max-queued", Integer.toString(MAX_QUEUED))
                .start();
        api = server.api();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void excessOfATenfoldLoadIsRefusedAndTheServerRecovers() throws Exception {
        Await.until("a new server is as quick as it is later", TIMEOUT, this::isNormal);
        TimingCalibration pace = TimingCalibration.of(api);
        long end = System.nanoTime() + Duration.ofSeconds(DURATION_SECONDS).toNanos();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Thread caller = new Thread(() -> submitUntil(end), "caller-" + i);
            caller.setDaemon(true);
            caller.start();
            callers.add(caller);
        }
        Thread.sleep(DURATION_SECONDS * 1_000L / 3);
        String early = accepted.keySet().iterator().next();
        long heapEarly = heapKilobytes();
        while (System.nanoTime() < end) {
            // The server still answers queries for accepted executions during the overload.
            assertThat(api.getExecution(early).path("id").asText()).isEqualTo(early);
            Thread.sleep(250);
        }
        for (Thread caller : callers) {
            caller.join(60_000);
        }
        assertThat(callers).noneMatch(Thread::isAlive);

        long endNanos = System.nanoTime();
        Await.until("it is as quick as before", TIMEOUT, this::isNormal);
        Duration recovery = Duration.ofNanos(System.nanoTime() - endNanos);
        long heapLate = heapKilobytes();
        System.out.printf(
                "Overload for %d s: answers %s; as before after %d ms; heap in KB %d early, %d at the end%n",
                DURATION_SECONDS, statuses, recovery.toMillis(), heapEarly, heapLate);
        assertThat(recovery).isLessThan(pace.adjustLimit(MAX_RECOVERY_TIME));
        assertThat(failures).isEmpty();
        assertThat(statuses.keySet()).isSubsetOf(202, 429, 503);
        assertThat(numbers.get() - accepted.size()).as(statuses.toString()).isGreaterThan(2 * accepted.size());
        assertThat(heapLate).as("heap, in KB").isLessThan(heapEarly + heapEarly / 4 + 20_000);
        accepted.forEach((id, number) -> {
            assertThat(api.awaitEnd(id).path("result").asInt()).as(id).isEqualTo(number);
        });
    }

    private void submitUntil(long end) {
        long interval = Duration.ofSeconds(1).toNanos() * CALLERS / OFFERED_PER_SECOND;
        long next = System.nanoTime();
        while (next < end) {
            LockSupport.parkNanos(next - System.nanoTime());
            next = Math.max(next + interval, System.nanoTime() - interval);
            try {
                submit();
            } catch (RuntimeException | AssertionError e) {
                failures.add("no answer: " + e);
            }
        }
    }

    private void submit() {
        int number = numbers.incrementAndGet();
        String body = SubmissionBody.javascript("await sleep(" + SCRIPT_MILLIS + "); return args")
                .args(Integer.toString(number))
                .json();
        RestResponse answer = api.send(api.submissionRequest(body));
        statuses.merge(answer.status(), 1, Integer::sum);
        if (answer.status() == 202) {
            accepted.put(answer.json().path("id").asText(), number);
        } else if (answer.header("Retry-After").isEmpty()
                || answer.problemType().isEmpty()) {
            failures.add("does not say when to come again: " + answer);
        }
    }

    private boolean isNormal() {
        long begun = System.nanoTime();
        RestResponse answer = api.send(
                api.submissionRequest(SubmissionBody.javascript("return 1").json()));
        if (answer.status() != 202) {
            return false;
        }
        assertThat(api.awaitEnd(answer.json().path("id").asText())
                        .path("result")
                        .asInt())
                .isEqualTo(1);
        return Duration.ofNanos(System.nanoTime() - begun).compareTo(MAX_NORMAL_LATENCY) < 0;
    }

    private long heapKilobytes() throws IOException, InterruptedException {
        jcmd("GC.run");
        List<Long> used = USED.matcher(jcmd("GC.heap_info"))
                .results()
                .map(part -> Long.parseLong(part.group(1)))
                .toList();
        assertThat(used).isNotEmpty();
        return used.stream().mapToLong(Long::longValue).sum();
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(server.pid()),
                        command)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
