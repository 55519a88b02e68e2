package org.sallyport.toolgraph;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Extracts from an intent the words by which tools are found. Keeps words of letters only, so that no number, address,
 * key or path is stored, and drops stop words.
 */
public final class IntentTokenizer {
    private static final int MAX_WORDS = 12;
    private static final int MIN_WORD_LENGTH = 3;
    private static final int MAX_WORD_LENGTH = 24;
    private static final int MAX_TEXT_LENGTH = 2_000;

    private static final Pattern SPACE = Pattern.compile("\\s+", Pattern.UNICODE_CHARACTER_CLASS);
    private static final Pattern EDGES = Pattern.compile("^[\\p{P}\\p{S}]+|[\\p{P}\\p{S}]+$");
    private static final Pattern JOINTS = Pattern.compile("[-'’]");
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{M}]+");
    private static final Set<String> STOP_WORDS = Set.of(
            "all", "and", "any", "are", "but", "can", "did", "each", "every", "for", "from", "had", "has", "have",
            "her", "his", "how", "into", "its", "may", "not", "one", "our", "out", "please", "she", "that", "the",
            "their", "them", "then", "there", "they", "this", "was", "what", "when", "where", "which", "who", "will",
            "with", "you", "your");

    private IntentTokenizer() {}

    /** Returns at most twelve words, lower case, in their order. */
    public static Set<String> tokenize(String intent) {
        Set<String> words = new LinkedHashSet<>();
        String text = intent.length() > MAX_TEXT_LENGTH ? intent.substring(0, MAX_TEXT_LENGTH) : intent;
        for (String token : SPACE.split(text)) {
            String[] parts = JOINTS.split(EDGES.matcher(token).replaceAll(""));
            // Drop a token that looks like an address or a key as a whole, including its parts.
            if (Arrays.stream(parts).allMatch(part -> WORD.matcher(part).matches())) {
                Arrays.stream(parts)
                        .map(part -> part.toLowerCase(Locale.ROOT))
                        .filter(IntentTokenizer::isSignificant)
                        .filter(word -> words.size() < MAX_WORDS)
                        .forEach(words::add);
            }
        }
        return words;
    }

    private static boolean isSignificant(String word) {
        return word.length() >= MIN_WORD_LENGTH && word.length() <= MAX_WORD_LENGTH && !STOP_WORDS.contains(word);
    }
}
