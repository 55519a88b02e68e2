package org.sallyport.web.api;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionVersion;

/**
 * The position of a client in the event stream of an execution: the id of the last event that it received.
 *
 * @param state the state and attempt that the client knows, {@code -} for none, {@code END} when it knows the result
 * @param seq the last trace event
 * @param outputOffset characters of stdout that the client has received
 * @param errorOffset characters of stderr that the client has received
 */
record EventPosition(String state, long seq, long outputOffset, long errorOffset) {
    private static final Pattern PATTERN =
            Pattern.compile("(-|END|[A-Z_]{1,12}\\d{1,9})\\.(\\d{1,18})\\.(\\d{1,18})\\.(\\d{1,18})");
    private static final String NO_STATE = "-";
    private static final String END = "END";

    static EventPosition from(long seq, long output, long error) {
        return new EventPosition(NO_STATE, seq, output, error);
    }

    /**
     * Parses an event id; null if it is absent or invalid.
     *
     * @param header the event id that a reconnecting client sends
     */
    static @Nullable EventPosition of(@Nullable String header) {
        if (header == null || header.isEmpty()) {
            return null;
        }
        Matcher form = PATTERN.matcher(header);
        if (!form.matches()) {
            throw RequestParameters.invalidParameter("Last-Event-ID", "is not an event id of this execution's stream");
        }
        return new EventPosition(
                form.group(1),
                Long.parseLong(form.group(2)),
                Long.parseLong(form.group(3)),
                Long.parseLong(form.group(4)));
    }

    boolean isEnd() {
        return state.equals(END);
    }

    boolean hasSeen(ExecutionVersion extent) {
        return state.equals(stateName(extent));
    }

    EventPosition withState(ExecutionVersion extent) {
        return new EventPosition(stateName(extent), seq, outputOffset, errorOffset);
    }

    private static String stateName(ExecutionVersion extent) {
        return extent.state().name() + extent.attempt();
    }

    EventPosition withSeq(long more) {
        return new EventPosition(state, more, outputOffset, errorOffset);
    }

    EventPosition withOutput(long more) {
        return new EventPosition(state, seq, more, errorOffset);
    }

    EventPosition withError(long more) {
        return new EventPosition(state, seq, outputOffset, more);
    }

    EventPosition atEnd() {
        return new EventPosition(END, seq, outputOffset, errorOffset);
    }

    @Override
    public String toString() {
        return state + "." + seq + "." + outputOffset + "." + errorOffset;
    }
}
