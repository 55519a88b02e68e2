package org.sallyport.it.hostile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** The table of all that was done. */
final class Report {
    private final Arena arena;
    private final Victim victim;
    private final List<Verdict> verdicts;
    private final List<String> footprint;

    /** @param footprint lines on memory before and after */
    Report(Arena arena, Victim victim, List<Verdict> verdicts, List<String> footprint) {
        this.arena = arena;
        this.victim = victim;
        this.verdicts = verdicts;
        this.footprint = footprint;
    }

    /** The table and what there is to say below it, as Markdown. */
    String text() {
        StringBuilder text = new StringBuilder("# Hostile input, mode ")
                .append(arena.mode().setting())
                .append("\n\n| row | what | state and code | ms to stop | took ms | workers killed | victim p99 ms"
                        + " | victim failures | leaks | ok |\n|---|---|---|---|---|---|---|---|---|---|\n");
        verdicts.forEach(verdict -> text.append(line(verdict)));
        long attacked = verdicts.stream().filter(verdict -> done(verdict)).count();
        long good = verdicts.stream()
                .filter(verdict -> done(verdict) && verdict.ok())
                .count();
        text.append('\n').append(good).append(" of ").append(attacked).append(" rows as expected, ");
        text.append(verdicts.size() - attacked).append(" not done here; ");
        Victim.Pace pace = victim.pace(0, Long.MAX_VALUE);
        text.append("victim: ").append(victim.probes()).append(" probes, p99 ").append(shown(pace.p99()));
        text.append(" ms, ").append(pace.failures()).append(" failures.\n\n");
        footprint.forEach(line -> text.append("- ").append(line).append('\n'));
        victim.failures().stream()
                .limit(10)
                .forEach(failure ->
                        text.append("- victim: ").append(cell(failure)).append('\n'));
        verdicts.stream()
                .filter(verdict -> !verdict.ok())
                .forEach(verdict -> text.append("- ")
                        .append(verdict.row().id())
                        .append(": ")
                        .append(verdict.open() ? " open: " + cell(verdict.row().open()) + ":" : "")
                        .append(" ")
                        .append(cell(verdict.leaks() + " " + verdict.faults()))
                        .append('\n'));
        return text.toString();
    }

    /** Prints it, and writes it where people find it. */
    Path publish() {
        String text = text();
        System.out.println(text);
        Path file = Path.of("target", "hostile-" + arena.mode().setting() + ".md");
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean done(Verdict verdict) {
        return verdict.row().attack().isPresent();
    }

    private String line(Verdict verdict) {
        Row row = verdict.row();
        if (!done(verdict)) {
            return "| %s | %s | %s | | | | | | | – |%n".formatted(row.id(), cell(row.title()), cell(row.remark()));
        }
        Victim.Pace pace = victim.pace(verdict.from(), verdict.to());
        return "| %s | %s | %s | %s | %d | %d | %s | %d | %s | %s |%n"
                .formatted(
                        row.id(),
                        cell(row.title()),
                        cell(verdict.outcome()),
                        shown(verdict.stopMillis()),
                        verdict.to() - verdict.from(),
                        verdict.killed(),
                        shown(pace.p99()),
                        pace.failures(),
                        verdict.leaks().isEmpty() ? "0" : cell(verdict.leaks().toString()),
                        verdict.ok() ? "yes" : verdict.open() ? "open" : "**NO**");
    }

    private static String shown(OptionalLong millis) {
        return millis.isPresent() ? Long.toString(millis.getAsLong()) : "–";
    }

    private static String cell(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").replace("|", "\\|");
        return line.length() > 800 ? line.substring(0, 800) + "…" : line;
    }
}
