package org.sallyport.cli.terminal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.cli.api.ApiTrace.ApiToolCall;
import org.sallyport.cli.terminal.TerminalStyle.TextColor;

/**
 * Draws the calls of a trace as bars on one time axis, one below the other. A bar begins and ends at the times of its
 * call, so the bars of concurrent calls overlap.
 */
public final class TraceWaterfall {
    private static final int MAX_NAME_WIDTH = 28;
    private static final int MAX_BAR_WIDTH = 48;
    private static final int MAX_CALLS_AT_EACH_END = 15;

    private final TerminalStyle style;
    private final boolean showAllCalls;

    /**
     * @param everyCall false replaces the middle of a long trace with the number of omitted calls
     */
    public TraceWaterfall(TerminalStyle style, boolean everyCall) {
        this.style = style;
        this.showAllCalls = everyCall;
    }

    /**
     * Returns the lines of the drawing; none if there were no calls.
     *
     * @param from start of the axis, if it is before the first call
     * @param until end of the axis, if it is after the last call
     */
    public List<String> lines(List<ApiToolCall> calls, Optional<Instant> from, Optional<Instant> until) {
        if (calls.isEmpty()) {
            return List.of();
        }
        TimeAxis axis = axis(calls, from, until);
        int nameWidth = Math.min(
                MAX_NAME_WIDTH,
                calls.stream().mapToInt(call -> name(call).length()).max().orElse(0));
        int numberWidth = Integer.toString(calls.size()).length();
        int fixed = 2 + numberWidth + 2 + nameWidth + 2 + 2 + 10;
        int barWidth = Math.max(10, Math.min(MAX_BAR_WIDTH, style.columns() - fixed));

        List<String> lines = new ArrayList<>();
        lines.add(heading(axis, numberWidth + nameWidth + 6, barWidth));
        for (int i = 0; i < calls.size(); i++) {
            int left = calls.size() - 2 * MAX_CALLS_AT_EACH_END;
            if (!showAllCalls && left > 1 && i == MAX_CALLS_AT_EACH_END) {
                lines.add("  " + " ".repeat(numberWidth + 2) + left + " more calls");
                i += left - 1;
                continue;
            }
            lines.add(row(calls.get(i), i + 1, numberWidth, nameWidth, axis, barWidth));
        }
        return lines;
    }

    private static TimeAxis axis(List<ApiToolCall> calls, Optional<Instant> from, Optional<Instant> until) {
        Instant first = from.orElse(calls.get(0).start());
        Instant last = until.orElse(first);
        for (ApiToolCall call : calls) {
            Instant end = call.end().orElse(call.start());
            first = call.start().isBefore(first) ? call.start() : first;
            last = end.isAfter(last) ? end : last;
        }
        return new TimeAxis(first, Math.max(1, Duration.between(first, last).toNanos()));
    }

    private String heading(TimeAxis axis, int indent, int barWidth) {
        String end = DurationFormat.format(Duration.ofNanos(axis.nanos()));
        String scale = "0" + " ".repeat(Math.max(1, barWidth - 1 - end.length())) + end;
        return style.paint(TextColor.FAINT, " ".repeat(indent) + scale);
    }

    private String row(ApiToolCall call, int number, int numberWidth, int nameWidth, TimeAxis axis, int barWidth) {
        String head = String.format(
                Locale.ROOT,
                "  %" + numberWidth + "d  %-" + nameWidth + "s  ",
                number,
                truncate(name(call), nameWidth));
        String length = call.end()
                .map(end -> DurationFormat.format(Duration.between(call.start(), end)))
                .orElse("open");
        String row = head
                + style.paint(paint(call), bar(call, axis, barWidth))
                + String.format(Locale.ROOT, "  %9s", length);
        if (call.success()) {
            return row;
        }
        String reason = call.error().isEmpty() ? "failed" : TerminalTextEscaper.escapeLine(call.error());
        int column = head.length() + barWidth + 13;
        return row + "  " + style.paint(TextColor.BAD, truncate(reason, Math.max(20, style.columns() - column)));
    }

    private static TextColor paint(ApiToolCall call) {
        if (call.end().isEmpty()) {
            return TextColor.CAUTION;
        }
        return call.success() ? TextColor.GOOD : TextColor.BAD;
    }

    private String bar(ApiToolCall call, TimeAxis axis, int width) {
        int start = Math.min(width - 1, axis.cell(call.start(), width));
        int end = call.end()
                .map(instant -> Math.min(width, (int) Math.ceil(axis.position(instant, width))))
                .orElse(width);
        int cells = Math.max(1, end - start);
        String full = style.unicode() ? "\u2588" : "#";
        String open = style.unicode() ? "\u2591" : ".";
        return " ".repeat(start)
                + (call.end().isPresent() ? full : open).repeat(cells)
                + " ".repeat(Math.max(0, width - start - cells));
    }

    private static String name(ApiToolCall call) {
        return TerminalTextEscaper.escapeLine(call.tool());
    }

    private static String truncate(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "~";
    }

    private record TimeAxis(Instant from, long nanos) {
        double position(Instant at, int width) {
            return (double) Duration.between(from, at).toNanos() / nanos * width;
        }

        int cell(Instant at, int width) {
            return Math.max(0, (int) position(at, width));
        }
    }
}
