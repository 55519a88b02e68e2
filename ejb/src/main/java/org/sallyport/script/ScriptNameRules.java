package org.sallyport.script;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Valid and generated names of saved scripts. */
public final class ScriptNameRules {
    /** Maximum length of a name in characters. */
    public static final int MAX_LENGTH = 100;

    private static final Pattern NAME_PATTERN = Pattern.compile("[a-z0-9][a-z0-9._-]{0,99}");
    private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]+");
    private static final int MAX_WORDS = 5;
    private static final int MAX_BASE_LENGTH = 35;
    private static final int[] HASH_LENGTHS = {8, 16, 64};

    private ScriptNameRules() {}

    /** Returns whether {@code name} is valid. */
    public static boolean isValid(String name) {
        return NAME_PATTERN.matcher(name).matches();
    }

    /**
     * Returns candidate names for a script whose requested name is taken or missing, the shortest first; the last one
     * is unique to the script.
     *
     * @param base the prefix of the names
     * @param hash the script's {@link ScriptHash}
     */
    public static Stream<String> candidates(String base, String hash) {
        String digits = hash.substring(hash.indexOf('-') + 1);
        String prefix = base.length() <= MAX_BASE_LENGTH ? base : base.substring(0, MAX_BASE_LENGTH);
        return Arrays.stream(HASH_LENGTHS).mapToObj(count -> prefix + "-" + digits.substring(0, count));
    }

    /** Returns the first words of a description as the prefix of a name. */
    public static String baseOf(String description) {
        String words = Arrays.stream(SEPARATORS.split(description.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .limit(MAX_WORDS)
                .collect(Collectors.joining("-"));
        String prefix = words.length() <= MAX_BASE_LENGTH ? words : words.substring(0, MAX_BASE_LENGTH);
        return prefix.isEmpty() ? "script" : prefix;
    }
}
