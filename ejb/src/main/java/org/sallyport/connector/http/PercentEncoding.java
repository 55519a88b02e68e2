package org.sallyport.connector.http;

import java.nio.charset.StandardCharsets;

/** Percent-encodes the UTF-8 bytes of characters (RFC 3986). A lone surrogate is encoded as U+FFFD. */
final class PercentEncoding {
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    /** Reserved characters that do not end a value of a query string and have no other meaning there. */
    private static final String RESERVED_IN_VALUE = UNRESERVED + "!$'()*,;=:@/?";

    private static final String PATH = UNRESERVED + "!$&'()*+,;=:@/";
    private static final String QUERY = PATH + "?";
    /** The ASCII characters that may occur in a URL behind its path, and those that make a URL invalid. */
    private static final String BEHIND_PATH = QUERY + "#[]\\" + controlCharacters();

    private static final String PATH_OF_URL = PATH + "\\" + controlCharacters();

    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private PercentEncoding() {}

    /** Encodes all characters of a value that are not unreserved. */
    static String encode(String value) {
        return encode(value, UNRESERVED, false);
    }

    /** Encodes a value of a query string, but not its reserved characters, as {@code allowReserved} of OpenAPI says. */
    static String encodeExceptReserved(String value) {
        return encode(value, RESERVED_IN_VALUE, true);
    }

    /** Encodes the characters that the path of a URL cannot have; percent-encoded characters stay as they are. */
    static String encodePath(String literal) {
        return encode(literal, PATH, true);
    }

    /** Encodes the characters that the query of a URL cannot have; percent-encoded characters stay as they are. */
    static String encodeQuery(String literal) {
        return encode(literal, QUERY, true);
    }

    /**
     * Encodes blanks and characters that URLs cannot have in path, query and fragment of a URL. Control characters and
     * backslashes stay, so that a parser refuses them.
     *
     * @param url the text behind the host
     */
    static String encodeBehindHost(String url) {
        int path = 0;
        while (path < url.length() && url.charAt(path) != '?' && url.charAt(path) != '#') {
            path++;
        }
        return encode(url.substring(0, path), PATH_OF_URL, true) + encode(url.substring(path), BEHIND_PATH, true);
    }

    private static String controlCharacters() {
        StringBuilder controls = new StringBuilder("\u007f");
        for (char c = 0; c < ' '; c++) {
            controls.append(c);
        }
        return controls.toString();
    }

    private static String encode(String text, String allowed, boolean keepsTriplets) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            if ((character < 0x80 && allowed.indexOf(character) >= 0) || (keepsTriplets && isTriplet(text, i))) {
                encoded.append((char) character);
            } else {
                appendEncoded(encoded, character);
            }
            i += Character.charCount(character);
        }
        return encoded.toString();
    }

    private static boolean isTriplet(String text, int at) {
        return text.charAt(at) == '%'
                && at + 2 < text.length()
                && isHexDigit(text.charAt(at + 1))
                && isHexDigit(text.charAt(at + 2));
    }

    private static boolean isHexDigit(char c) {
        return c < 0x80 && Character.digit(c, 16) >= 0;
    }

    private static void appendEncoded(StringBuilder encoded, int character) {
        boolean lone = Character.getType(character) == Character.SURROGATE;
        for (byte b : Character.toString(lone ? 0xfffd : character).getBytes(StandardCharsets.UTF_8)) {
            encoded.append('%').append(HEX[(b >> 4) & 0xf]).append(HEX[b & 0xf]);
        }
    }
}
