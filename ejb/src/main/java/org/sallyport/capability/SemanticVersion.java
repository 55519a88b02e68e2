package org.sallyport.capability;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version by Semantic Versioning 2.0.0, ordered by precedence. Build metadata is refused: two versions that differ
 * only in build metadata have equal precedence.
 *
 * @param major not below 0
 * @param minor not below 0
 * @param patch not below 0
 * @param prerelease identifiers; empty for a release
 */
public record SemanticVersion(long major, long minor, long patch, List<String> prerelease)
        implements Comparable<SemanticVersion> {
    private static final int MAX_LENGTH = 100;
    private static final String NUMBER = "(0|[1-9]\\d{0,14})";
    private static final Pattern VERSION_PATTERN =
            Pattern.compile(NUMBER + "\\." + NUMBER + "\\." + NUMBER + "(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?");
    private static final Pattern DIGITS = Pattern.compile("\\d+");

    public SemanticVersion {
        prerelease = List.copyOf(prerelease);
    }

    /** Parses {@code 1.2.3} or {@code 1.2.3-rc.1}; empty for any other text. */
    public static Optional<SemanticVersion> parse(String text) {
        Matcher form = VERSION_PATTERN.matcher(text);
        if (text.length() > MAX_LENGTH || !form.matches()) {
            return Optional.empty();
        }
        List<String> identifiers =
                form.group(4) == null ? List.of() : List.of(form.group(4).split("\\.", -1));
        boolean leadingZero =
                identifiers.stream().anyMatch(each -> isNumber(each) && each.length() > 1 && each.startsWith("0"));
        return leadingZero
                ? Optional.empty()
                : Optional.of(new SemanticVersion(
                        Long.parseLong(form.group(1)),
                        Long.parseLong(form.group(2)),
                        Long.parseLong(form.group(3)),
                        identifiers));
    }

    /** Returns whether this is a release and no prerelease. */
    public boolean isRelease() {
        return prerelease.isEmpty();
    }

    @Override
    public int compareTo(SemanticVersion other) {
        int order = Long.compare(major, other.major);
        order = order != 0 ? order : Long.compare(minor, other.minor);
        order = order != 0 ? order : Long.compare(patch, other.patch);
        if (order != 0 || isRelease() || other.isRelease()) {
            return order != 0 ? order : Boolean.compare(isRelease(), other.isRelease());
        }
        for (int i = 0; i < Math.min(prerelease.size(), other.prerelease.size()); i++) {
            order = compare(prerelease.get(i), other.prerelease.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(prerelease.size(), other.prerelease.size());
    }

    private static int compare(String one, String other) {
        if (isNumber(one) && isNumber(other)) {
            // Without leading zeros, the longer number is the larger one.
            return one.length() != other.length()
                    ? Integer.compare(one.length(), other.length())
                    : one.compareTo(other);
        }
        int kinds = Boolean.compare(isNumber(other), isNumber(one));
        return kinds != 0 ? kinds : one.compareTo(other);
    }

    private static boolean isNumber(String identifier) {
        return DIGITS.matcher(identifier).matches();
    }

    @Override
    public String toString() {
        String release = major + "." + minor + "." + patch;
        return isRelease() ? release : release + "-" + String.join(".", prerelease);
    }
}
