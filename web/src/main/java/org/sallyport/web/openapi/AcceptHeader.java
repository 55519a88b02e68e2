package org.sallyport.web.openapi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The media types that a client accepts (RFC 9110, 12.5.1).
 *
 * @param ranges the media ranges of the header; empty if the client accepts any type
 */
record AcceptHeader(List<MediaRange> ranges) {
    AcceptHeader {
        ranges = List.copyOf(ranges);
    }

    /**
     * One media range.
     *
     * @param pattern {@code type/subtype}, {@code type/*} or {@code *}{@code /*}
     * @param quality from 0 (not acceptable) to 1
     */
    record MediaRange(String pattern, double quality) {
        boolean matches(String type) {
            return pattern.equals(type)
                    || pattern.equals("*/*")
                    || (pattern.endsWith("/*") && type.startsWith(pattern.substring(0, pattern.length() - 1)));
        }

        /** The more specific range decides about a type that several ranges match. */
        int specificity() {
            return pattern.equals("*/*") ? 0 : pattern.endsWith("/*") ? 1 : 2;
        }
    }

    /** Parses the values of {@code Accept}; skips invalid ones. */
    static AcceptHeader of(List<String> headers) {
        List<MediaRange> ranges = new ArrayList<>();
        for (String header : headers) {
            for (String range : header.split(",", -1)) {
                String[] parts = range.split(";", -1);
                String pattern = parts[0].strip().toLowerCase(Locale.ROOT);
                if (pattern.indexOf('/') > 0) {
                    ranges.add(new MediaRange(pattern, quality(parts)));
                }
            }
        }
        return new AcceptHeader(ranges);
    }

    private static double quality(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.matches("q=[01](\\.[0-9]{0,3})?")) {
                return Double.parseDouble(parameter.substring(2));
            }
        }
        return 1;
    }

    /** Whether the client prefers {@code type} to {@code other}: by quality, then by the more specific range. */
    boolean prefers(String type, String other) {
        MediaRange ours = bestMatch(type);
        MediaRange theirs = bestMatch(other);
        int byQuality = Double.compare(ours.quality(), theirs.quality());
        return byQuality > 0 || (byQuality == 0 && ours.specificity() > theirs.specificity());
    }

    private MediaRange bestMatch(String type) {
        return ranges.stream()
                .filter(range -> range.matches(type))
                .max(Comparator.comparingInt(MediaRange::specificity))
                .orElse(new MediaRange("*/*", ranges.isEmpty() ? 1 : 0));
    }
}
