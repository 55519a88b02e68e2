package org.sallyport.script;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What kept scripts are called. */
public final class ScriptNames {
    /** Characters of a name, at most. */
    public static final int LONGEST = 100;

    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9._-]{0,99}");
    private static final Pattern OTHER = Pattern.compile("[^a-z0-9]+");
    private static final int MOST_WORDS = 5;
    private static final int LONGEST_BASE = 35;
    private static final int[] DIGITS = {8, 16, 64};

    private ScriptNames() {}

    /** Whether a script can be called so. */
    public static boolean isOne(String name) {
        return FORM.matcher(name).matches();
    }

    /**
     * Names for a script whose own is taken or was not said, the shortest first; no other script comes to the last.
     *
     * @param base what they begin with
     * @param hash its {@link ScriptHash}
     */
    public static Stream<String> of(String base, String hash) {
        String digits = hash.substring(hash.indexOf('-') + 1);
        String begin = base.length() <= LONGEST_BASE ? base : base.substring(0, LONGEST_BASE);
        return Arrays.stream(DIGITS).mapToObj(count -> begin + "-" + digits.substring(0, count));
    }

    /** The first words of a description as the beginning of a name. */
    public static String base(String description) {
        String words = Arrays.stream(OTHER.split(description.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .limit(MOST_WORDS)
                .collect(Collectors.joining("-"));
        String begin = words.length() <= LONGEST_BASE ? words : words.substring(0, LONGEST_BASE);
        return begin.isEmpty() ? "script" : begin;
    }
}
