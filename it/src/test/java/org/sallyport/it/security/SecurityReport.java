package org.sallyport.it.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** The report on all cases. */
final class SecurityReport {
    private final SecurityTestServer testServer;
    private final BystanderLoad victim;
    private final BystanderLoad bystander;
    private final List<AttackCaseResult> results;
    private final List<String> resourceUsage;

    /** @param footprint lines about memory before and after the attacks */
    SecurityReport(
            SecurityTestServer arena,
            BystanderLoad victim,
            BystanderLoad bystander,
            List<AttackCaseResult> verdicts,
            List<String> footprint) {
        this.testServer = arena;
        this.victim = victim;
        this.bystander = bystander;
        this.results = verdicts;
        this.resourceUsage = footprint;
    }

    /** The table and the notes below it, as Markdown. */
    String toMarkdown() {
        StringBuilder text = new StringBuilder("# Hostile input, mode ")
                .append(testServer.mode().settingValue())
                .append("\n\n| row | what | state and code | ms to stop | took ms | workers killed | victim p99 ms"
                        + " | victim failures | bystander p99 ms | leaks | ok |\n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        results.forEach(verdict -> text.append(formatRow(verdict)));
        long attacked = results.stream().filter(verdict -> wasExecuted(verdict)).count();
        long good = results.stream()
                .filter(verdict -> wasExecuted(verdict) && verdict.hasPassed())
                .count();
        text.append('\n').append(good).append(" of ").append(attacked).append(" rows as expected, ");
        text.append(results.size() - attacked).append(" not done here; ");
        text.append(format("victim", victim)).append("; ").append(format("bystander", bystander));
        text.append(".\n\n");
        resourceUsage.forEach(line -> text.append("- ").append(line).append('\n'));
        appendFailures(text, "victim", victim);
        appendFailures(text, "bystander", bystander);
        results.stream()
                .filter(verdict -> !verdict.hasPassed())
                .forEach(verdict -> text.append("- ")
                        .append(verdict.attackCase().id())
                        .append(": ")
                        .append(
                                verdict.isKnownIssue()
                                        ? " open: "
                                                + escapeCell(
                                                        verdict.attackCase().knownIssue()) + ":"
                                        : "")
                        .append(" ")
                        .append(escapeCell(verdict.leaks() + " " + verdict.failures()))
                        .append('\n'));
        return text.toString();
    }

    private static String format(String name, BystanderLoad load) {
        BystanderLoad.LatencySummary pace = load.summarize(0, Long.MAX_VALUE);
        return "%s: %d probes, p99 %s ms, %d failures"
                .formatted(name, load.probeCount(), formatMillis(pace.p99()), pace.failures());
    }

    private static void appendFailures(StringBuilder text, String name, BystanderLoad load) {
        load.failureMessages().stream()
                .limit(10)
                .forEach(failure -> text.append("- ")
                        .append(name)
                        .append(": ")
                        .append(escapeCell(failure))
                        .append('\n'));
    }

    /** Prints the report and writes it to a file in {@code target}. Returns the file. */
    Path publish() {
        String text = toMarkdown();
        System.out.println(text);
        Path file = Path.of("target", "hostile-" + testServer.mode().settingValue() + ".md");
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean wasExecuted(AttackCaseResult verdict) {
        return verdict.attackCase().attack().isPresent();
    }

    private String formatRow(AttackCaseResult verdict) {
        AttackCase row = verdict.attackCase();
        if (!wasExecuted(verdict)) {
            return "| %s | %s | %s | | | | | | | | – |%n"
                    .formatted(row.id(), escapeCell(row.title()), escapeCell(row.remark()));
        }
        BystanderLoad.LatencySummary pace = victim.summarizeDuring(verdict);
        BystanderLoad.LatencySummary others = bystander.summarizeDuring(verdict);
        return "| %s | %s | %s | %s | %d | %d | %s | %d | %s | %s | %s |%n"
                .formatted(
                        row.id(),
                        escapeCell(row.title()),
                        escapeCell(verdict.outcome()),
                        formatMillis(verdict.stopMillis()),
                        verdict.endMillis() - verdict.startMillis(),
                        verdict.killedWorkers(),
                        formatMillis(pace.p99()),
                        pace.failures(),
                        formatMillis(others.p99()),
                        verdict.leaks().isEmpty()
                                ? "0"
                                : escapeCell(verdict.leaks().toString()),
                        verdict.hasPassed() ? "yes" : verdict.isKnownIssue() ? "open" : "**NO**");
    }

    private static String formatMillis(OptionalLong millis) {
        return millis.isPresent() ? Long.toString(millis.getAsLong()) : "–";
    }

    private static String escapeCell(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").replace("|", "\\|");
        return line.length() > 800 ? line.substring(0, 800) + "…" : line;
    }
}
