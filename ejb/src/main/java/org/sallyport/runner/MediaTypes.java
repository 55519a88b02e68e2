package org.sallyport.runner;

import java.util.Locale;
import org.sallyport.artifact.Artifact;

/** Media types of artifacts. */
final class MediaTypes {
    private static final int MAX_LENGTH = 100;
    private static final String TOKEN_CHARS = "!#$&^_.+-";

    private MediaTypes() {}

    /** Returns the media type of an artifact kind for which the script names none. */
    static String defaultFor(Artifact.ArtifactKind kind) {
        return switch (kind) {
            case TEXT -> "text/plain; charset=utf-8";
            case JSON -> "application/json";
            case BYTES -> "application/octet-stream";
        };
    }

    /**
     * Validates a media type and returns it in lower case. Accepts {@code type/subtype}, optionally with parameters of
     * plain characters.
     *
     * @throws IllegalArgumentException for any other text
     */
    static String validate(String type) {
        int slash = type.indexOf('/');
        int end = type.indexOf(';');
        String essence = end < 0 ? type : type.substring(0, end);
        boolean fits = type.length() <= MAX_LENGTH
                && slash > 0
                && slash < essence.length() - 1
                && isToken(essence.substring(0, slash))
                && isToken(essence.substring(slash + 1).stripTrailing())
                && (end < 0 || type.substring(end).chars().allMatch(MediaTypes::isParameterChar));
        if (!fits) {
            throw new IllegalArgumentException("contentType must be a media type such as text/csv");
        }
        return type.toLowerCase(Locale.ROOT);
    }

    private static boolean isToken(String text) {
        return text.chars().allMatch(c -> isAsciiLetterOrDigit(c) || TOKEN_CHARS.indexOf(c) >= 0);
    }

    private static boolean isParameterChar(int c) {
        return isAsciiLetterOrDigit(c) || TOKEN_CHARS.indexOf(c) >= 0 || c == ';' || c == '=' || c == ' ';
    }

    private static boolean isAsciiLetterOrDigit(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }
}
