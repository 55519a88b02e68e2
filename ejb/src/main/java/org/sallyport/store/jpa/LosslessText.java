package org.sallyport.store.jpa;

/**
 * Encodes any string as storable text and decodes it: PostgreSQL refuses NUL, and a lone surrogate has no UTF-8 form.
 * NUL, lone surrogates and the escape character itself become U+001A and four hexadecimal digits. All other characters
 * stay unchanged. Stateless and thread-safe.
 */
final class LosslessText {
    private static final char ESCAPE = '\u001A';
    private static final int ESCAPED_LENGTH = 5;

    private LosslessText() {}

    /** Returns the text to store; the same instance if it needs no escaping. */
    static String encode(String text) {
        int from = firstUnstorable(text, 0);
        if (from < 0) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16 * ESCAPED_LENGTH);
        int start = 0;
        while (from >= 0) {
            encoded.append(text, start, from).append(ESCAPE).append(hex(text.charAt(from)));
            start = from + 1;
            from = firstUnstorable(text, start);
        }
        return encoded.append(text, start, text.length()).toString();
    }

    /** Returns the string that {@link #encode} received. */
    static String decode(String stored) {
        int from = stored.indexOf(ESCAPE);
        if (from < 0) {
            return stored;
        }
        StringBuilder text = new StringBuilder(stored.length());
        int start = 0;
        while (from >= 0) {
            text.append(stored, start, from)
                    .append((char) Integer.parseInt(stored, from + 1, from + ESCAPED_LENGTH, 16));
            start = from + ESCAPED_LENGTH;
            from = stored.indexOf(ESCAPE, start);
        }
        return text.append(stored, start, stored.length()).toString();
    }

    /** Returns the index of the first character that cannot be stored, or -1 if there is none. */
    private static int firstUnstorable(String text, int from) {
        int length = text.length();
        for (int i = from; i < length; i++) {
            char c = text.charAt(i);
            if (c > ESCAPE && !Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (c == 0 || c == ESCAPE || Character.isSurrogate(c)) {
                return i;
            }
        }
        return -1;
    }

    private static String hex(char c) {
        String digits = Integer.toHexString(c);
        return "0000".substring(digits.length()) + digits;
    }
}
