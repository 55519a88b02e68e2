package org.sallyport.secret;

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
 * Many texts that are looked for in one pass: a window of characters rolls over the text, and only where a text might begin
 * by the window's hash is anything compared. Immutable.
 */
final class Needles {
    static final int WINDOW = 8;
    private static final int FACTOR = 0x2c1b3c6d;
    private static final int BITS = 1 << 16;

    private final long[] maybe = new long[BITS / Long.SIZE];
    private final Map<Integer, List<Forms.Form>> byHash = new HashMap<>();
    private final TreeSet<String> beginnings = new TreeSet<>();
    private final int oldest;

    /** Each form must be as long as the window at least. */
    Needles(Collection<Forms.Form> forms) {
        int power = 1;
        for (int i = 1; i < WINDOW; i++) {
            power *= FACTOR;
        }
        oldest = power;
        Set<Forms.Form> all = new HashSet<>(forms);
        List<Forms.Form> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparing((Forms.Form form) -> form.text().length())
                .reversed()
                .thenComparing(form -> !(form.before() || form.after())));
        for (Forms.Form form : sorted) {
            int hash = hash(form.text());
            int bit = bit(hash);
            maybe[bit >>> 6] |= 1L << bit;
            byHash.computeIfAbsent(hash, key -> new ArrayList<>()).add(form);
            beginnings.add(form.text().substring(0, WINDOW));
        }
    }

    private static int hash(CharSequence text) {
        int hash = 0;
        for (int i = 0; i < WINDOW; i++) {
            hash = hash * FACTOR + text.charAt(i);
        }
        return hash;
    }

    private static int bit(int hash) {
        return (hash * 0x9e3779b1) >>> 16;
    }

    /**
     * Where something was found.
     *
     * @param whole false when the text ends, or was cut, before the form does
     */
    record Found(int start, int end, boolean whole) {}

    /**
     * The first place from {@code from} on where one of the forms stands; of several, the longest.
     *
     * @param cut a character, or -1, before which the text may have been cut; a form that goes on where it stands is found too
     * @param open whether the text goes on after its end, so that a form that reaches to it is found too
     */
    @Nullable Found next(String text, int from, int cut, boolean open) {
        int last = text.length() - WINDOW;
        if (from > last) {
            return null;
        }
        int hash = hash(text.subSequence(from, from + WINDOW));
        for (int i = from; ; i++) {
            int bit = bit(hash);
            if ((maybe[bit >>> 6] & (1L << bit)) != 0) {
                Found found = at(text, i, hash, cut, open);
                if (found != null) {
                    return found;
                }
            }
            if (i == last) {
                return null;
            }
            hash = (hash - text.charAt(i) * oldest) * FACTOR + text.charAt(i + WINDOW);
        }
    }

    private @Nullable Found at(String text, int start, int hash, int cut, boolean open) {
        Found partial = null;
        for (Forms.Form form : byHash.getOrDefault(hash, List.of())) {
            int same = same(text, start, form.text());
            int end = start + same;
            if (same == form.text().length()) {
                return widened(text, start, end, form);
            }
            boolean cutHere = end < text.length() ? text.charAt(end) == cut : open;
            if (same >= WINDOW && cutHere && (partial == null || end > partial.end())) {
                partial = new Found(start, end, false);
            }
        }
        return partial;
    }

    private static int same(String text, int start, String form) {
        int most = Math.min(form.length(), text.length() - start);
        int same = 0;
        while (same < most && text.charAt(start + same) == form.charAt(same)) {
            same++;
        }
        return same;
    }

    private static Found widened(String text, int start, int end, Forms.Form form) {
        int from = form.before() && start > 0 && isBase64(text.charAt(start - 1)) ? start - 1 : start;
        int to = form.after() && end < text.length() && isBase64(text.charAt(end)) ? end + 1 : end;
        return new Found(from, to, true);
    }

    private static boolean isBase64(char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "+/-_".indexOf(c) >= 0;
    }

    /** Where, in the last characters of a text that goes on, a form may have begun; its length when nowhere. */
    int beginning(String text, int from) {
        for (int i = Math.max(from, text.length() - WINDOW + 1); i < text.length(); i++) {
            String end = text.substring(i);
            String candidate = beginnings.ceiling(end);
            if (candidate != null && candidate.startsWith(end)) {
                return i;
            }
        }
        return text.length();
    }
}
