package org.sallyport.web.api;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Extent;

/**
 * What a client knows of an execution: the id of the last event that it was sent.
 *
 * @param state the state and attempt that it knows, {@code -} for none, {@code END} when it knows the result
 * @param seq the last event of the trace
 * @param output characters of stdout
 * @param error characters of stderr
 */
record Position(String state, long seq, long output, long error) {
    private static final Pattern FORM =
            Pattern.compile("(-|END|[A-Z_]{1,12}\\d{1,9})\\.(\\d{1,18})\\.(\\d{1,18})\\.(\\d{1,18})");
    private static final String NOTHING = "-";
    private static final String END = "END";

    static Position from(long seq, long output, long error) {
        return new Position(NOTHING, seq, output, error);
    }

    /** @param header the id of an event, as a client that lost its connection sends it */
    static @Nullable Position of(@Nullable String header) {
        if (header == null || header.isEmpty()) {
            return null;
        }
        Matcher form = FORM.matcher(header);
        if (!form.matches()) {
            throw Parameters.fault("Last-Event-ID", "is not one that a stream of this execution gave");
        }
        return new Position(
                form.group(1),
                Long.parseLong(form.group(2)),
                Long.parseLong(form.group(3)),
                Long.parseLong(form.group(4)));
    }

    boolean ended() {
        return state.equals(END);
    }

    boolean knows(Extent extent) {
        return state.equals(name(extent));
    }

    Position knowing(Extent extent) {
        return new Position(name(extent), seq, output, error);
    }

    private static String name(Extent extent) {
        return extent.state().name() + extent.attempt();
    }

    Position withSeq(long more) {
        return new Position(state, more, output, error);
    }

    Position withOutput(long more) {
        return new Position(state, seq, more, error);
    }

    Position withError(long more) {
        return new Position(state, seq, output, more);
    }

    Position atEnd() {
        return new Position(END, seq, output, error);
    }

    @Override
    public String toString() {
        return state + "." + seq + "." + output + "." + error;
    }
}
