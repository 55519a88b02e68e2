package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.TerminalTextEscaper;

/** The progress bar of one batch, with its rate and the time that is left. Not thread-safe. */
final class BatchProgress {
    private static final int BAR_WIDTH = 24;
    private static final double NANOS_PER_SECOND = 1e9;
    /** A rate over a shorter time says little. */
    private static final double MIN_SECONDS = 2;

    private final LongSupplier nanos;
    private long startedAt;
    private int endedAtStart = -1;

    BatchProgress(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** The line for the current state of the batch. */
    String line(JsonNode batch) {
        int all = Math.max(1, batch.path("total").asInt());
        int ended = all;
        for (String state : new String[] {"PENDING", "RUNNING", "WAITING"}) {
            ended -= count(batch, state);
        }
        int filled = BAR_WIDTH * ended / all;
        return "[" + "#".repeat(filled) + ".".repeat(BAR_WIDTH - filled) + "] " + ended + "/" + all + "  "
                + summary(batch) + rate(all, ended);
    }

    private String rate(int all, int ended) {
        if (endedAtStart < 0) {
            endedAtStart = ended;
            startedAt = nanos.getAsLong();
        }
        double seconds = (nanos.getAsLong() - startedAt) / NANOS_PER_SECOND;
        if (seconds < MIN_SECONDS || ended == endedAtStart) {
            return "";
        }
        double perSecond = (ended - endedAtStart) / seconds;
        long left = Math.round((all - ended) / perSecond);
        // An estimate: fractions of a second would promise too much.
        String time = left < 60 ? left + " s" : DurationFormat.format(Duration.ofSeconds(left));
        return String.format(Locale.ROOT, "  %.1f/s, %s left", perSecond, time);
    }

    static int count(JsonNode batch, String state) {
        return batch.path("counts").path(state).asInt();
    }

    /** The number of items in each state, and of those that were refused. */
    static String summary(JsonNode batch) {
        StringBuilder summary = new StringBuilder();
        batch.path("counts")
                .properties()
                .forEach(count -> summary.append(summary.isEmpty() ? "" : ", ")
                        .append(count.getValue().asInt())
                        .append(' ')
                        .append(TerminalTextEscaper.escapeLine(count.getKey())));
        int refused = batch.path("refused").asInt();
        return summary + (refused == 0 ? "" : (summary.isEmpty() ? "" : ", ") + refused + " refused");
    }
}
