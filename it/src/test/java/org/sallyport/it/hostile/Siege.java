package org.sallyport.it.hostile;

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
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.Submission;

/**
 * Does all rows to one service: first, two at a time, those that disturb nobody, then one by one those that compute or
 * kill. After each the service must work.
 */
final class Siege {
    private static final int AT_ONCE = 2;
    /** From the deadline or the cancel to the end of any script. */
    private static final Duration STOP = Duration.ofSeconds(2);

    private final Arena arena;
    private final Pace pace;

    Siege(Arena arena) {
        this.arena = arena;
        pace = Pace.of(arena.api());
    }

    /** Does them; what came of each, in their order. */
    List<Verdict> lay(List<Row> rows) {
        ExecutorService crowd = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<CompletableFuture<Verdict>> together = rows.stream()
                    .filter(row -> !row.alone())
                    .map(row -> CompletableFuture.supplyAsync(() -> strike(row), crowd))
                    .toList();
            List<Verdict> verdicts = new ArrayList<>(
                    together.stream().map(CompletableFuture::join).toList());
            rows.stream().filter(Row::alone).map(this::strike).forEach(verdicts::add);
            verdicts.sort(java.util.Comparator.comparingInt(verdict -> rows.indexOf(verdict.row())));
            return verdicts;
        } finally {
            crowd.shutdownNow();
        }
    }

    private Verdict strike(Row row) {
        long from = System.currentTimeMillis();
        if (row.attack().isEmpty()) {
            return new Verdict(row, row.remark(), OptionalLong.empty(), from, from, 0, List.of(), List.of());
        }
        Set<Long> before = row.alone() ? workers() : Set.of();
        List<String> faults = new ArrayList<>();
        List<String> leaks = new ArrayList<>();
        String outcome = "";
        OptionalLong stop = OptionalLong.empty();
        try {
            Sighting sighting = row.attack().orElseThrow().strike(arena);
            outcome = sighting.outcome();
            stop = sighting.stopMillis();
            faults.addAll(row.expected().faults(sighting));
            faults.addAll(late(sighting));
            leaks.addAll(arena.canaries().leaks(sighting.seen(), row.mentions()));
        } catch (RuntimeException | AssertionError e) {
            faults.add(String.valueOf(e));
        }
        int killed = 0;
        if (row.alone()) {
            faults.addAll(unwell());
            before.removeAll(workers());
            killed = before.size();
        }
        Verdict verdict = new Verdict(row, outcome, stop, from, System.currentTimeMillis(), killed, leaks, faults);
        System.out.println((verdict.ok() ? "  " : "! ") + row.id() + " " + outcome + " " + (verdict.to() - from)
                + " ms " + (verdict.ok() ? "" : leaks + " " + faults));
        return verdict;
    }

    private List<String> late(Sighting sighting) {
        List<String> faults = new ArrayList<>();
        sighting.stopMillis().ifPresent(millis -> {
            if (isLate(millis)) {
                faults.add("ended " + millis + " ms after it was to");
            }
        });
        JsonNode run = sighting.whole().path("runMillis");
        long wall = sighting.whole().path("limits").path("wallMillis").asLong();
        if (run.isNumber() && isLate(run.asLong() - wall)) {
            faults.add("ran for " + run.asLong() + " ms");
        }
        return faults;
    }

    /** Asked how busy the machine is only where that matters. */
    private boolean isLate(long millis) {
        return millis > STOP.toMillis() && millis > pace.within(STOP).toMillis();
    }

    /** Whether the service still does what it is for. */
    private List<String> unwell() {
        try {
            Sighting sum = arena.run(Submission.javascript("return demo.add({ a: 40, b: 2 });"));
            return sum.result().asInt() == 42 ? List.of() : List.of("the service is not well: " + sum.seen());
        } catch (RuntimeException | AssertionError e) {
            return List.of("the service is not well: " + e);
        }
    }

    private Set<Long> workers() {
        return arena.server().workers().stream().map(ProcessHandle::pid).collect(Collectors.toCollection(HashSet::new));
    }
}
