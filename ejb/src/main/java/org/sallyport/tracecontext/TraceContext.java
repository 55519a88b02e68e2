package org.sallyport.tracecontext;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A trace, and what of it everything here is part of.
 *
 * @param traceId 32 lower-case hexadecimal digits, not all zero
 * @param parent span of whoever asked, 16 such digits; empty when the trace begins here
 * @param flags the two bits that are defined: 1 for sampled, 2 for an id that is random
 * @param state the {@code tracestate}, valid and at most {@link TraceState#LONGEST} characters; empty when there is none
 */
public record TraceContext(String traceId, Optional<String> parent, int flags, String state) {
    private static final int SAMPLED = 1;
    private static final int KNOWN_FLAGS = 3;
    private static final String NONE = "0".repeat(16);
    private static final String NO_TRACE = "0".repeat(32);
    private static final int LENGTH = 55;

    /** No more than a later version may have behind what is known of it. */
    private static final int LONGEST = 512;

    private static final Pattern FORM = Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})");

    /**
     * Reads what a caller sent; empty when there is no valid {@code traceparent}. An invalid {@code tracestate} is left out, as the
     * recommendation has it.
     */
    public static Optional<TraceContext> of(@Nullable String traceparent, @Nullable String tracestate) {
        return read(traceparent)
                .filter(context -> context.parent().isPresent())
                .map(context -> new TraceContext(
                        context.traceId(), context.parent(), context.flags(), TraceState.valid(tracestate)));
    }

    private static Optional<TraceContext> read(@Nullable String text) {
        if (text == null || text.length() < LENGTH || text.length() > LONGEST) {
            return Optional.empty();
        }
        Matcher parts = FORM.matcher(text.substring(0, LENGTH));
        if (!parts.matches() || !isVersion(parts.group(1), text)) {
            return Optional.empty();
        }
        String traceId = parts.group(2);
        String parent = parts.group(3);
        int flags = Integer.parseInt(parts.group(4), 16) & KNOWN_FLAGS;
        return traceId.equals(NO_TRACE)
                ? Optional.empty()
                : Optional.of(new TraceContext(
                        traceId, parent.equals(NONE) ? Optional.empty() : Optional.of(parent), flags, ""));
    }

    /** A later version may be longer, and begins the same. */
    private static boolean isVersion(String version, String text) {
        return switch (version) {
            case "00" -> text.length() == LENGTH;
            case "ff" -> false;
            default -> text.length() == LENGTH || text.charAt(LENGTH) == '-';
        };
    }

    /** Whether whoever began the trace wants it recorded. */
    public boolean sampled() {
        return (flags & SAMPLED) != 0;
    }

    /** What is sent with a request that {@code span} makes. */
    public TraceHeaders headers(String span) {
        return new TraceHeaders(traceparent(span), state);
    }

    /** The header that names {@code span} of this trace. */
    public String traceparent(String span) {
        return "00-" + traceId + "-" + span + "-0" + flags;
    }

    /** To be kept, for {@link #ofStored}. */
    public String stored() {
        return traceparent(parent.orElse(NONE)) + (state.isEmpty() ? "" : ";" + state);
    }

    /** What {@link #stored} wrote; empty for anything else. */
    public static Optional<TraceContext> ofStored(String text) {
        int end = text.indexOf(';');
        return read(end < 0 ? text : text.substring(0, end))
                .map(context -> new TraceContext(
                        context.traceId(),
                        context.parent(),
                        context.flags(),
                        end < 0 ? "" : TraceState.valid(text.substring(end + 1))));
    }
}
