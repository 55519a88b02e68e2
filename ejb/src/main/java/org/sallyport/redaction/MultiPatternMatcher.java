package org.sallyport.redaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Searches for many texts in one pass. A rolling hash over a window of characters selects the places where a text may
 * begin, and only these are compared. Immutable.
 */
final class MultiPatternMatcher {
    static final int WINDOW_LENGTH = 8;
    private static final int FACTOR = 0x2c1b3c6d;
    private static final int BITS = 1 << 16;

    private final long[] hashBits = new long[BITS / Long.SIZE];
    private final Map<Integer, List<SecretEncodings.EncodedForm>> formsByHash = new HashMap<>();
    private final TreeSet<String> prefixes = new TreeSet<>();
    private final int oldestFactor;

    /** Each form must be at least as long as the window. */
    MultiPatternMatcher(Collection<SecretEncodings.EncodedForm> forms) {
        int power = 1;
        for (int i = 1; i < WINDOW_LENGTH; i++) {
            power *= FACTOR;
        }
        oldestFactor = power;
        Set<SecretEncodings.EncodedForm> all = new HashSet<>(forms);
        List<SecretEncodings.EncodedForm> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparing(
                        (SecretEncodings.EncodedForm form) -> form.text().length())
                .reversed()
                .thenComparing(form -> !(form.mayStartEarlier() || form.mayEndLater())));
        for (SecretEncodings.EncodedForm form : sorted) {
            int hash = hash(form.text());
            int bit = bit(hash);
            hashBits[bit >>> 6] |= 1L << bit;
            formsByHash.computeIfAbsent(hash, key -> new ArrayList<>()).add(form);
            prefixes.add(form.text().substring(0, WINDOW_LENGTH));
        }
    }

    private static int hash(CharSequence text) {
        int hash = 0;
        for (int i = 0; i < WINDOW_LENGTH; i++) {
            hash = hash * FACTOR + text.charAt(i);
        }
        return hash;
    }

    private static int bit(int hash) {
        return (hash * 0x9e3779b1) >>> 16;
    }

    /**
     * A match.
     *
     * @param complete false when the text ends, or was cut, before the end of the form
     */
    record PatternMatch(int start, int end, boolean complete) {}

    /**
     * Returns the first match from {@code from} on; of several forms, the longest.
     *
     * @param cut a character, or -1, before which the text may have been cut; a form that was cut there matches too
     * @param open whether the text continues after its end; a form that reaches the end matches too
     */
    @Nullable PatternMatch findNext(String text, int from, int cut, boolean open) {
        int last = text.length() - WINDOW_LENGTH;
        if (from > last) {
            return null;
        }
        int hash = hash(text.subSequence(from, from + WINDOW_LENGTH));
        for (int i = from; ; i++) {
            int bit = bit(hash);
            if ((hashBits[bit >>> 6] & (1L << bit)) != 0) {
                PatternMatch found = matchAt(text, i, hash, cut, open);
                if (found != null) {
                    return found;
                }
            }
            if (i == last) {
                return null;
            }
            hash = (hash - text.charAt(i) * oldestFactor) * FACTOR + text.charAt(i + WINDOW_LENGTH);
        }
    }

    private @Nullable PatternMatch matchAt(String text, int start, int hash, int cut, boolean open) {
        PatternMatch partial = null;
        for (SecretEncodings.EncodedForm form : formsByHash.getOrDefault(hash, List.of())) {
            int same = commonLength(text, start, form.text());
            int end = start + same;
            if (same == form.text().length()) {
                return extended(text, start, end, form);
            }
            boolean cutHere = end < text.length() ? text.charAt(end) == cut : open;
            if (same >= WINDOW_LENGTH && cutHere && (partial == null || end > partial.end())) {
                partial = new PatternMatch(start, end, false);
            }
        }
        return partial;
    }

    private static int commonLength(String text, int start, String form) {
        int maxLength = Math.min(form.length(), text.length() - start);
        int same = 0;
        while (same < maxLength && text.charAt(start + same) == form.charAt(same)) {
            same++;
        }
        return same;
    }

    private static PatternMatch extended(String text, int start, int end, SecretEncodings.EncodedForm form) {
        int from = form.mayStartEarlier() && start > 0 && isBase64(text.charAt(start - 1)) ? start - 1 : start;
        int to = form.mayEndLater() && end < text.length() && isBase64(text.charAt(end)) ? end + 1 : end;
        return new PatternMatch(from, to, true);
    }

    private static boolean isBase64(char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "+/-_".indexOf(c) >= 0;
    }

    /**
     * Returns the index in the last characters of an unfinished text at which a form may begin; the length of the text
     * when there is none.
     */
    int partialMatchStart(String text, int from) {
        for (int i = Math.max(from, text.length() - WINDOW_LENGTH + 1); i < text.length(); i++) {
            String end = text.substring(i);
            String candidate = prefixes.ceiling(end);
            if (candidate != null && candidate.startsWith(end)) {
                return i;
            }
        }
        return text.length();
    }
}
