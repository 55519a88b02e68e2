package org.sallyport.web.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;

/** The position after a page of a list. Opaque to clients; validated on return. */
final class Cursor {
    private static final String ID_PREFIX = "1:";
    private static final String INDEX_PREFIX = "1#";
    private static final String NAME_PREFIX = "1=";
    private static final String TEXT_PREFIX = "1~";
    private static final String FILTERED_PREFIX = "2:";
    private static final Pattern FILTERED_PATTERN = Pattern.compile("2:([0-9a-f]{16}):([0-9a-f-]{36})");
    private static final int MAX_LENGTH = 200;
    private static final int MAX_TEXT_LENGTH = 4_000;

    private Cursor() {}

    static String encode(ExecutionId last) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((ID_PREFIX + last).getBytes(StandardCharsets.US_ASCII));
    }

    /** Encodes the position in a list with filters of this fingerprint; an empty fingerprint means no filters. */
    static String encode(ExecutionId last, String fingerprint) {
        return fingerprint.isEmpty()
                ? encode(last)
                : Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                (FILTERED_PREFIX + fingerprint + ":" + last).getBytes(StandardCharsets.US_ASCII));
    }

    /** Same as {@link #decode(String)}, but refuses a cursor of a list with other filters. */
    static Optional<ExecutionId> decode(@Nullable String cursor, String fingerprint) {
        if (cursor == null || cursor.isEmpty()) {
            return Optional.empty();
        }
        Matcher filtered = FILTERED_PATTERN.matcher(text(cursor));
        if (filtered.matches() ? !filtered.group(1).equals(fingerprint) : !fingerprint.isEmpty()) {
            if (filtered.matches() || decode(cursor).isPresent()) {
                throw RequestParameters.invalidParameter(
                        "cursor", "belongs to a list with other filters; start again without it");
            }
        }
        return filtered.matches()
                ? Optional.of(ExecutionId.parse(filtered.group(2)).orElseThrow(Cursor::invalidCursor))
                : decode(cursor);
    }

    private static String text(String cursor) {
        try {
            return cursor.length() <= MAX_LENGTH
                    ? new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII)
                    : "";
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Encodes the position in a list that is ordered by number. */
    static String encodeIndex(int last) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((INDEX_PREFIX + last).getBytes(StandardCharsets.US_ASCII));
    }

    /** The number after which the list continues; -1 for its start. */
    static int decodeIndex(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return -1;
        }
        try {
            if (cursor.length() <= MAX_LENGTH) {
                String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
                if (text.matches(INDEX_PREFIX + "\\d{1,9}")) {
                    return Integer.parseInt(text.substring(INDEX_PREFIX.length()));
                }
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw invalidCursor();
    }

    /** Encodes the position in a list that is ordered by name. */
    static String encodeName(String last) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((NAME_PREFIX + last).getBytes(StandardCharsets.US_ASCII));
    }

    /** The name after which the list continues; empty for its start. */
    static String decodeName(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return "";
        }
        try {
            if (cursor.length() <= MAX_LENGTH) {
                String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
                if (text.matches(NAME_PREFIX + "[a-z0-9._-]+")) {
                    return text.substring(NAME_PREFIX.length());
                }
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw invalidCursor();
    }

    /** Encodes the position in a list that is ordered by arbitrary text, which may contain lone surrogates. */
    static String encodeText(String last) {
        String text = TEXT_PREFIX + last;
        ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
        text.chars().forEach(unit -> bytes.putChar((char) unit));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** The text after which the list continues; empty for its start. */
    static String decodeText(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return "";
        }
        try {
            if (cursor.length() <= MAX_TEXT_LENGTH) {
                ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor));
                String text = bytes.asCharBuffer().toString();
                boolean whole = bytes.capacity() % Character.BYTES == 0;
                if (whole && text.startsWith(TEXT_PREFIX) && text.length() > TEXT_PREFIX.length()) {
                    return text.substring(TEXT_PREFIX.length());
                }
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw invalidCursor();
    }

    private static ProblemException invalidCursor() {
        return RequestParameters.invalidParameter("cursor", "is not a cursor of this list; start again without it");
    }

    static Optional<ExecutionId> decode(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (cursor.length() <= MAX_LENGTH) {
                String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
                if (text.startsWith(ID_PREFIX)) {
                    Optional<ExecutionId> id = ExecutionId.parse(text.substring(ID_PREFIX.length()));
                    if (id.isPresent()) {
                        return id;
                    }
                }
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw invalidCursor();
    }
}
