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
    private final BystanderLoad bystander;
    private final List<AttackCaseResult> results;
    private final List<String> resourceUsage;

    /** @param footprint lines about memory before and after the attacks */
    SecurityReport(
            SecurityTestServer arena, BystanderLoad victim, List<AttackCaseResult> verdicts, List<String> footprint) {
        this.testServer = arena;
        this.bystander = victim;
        this.results = verdicts;
        this.resourceUsage = footprint;
    }

    /** The table and the notes below it, as Markdown. */
    String toMarkdown() {
        StringBuilder text = new StringBuilder("# Hostile input, mode ")
                .append(testServer.mode().settingValue())
                .append("\n\n| row | what | state and code | ms to stop | took ms | workers killed | victim p99 ms"
                        + " | victim failures | leaks | ok |\n|---|---|---|---|---|---|---|---|---|---|\n");
        results.forEach(verdict -> text.append(formatRow(verdict)));
        long attacked = results.stream().filter(verdict -> wasExecuted(verdict)).count();
        long good = results.stream()
                .filter(verdict -> wasExecuted(verdict) && verdict.hasPassed())
                .count();
        text.append('\n').append(good).append(" of ").append(attacked).append(" rows as expected, ");
        text.append(results.size() - attacked).append(" not done here; ");
        BystanderLoad.LatencySummary pace = bystander.summarize(0, Long.MAX_VALUE);
        text.append("victim: ")
                .append(bystander.probeCount())
                .append(" probes, p99 ")
                .append(formatMillis(pace.p99()));
        text.append(" ms, ").append(pace.failures()).append(" failures.\n\n");
        resourceUsage.forEach(line -> text.append("- ").append(line).append('\n'));
        bystander.failureMessages().stream()
                .limit(10)
                .forEach(failure ->
                        text.append("- victim: ").append(escapeCell(failure)).append('\n'));
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
            return "| %s | %s | %s | | | | | | | – |%n"
                    .formatted(row.id(), escapeCell(row.title()), escapeCell(row.remark()));
        }
        BystanderLoad.LatencySummary pace = bystander.summarize(verdict.startMillis(), verdict.endMillis());
        return "| %s | %s | %s | %s | %d | %d | %s | %d | %s | %s |%n"
                .formatted(
                        row.id(),
                        escapeCell(row.title()),
                        escapeCell(verdict.outcome()),
                        formatMillis(verdict.stopMillis()),
                        verdict.endMillis() - verdict.startMillis(),
                        verdict.killedWorkers(),
                        formatMillis(pace.p99()),
                        pace.failures(),
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
