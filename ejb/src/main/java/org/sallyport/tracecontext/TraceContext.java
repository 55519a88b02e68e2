package org.sallyport.tracecontext;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A distributed trace and the parent span within it.
 *
 * @param traceId 32 lower-case hexadecimal digits, not all zero
 * @param parent span of the caller, 16 such digits; empty when the trace starts here
 * @param flags the two defined bits: 1 for sampled, 2 for a random id
 * @param state the {@code tracestate}, valid and at most {@link TraceState#MAX_LENGTH} characters; empty when there is
 *     none
 */
public record TraceContext(String traceId, Optional<String> parent, int flags, String state) {
    private static final int SAMPLED = 1;
    private static final int KNOWN_FLAGS = 3;
    private static final String NO_SPAN = "0".repeat(16);
    private static final String NO_TRACE = "0".repeat(32);
    private static final int TRACEPARENT_LENGTH = 55;

    /** Maximum length; later versions may append further fields to the known ones. */
    private static final int MAX_TRACEPARENT_LENGTH = 512;

    private static final Pattern TRACEPARENT_PATTERN =
            Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})");

    /**
     * Parses the headers of a caller. Empty without a valid {@code traceparent}. Ignores an invalid {@code tracestate},
     * as the recommendation requires.
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

    /** Later versions may be longer but start with the same fields. */
    private static boolean isSupportedVersion(String version, String text) {
        return switch (version) {
            case "00" -> text.length() == TRACEPARENT_LENGTH;
            case "ff" -> false;
            default -> text.length() == TRACEPARENT_LENGTH || text.charAt(TRACEPARENT_LENGTH) == '-';
        };
    }

    /** Returns whether the caller that started the trace requests its recording. */
    public boolean isSampled() {
        return (flags & SAMPLED) != 0;
    }

    /** Returns the headers of a request that {@code span} makes. */
    public TraceHeaders headers(String span) {
        return new TraceHeaders(traceparent(span), state);
    }

    /** Returns the {@code traceparent} header that names {@code span} of this trace. */
    public String traceparent(String span) {
        return "00-" + traceId + "-" + span + "-0" + flags;
    }

    /** Returns the text to store, for {@link #fromStored}. */
    public String toStoredText() {
        return traceparent(parent.orElse(NO_SPAN)) + (state.isEmpty() ? "" : ";" + state);
    }

    /** Parses the text of {@link #toStoredText}. Empty for any other text. */
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
