package org.sallyport.it.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a chaos run.
 *
 * @param changedAfterEnd executions that changed after they had ended
 * @param unfinished executions that had not ended four minutes after the last start
 * @param batchViolations batches that were lost or had not ended, with what is wrong
 * @param leftoverProcesses processes that killed nodes had started and that did not end
 * @param settleTime how long it took after the last start until all executions had ended
 */
record ChaosReport(
        ChaosPlan plan,
        Map<String, Integer> deaths,
        ChaosLoad load,
        ChaosVerifier verifier,
        List<String> changedAfterEnd,
        List<String> unfinished,
        List<String> batchViolations,
        List<String> leftoverProcesses,
        SettleTime settleTime) {

    /**
     * How long it took until all executions had ended.
     *
     * @param elapsed time since the last start
     * @param limit the promised time plus an allowance for a busy machine
     */
    record SettleTime(Duration elapsed, Duration limit) {}

    /** Describes each violated guarantee; empty if there is none. */
    List<String> findViolations() {
        List<String> faults = new java.util.ArrayList<>(load.failures());
        verifier.lostExecutions().forEach(id -> faults.add("lost: " + id));
        unfinished.forEach(id -> faults.add(
                "not ended within four minutes: " + id + " " + load.accepted().get(id)));
        faults.addAll(batchViolations);
        if (settleTime.elapsed().compareTo(settleTime.limit()) > 0) {
            faults.add("had not all ended before " + settleTime.elapsed().toMillis()
                    + " ms after the last start, and were to within "
                    + settleTime.limit().toMillis() + " ms");
        }
        leftoverProcesses.forEach(what -> faults.add("left behind: " + what));
        verifier.duplicates().forEach(what -> faults.add("doubled: " + what));
        changedAfterEnd.forEach(what -> faults.add("changed after its end: " + what));
        verifier.wrongResults().forEach(what -> faults.add("ended otherwise: " + what));
        return faults;
    }

    /** The report as a Markdown table. */
    String toMarkdown() {
        StringBuilder text = new StringBuilder("# Chaos: ").append(plan).append("\n\n| what | |\n|---|---|\n");
        appendRow(
                text,
                "kills",
                deaths.values().stream().mapToInt(Integer::intValue).sum() + " " + deaths);
        Map<String, Integer> kinds = new TreeMap<>();
        load.accepted()
                .values()
                .forEach(job -> kinds.merge(job.script().name().toLowerCase(java.util.Locale.ROOT), 1, Integer::sum));
        appendRow(text, "executions accepted", load.accepted().size() + " " + kinds);
        appendRow(text, "batches accepted", load.acceptedBatches().size());
        appendRow(text, "rows that the execution of an equal row answers", load.coalescedRows());
        appendRow(text, "submissions sent again", load.resent());
        appendRow(text, "lost", verifier.lostExecutions().size());
        appendRow(text, "not ended four minutes after the last start", unfinished.size());
        appendRow(text, "batches lost or not ended", batchViolations.size());
        appendRow(
                text,
                "calls, effects and executions doubled",
                verifier.duplicates().size());
        appendRow(text, "processes of dead nodes left", leftoverProcesses.size());
        appendRow(text, "changed after their end", changedAfterEnd.size());
        appendRow(
                text, "ended otherwise than they must", verifier.wrongResults().size());
        appendRow(text, "told that an outcome is unknown", verifier.unknownOutcomes());
        appendRow(
                text,
                "all ended after the last start within, ms",
                settleTime.elapsed().toMillis());
        appendRow(text, "and were to within, ms", settleTime.limit().toMillis());
        return text.toString();
    }

    private static void appendRow(StringBuilder text, String what, Object figure) {
        text.append("| ").append(what).append(" | ").append(figure).append(" |\n");
    }

    /** Prints the table and writes it to a file in {@code target}, with all violations. Returns the file. */
    Path publish() {
        System.out.println(toMarkdown());
        Path file = Path.of("target", "chaos-" + plan.database() + "-" + plan.broker() + ".md");
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, toMarkdown() + "\n" + String.join("\n", findViolations()) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
