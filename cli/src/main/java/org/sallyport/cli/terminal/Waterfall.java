package org.sallyport.cli.terminal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.cli.api.Trace.Call;
import org.sallyport.cli.terminal.Look.Paint;

/**
 * Draws the calls of a trace below one another on one time axis: a bar begins and ends where its call did, so calls that
 * ran at the same time stand above each other.
 */
public final class Waterfall {
    private static final int WIDEST_NAME = 28;
    private static final int WIDEST_BAR = 48;
    private static final int SHOWN_AT_EACH_END = 15;

    private final Look look;
    private final boolean everyCall;

    /**
     * @param everyCall false leaves out the middle of a long trace and says so
     */
    public Waterfall(Look look, boolean everyCall) {
        this.look = look;
        this.everyCall = everyCall;
    }

    /**
     * The lines of the drawing, none if there were no calls.
     *
     * @param from where the axis begins, if it should begin before the first call
     * @param until where the axis ends, if it should end after the last call
     */
    public List<String> lines(List<Call> calls, Optional<Instant> from, Optional<Instant> until) {
        if (calls.isEmpty()) {
            return List.of();
        }
        Axis axis = axis(calls, from, until);
        int nameWidth = Math.min(
                WIDEST_NAME,
                calls.stream().mapToInt(call -> name(call).length()).max().orElse(0));
        int numberWidth = Integer.toString(calls.size()).length();
        int fixed = 2 + numberWidth + 2 + nameWidth + 2 + 2 + 10;
        int barWidth = Math.max(10, Math.min(WIDEST_BAR, look.columns() - fixed));

        List<String> lines = new ArrayList<>();
        lines.add(heading(axis, numberWidth + nameWidth + 6, barWidth));
        for (int i = 0; i < calls.size(); i++) {
            int left = calls.size() - 2 * SHOWN_AT_EACH_END;
            if (!everyCall && left > 1 && i == SHOWN_AT_EACH_END) {
                lines.add("  " + " ".repeat(numberWidth + 2) + left + " more calls");
                i += left - 1;
                continue;
            }
            lines.add(row(calls.get(i), i + 1, numberWidth, nameWidth, axis, barWidth));
        }
        return lines;
    }

    private static Axis axis(List<Call> calls, Optional<Instant> from, Optional<Instant> until) {
        Instant first = from.orElse(calls.get(0).start());
        Instant last = until.orElse(first);
        for (Call call : calls) {
            Instant end = call.end().orElse(call.start());
            first = call.start().isBefore(first) ? call.start() : first;
            last = end.isAfter(last) ? end : last;
        }
        return new Axis(first, Math.max(1, Duration.between(first, last).toNanos()));
    }

    private String heading(Axis axis, int indent, int barWidth) {
        String end = Durations.shown(Duration.ofNanos(axis.nanos()));
        String scale = "0" + " ".repeat(Math.max(1, barWidth - 1 - end.length())) + end;
        return look.paint(Paint.FAINT, " ".repeat(indent) + scale);
    }

    private String row(Call call, int number, int numberWidth, int nameWidth, Axis axis, int barWidth) {
        String head = String.format(
                Locale.ROOT, "  %" + numberWidth + "d  %-" + nameWidth + "s  ", number, cut(name(call), nameWidth));
        String length = call.end()
                .map(end -> Durations.shown(Duration.between(call.start(), end)))
                .orElse("open");
        String row =
                head + look.paint(paint(call), bar(call, axis, barWidth)) + String.format(Locale.ROOT, "  %9s", length);
        if (call.success()) {
            return row;
        }
        String reason = call.error().isEmpty() ? "failed" : Visible.line(call.error());
        int column = head.length() + barWidth + 13;
        return row + "  " + look.paint(Paint.BAD, cut(reason, Math.max(20, look.columns() - column)));
    }

    private static Paint paint(Call call) {
        if (call.end().isEmpty()) {
            return Paint.CAUTION;
        }
        return call.success() ? Paint.GOOD : Paint.BAD;
    }

    private String bar(Call call, Axis axis, int width) {
        int begin = Math.min(width - 1, axis.cell(call.start(), width));
        int end = call.end()
                .map(instant -> Math.min(width, (int) Math.ceil(axis.position(instant, width))))
                .orElse(width);
        int cells = Math.max(1, end - begin);
        String full = look.unicode() ? "\u2588" : "#";
        String open = look.unicode() ? "\u2591" : ".";
        return " ".repeat(begin)
                + (call.end().isPresent() ? full : open).repeat(cells)
                + " ".repeat(Math.max(0, width - begin - cells));
    }

    private static String name(Call call) {
        return Visible.line(call.tool());
    }

    private static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "~";
    }

    private record Axis(Instant from, long nanos) {
        double position(Instant at, int width) {
            return (double) Duration.between(from, at).toNanos() / nanos * width;
        }

        int cell(Instant at, int width) {
            return Math.max(0, (int) position(at, width));
        }
    }
}
