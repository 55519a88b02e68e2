package org.sallyport.sandbox.parser;

import java.util.HashMap;
import java.util.Map;

/**
 * Protects lone surrogates from a compiler that works on UTF-8, which cannot represent them: each distinct one is
 * replaced by a private-use character that the text does not contain, and restored afterwards. Positions do not change.
 */
final class SurrogateCodec {
    private static final char FIRST_PRIVATE = '\ue000';
    private static final char LAST_PRIVATE = '\uf8ff';

    private final Map<Character, Character> surrogateByReplacement = new HashMap<>();
    private final String encoded;

    SurrogateCodec(String text) {
        encoded = encode(text);
    }

    /** Returns the text without lone surrogates. */
    String encoded() {
        return encoded;
    }

    /** Returns {@code text}, which derives from an encoded text, with the surrogates restored. */
    String decode(String text) {
        if (surrogateByReplacement.isEmpty()) {
            return text;
        }
        StringBuilder restored = new StringBuilder(text);
        for (int i = 0; i < restored.length(); i++) {
            Character surrogate = surrogateByReplacement.get(restored.charAt(i));
            if (surrogate != null) {
                restored.setCharAt(i, surrogate);
            }
        }
        return restored.toString();
    }

    private String encode(String text) {
        StringBuilder changed = null;
        Map<Character, Character> chosen = new HashMap<>();
        char candidate = FIRST_PRIVATE;
        for (int i = 0; i < text.length(); i++) {
            char at = text.charAt(i);
            if (!Character.isSurrogate(at)) {
                continue;
            }
            if (Character.isHighSurrogate(at)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                continue;
            }
            Character stand = chosen.get(at);
            if (stand == null) {
                while (candidate < LAST_PRIVATE && text.indexOf(candidate) >= 0) {
                    candidate++;
                }
                stand = candidate++;
                chosen.put(at, stand);
                surrogateByReplacement.put(stand, at);
            }
            changed = changed == null ? new StringBuilder(text) : changed;
            changed.setCharAt(i, stand);
        }
        return changed == null ? text : changed.toString();
    }
}
