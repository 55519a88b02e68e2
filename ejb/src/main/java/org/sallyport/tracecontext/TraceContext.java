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
 * @param state the {@code tracestate}, valid and at most {@link TraceState#MAX_LENGTH} characters; empty when there is none
 */
public record TraceContext(String traceId, Optional<String> parent, int flags, String state) {
    private static final int SAMPLED = 1;
    private static final int KNOWN_FLAGS = 3;
    private static final String NO_SPAN = "0".repeat(16);
    private static final String NO_TRACE = "0".repeat(32);
    private static final int TRACEPARENT_LENGTH = 55;

    /** No more than a later version may have behind what is known of it. */
    private static final int MAX_TRACEPARENT_LENGTH = 512;

    private static final Pattern TRACEPARENT_PATTERN =
            Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})");

    /**
     * Reads what a caller sent; empty when there is no valid {@code traceparent}. An invalid {@code tracestate} is left out, as the
     * recommendation has it.
     */
    public static Optional<TraceContext> of(@Nullable String traceparent, @Nullable String tracestate) {
        return parse(traceparent)
                .filter(context -> context.parent().isPresent())
                .map(context -> new TraceContext(
                        context.traceId(), context.parent(), context.flags(), TraceState.normalize(tracestate)));
    }

    private static Optional<TraceContext> parse(@Nullable String text) {
        if (text == null || text.length() < TRACEPARENT_LENGTH || text.length() > MAX_TRACEPARENT_LENGTH) {
            return Optional.empty();
        }
        Matcher parts = TRACEPARENT_PATTERN.matcher(text.substring(0, TRACEPARENT_LENGTH));
        if (!parts.matches() || !isSupportedVersion(parts.group(1), text)) {
            return Optional.empty();
        }
        String traceId = parts.group(2);
        String parent = parts.group(3);
        int flags = Integer.parseInt(parts.group(4), 16) & KNOWN_FLAGS;
        return traceId.equals(NO_TRACE)
                ? Optional.empty()
                : Optional.of(new TraceContext(
                        traceId, parent.equals(NO_SPAN) ? Optional.empty() : Optional.of(parent), flags, ""));
    }

    /** A later version may be longer, and begins the same. */
    private static boolean isSupportedVersion(String version, String text) {
        return switch (version) {
            case "00" -> text.length() == TRACEPARENT_LENGTH;
            case "ff" -> false;
            default -> text.length() == TRACEPARENT_LENGTH || text.charAt(TRACEPARENT_LENGTH) == '-';
        };
    }

    /** Whether whoever began the trace wants it recorded. */
    public boolean isSampled() {
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

    /** To be kept, for {@link #fromStored}. */
    public String toStoredText() {
        return traceparent(parent.orElse(NO_SPAN)) + (state.isEmpty() ? "" : ";" + state);
    }

    /** What {@link #toStoredText} wrote; empty for anything else. */
    public static Optional<TraceContext> fromStored(String text) {
        int end = text.indexOf(';');
        return parse(end < 0 ? text : text.substring(0, end))
                .map(context -> new TraceContext(
                        context.traceId(),
                        context.parent(),
                        context.flags(),
                        end < 0 ? "" : TraceState.normalize(text.substring(end + 1))));
    }
}
