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
 * What a run came to.
 *
 * @param changed what looked otherwise after it had ended
 * @param unfinished executions that had not ended four minutes after the last start
 * @param leftovers processes that killed nodes had started and that did not end
 * @param rest how long it took after the last start
 */
record Findings(
        Plan plan,
        Map<String, Integer> deaths,
        Load load,
        Comparison comparison,
        List<String> changed,
        List<String> unfinished,
        List<String> leftovers,
        Rest rest) {

    /**
     * How long it took until all had ended.
     *
     * @param took from the last start on
     * @param most what is promised, and as much more as the machine was busy
     */
    record Rest(Duration took, Duration most) {}

    /** Everything that must not be, in words. */
    List<String> faults() {
        List<String> faults = new java.util.ArrayList<>(load.wrong());
        comparison.lost().forEach(id -> faults.add("lost: " + id));
        unfinished.forEach(id -> faults.add(
                "not ended within four minutes: " + id + " " + load.accepted().get(id)));
        if (rest.took().compareTo(rest.most()) > 0) {
            faults.add("had not all ended before " + rest.took().toMillis()
                    + " ms after the last start, and were to within "
                    + rest.most().toMillis() + " ms");
        }
        leftovers.forEach(what -> faults.add("left behind: " + what));
        comparison.doubled().forEach(what -> faults.add("doubled: " + what));
        changed.forEach(what -> faults.add("changed after its end: " + what));
        comparison.faults().forEach(what -> faults.add("ended otherwise: " + what));
        return faults;
    }

    /** The table, as Markdown. */
    String text() {
        StringBuilder text = new StringBuilder("# Chaos: ").append(plan).append("\n\n| what | |\n|---|---|\n");
        line(text, "kills", deaths.values().stream().mapToInt(Integer::intValue).sum() + " " + deaths);
        Map<String, Integer> kinds = new TreeMap<>();
        load.accepted()
                .values()
                .forEach(job -> kinds.merge(job.kind().name().toLowerCase(java.util.Locale.ROOT), 1, Integer::sum));
        line(text, "executions accepted", load.accepted().size() + " " + kinds);
        line(text, "submissions sent again", load.resent());
        line(text, "lost", comparison.lost().size());
        line(text, "not ended four minutes after the last start", unfinished.size());
        line(text, "calls, effects and executions doubled", comparison.doubled().size());
        line(text, "processes of dead nodes left", leftovers.size());
        line(text, "changed after their end", changed.size());
        line(text, "ended otherwise than they must", comparison.faults().size());
        line(text, "told that an outcome is unknown", comparison.unknown());
        line(text, "all ended after the last start within, ms", rest.took().toMillis());
        line(text, "and were to within, ms", rest.most().toMillis());
        return text.toString();
    }

    private static void line(StringBuilder text, String what, Object figure) {
        text.append("| ").append(what).append(" | ").append(figure).append(" |\n");
    }

    /** Prints the table, and writes it with all faults where people find it. */
    Path publish() {
        System.out.println(text());
        Path file = Path.of("target", "chaos-" + plan.database() + "-" + plan.broker() + ".md");
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text() + "\n" + String.join("\n", faults()) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
