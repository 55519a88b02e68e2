package org.sallyport.it.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a chaos run.
 *
 * @param pauses how often a node was suspended
 * @param unknownOutcomes executions that got an error because the outcome of an effect is unknown
 * @param leftoverProcesses processes that killed nodes had started and that did not end
 * @param settleTime how long it took after the last start until all executions had ended
 */
record ChaosReport(
        ChaosPlan plan,
        Map<String, Integer> deaths,
        int pauses,
        ChaosLoad load,
        RetryingClient client,
        HistoryChecker checker,
        int unknownOutcomes,
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
        List<String> faults = new ArrayList<>(client.failures());
        faults.addAll(checker.violations());
        if (settleTime.elapsed().compareTo(settleTime.limit()) > 0) {
            faults.add("had not all ended before " + settleTime.elapsed().toMillis()
                    + " ms after the last start, and were to within "
                    + settleTime.limit().toMillis() + " ms");
        }
        leftoverProcesses.forEach(what -> faults.add("left behind: " + what));
        return faults;
    }

    /** The report as a Markdown table. */
    String toMarkdown() {
        StringBuilder text = new StringBuilder("# Chaos: ").append(plan).append("\n\n| what | |\n|---|---|\n");
        appendRow(
                text,
                "kills",
                deaths.values().stream().mapToInt(Integer::intValue).sum() + " " + deaths);
        appendRow(text, "pauses of 2 to 20 s", pauses);
        Map<String, Integer> kinds = new TreeMap<>();
        load.accepted()
                .values()
                .forEach(job -> kinds.merge(job.script().name().toLowerCase(java.util.Locale.ROOT), 1, Integer::sum));
        appendRow(text, "executions accepted", load.accepted().size() + " " + kinds);
        appendRow(text, "batches accepted", load.acceptedBatches().size());
        appendRow(text, "rows that the execution of an equal row answers", load.coalescedRows());
        appendRow(text, "executions erased", load.erased().size());
        appendRow(text, "callbacks requested", load.executionsWithCallback().size());
        appendRow(text, "requests sent again", client.resentCount());
        for (HistoryRule rule : HistoryRule.values()) {
            appendRow(text, rule.violation(), checker.violations(rule).size());
        }
        appendRow(text, "processes of dead nodes left", leftoverProcesses.size());
        appendRow(text, "executions told that an outcome is unknown", unknownOutcomes);
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
