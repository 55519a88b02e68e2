package org.sallyport.script;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What kept scripts are called. */
public final class ScriptNameRules {
    /** Characters of a name, at most. */
    public static final int MAX_LENGTH = 100;

    private static final Pattern NAME_PATTERN = Pattern.compile("[a-z0-9][a-z0-9._-]{0,99}");
    private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]+");
    private static final int MAX_WORDS = 5;
    private static final int MAX_BASE_LENGTH = 35;
    private static final int[] HASH_LENGTHS = {8, 16, 64};

    private ScriptNameRules() {}

    /** Whether a script can be called so. */
    public static boolean isValid(String name) {
        return NAME_PATTERN.matcher(name).matches();
    }

    /**
     * Names for a script whose own is taken or was not said, the shortest first; no other script comes to the last.
     *
     * @param base what they begin with
     * @param hash its {@link ScriptHash}
     */
    public static Stream<String> candidates(String base, String hash) {
        String digits = hash.substring(hash.indexOf('-') + 1);
        String begin = base.length() <= MAX_BASE_LENGTH ? base : base.substring(0, MAX_BASE_LENGTH);
        return Arrays.stream(HASH_LENGTHS).mapToObj(count -> begin + "-" + digits.substring(0, count));
    }

    /** The first words of a description as the beginning of a name. */
    public static String baseOf(String description) {
        String words = Arrays.stream(SEPARATORS.split(description.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .limit(MAX_WORDS)
                .collect(Collectors.joining("-"));
        String begin = words.length() <= MAX_BASE_LENGTH ? words : words.substring(0, MAX_BASE_LENGTH);
        return begin.isEmpty() ? "script" : begin;
    }
}
