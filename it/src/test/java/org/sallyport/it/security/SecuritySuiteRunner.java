package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;

/**
 * Runs all cases against one service: first the non-exclusive ones, two at a time, then one by one the exclusive ones,
 * which compute or kill workers. After each case it checks that the server's process is the same, and after each
 * exclusive case that the service works.
 */
final class SecuritySuiteRunner {
    private static final int CONCURRENCY = 2;
    /** Largest time from the deadline or the cancel of a script to its end. */
    private static final Duration MAX_STOP_TIME = Duration.ofSeconds(2);

    private final SecurityTestServer testServer;
    private final TimingCalibration calibration;

    SecuritySuiteRunner(SecurityTestServer arena) {
        this.testServer = arena;
        calibration = TimingCalibration.of(arena.api());
    }

    /** Runs the cases and returns their results in the same order. */
    List<AttackCaseResult> runAll(List<AttackCase> rows) {
        ExecutorService crowd = Executors.newFixedThreadPool(CONCURRENCY);
        try {
            List<CompletableFuture<AttackCaseResult>> together = rows.stream()
                    .filter(row -> !row.exclusive())
                    .map(row -> CompletableFuture.supplyAsync(() -> runCase(row), crowd))
                    .toList();
            List<AttackCaseResult> verdicts = new ArrayList<>(
                    together.stream().map(CompletableFuture::join).toList());
            rows.stream().filter(AttackCase::exclusive).map(this::runCase).forEach(verdicts::add);
            verdicts.sort(java.util.Comparator.comparingInt(verdict -> rows.indexOf(verdict.attackCase())));
            return verdicts;
        } finally {
            crowd.shutdownNow();
        }
    }

    private AttackCaseResult runCase(AttackCase row) {
        long from = System.currentTimeMillis();
        if (row.attack().isEmpty()) {
            return new AttackCaseResult(row, row.remark(), OptionalLong.empty(), from, from, 0, List.of(), List.of());
        }
        long server = testServer.server().pid();
        Set<Long> before = row.exclusive() ? workerPids() : Set.of();
        List<String> faults = new ArrayList<>();
        List<String> leaks = new ArrayList<>();
        String outcome = "";
        OptionalLong stop = OptionalLong.empty();
        try {
            AttackResult sighting = row.attack().orElseThrow().execute(testServer);
            outcome = sighting.outcome();
            stop = sighting.stopMillis();
            faults.addAll(row.expected().findMismatches(sighting));
            faults.addAll(checkStopTime(sighting));
            leaks.addAll(testServer.leakDetector().findLeaks(sighting.visibleText(), row.allowedWords()));
        } catch (RuntimeException | AssertionError e) {
            faults.add(String.valueOf(e));
        }
        faults.addAll(checkProcess(server));
        int killed = 0;
        if (row.exclusive()) {
            faults.addAll(checkHealth());
            before.removeAll(workerPids());
            killed = before.size();
        }
        AttackCaseResult verdict =
                new AttackCaseResult(row, outcome, stop, from, System.currentTimeMillis(), killed, leaks, faults);
        System.out.println(
                (verdict.hasPassed() ? "  " : "! ") + row.id() + " " + outcome + " " + (verdict.endMillis() - from)
                        + " ms, " + killed + " workers killed " + (verdict.hasPassed() ? "" : leaks + " " + faults));
        return verdict;
    }

    private List<String> checkStopTime(AttackResult sighting) {
        List<String> faults = new ArrayList<>();
        sighting.stopMillis().ifPresent(millis -> {
            if (isLate(millis)) {
                faults.add("ended " + millis + " ms after it was to");
            }
        });
        JsonNode run = sighting.execution().path("runMillis");
        long wall = sighting.execution().path("limits").path("wallMillis").asLong();
        if (run.isNumber() && isLate(run.asLong() - wall)) {
            faults.add("ran for " + run.asLong() + " ms");
        }
        return faults;
    }

    /** Measures the load of the machine only if the time exceeds the limit. */
    private boolean isLate(long millis) {
        return millis > MAX_STOP_TIME.toMillis()
                && millis > calibration.adjustLimit(MAX_STOP_TIME).toMillis();
    }

    private List<String> checkProcess(long pid) {
        return testServer.server().isAlive() && testServer.server().pid() == pid
                ? List.of()
                : List.of("the server's process " + pid + " has ended");
    }

    /** Checks that the service still runs a script with a tool call. */
    private List<String> checkHealth() {
        try {
            AttackResult sum = testServer.run(SubmissionBody.javascript("return demo.add({ a: 40, b: 2 });"));
            return sum.result().asInt() == 42 ? List.of() : List.of("the service is not well: " + sum.visibleText());
        } catch (RuntimeException | AssertionError e) {
            return List.of("the service is not well: " + e);
        }
    }

    private Set<Long> workerPids() {
        return testServer.server().workers().stream()
                .map(ProcessHandle::pid)
                .collect(Collectors.toCollection(HashSet::new));
    }
}
