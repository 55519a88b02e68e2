package org.sallyport.policyengine;

/**
 * The literal prefix of every text that a pattern matches. The comparison of a prefix is much cheaper than the pattern.
 */
final class RegexLiteralPrefix {
    private static final String QUANTIFIERS = "*+?{";
    private static final String LITERAL_CHARS = "/_-@:,;=#%&!~'\"<> ";

    private RegexLiteralPrefix() {}

    /**
     * Returns the prefix of a pattern that starts with {@code ^} and literal characters and has neither alternatives
     * nor flags. Empty for other patterns.
     */
    static String of(String pattern) {
        if (!pattern.startsWith("^") || pattern.indexOf('|') >= 0 || pattern.contains("(?")) {
            return "";
        }
        StringBuilder start = new StringBuilder();
        int next = 1;
        while (next < pattern.length()) {
            boolean escaped = pattern.charAt(next) == '\\' && next + 1 < pattern.length();
            char c = pattern.charAt(escaped ? next + 1 : next);
            int after = next + (escaped ? 2 : 1);
            boolean optional = after < pattern.length() && QUANTIFIERS.indexOf(pattern.charAt(after)) >= 0;
            // An escaped letter or digit has a special meaning.
            if (optional || !(escaped ? isPunctuation(c) : isLetterOrDigit(c) || LITERAL_CHARS.indexOf(c) >= 0)) {
                break;
            }
            start.append(c);
            next = after;
        }
        return start.toString();
    }

    private static boolean isLetterOrDigit(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    private static boolean isPunctuation(char c) {
        return c > ' ' && c < 0x7f && !isLetterOrDigit(c) && c != '_';
    }
}
