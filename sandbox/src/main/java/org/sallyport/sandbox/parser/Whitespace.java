package org.sallyport.sandbox.parser;

/** Skips whitespace and comments between the tokens of a script. */
final class Whitespace {
    /** A blank to the language. */
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private Whitespace() {}

    /** Returns the offset of the first character from {@code from} on that is in neither. */
    static int skip(String code, int from) {
        int at = from;
        while (at < code.length()) {
            if (code.startsWith("//", at)) {
                int end = code.indexOf('\n', at);
                at = end < 0 ? code.length() : end;
            } else if (code.startsWith("/*", at)) {
                int end = code.indexOf("*/", at + 2);
                at = end < 0 ? code.length() : end + 2;
            } else if (Character.isWhitespace(code.charAt(at))
                    || Character.isSpaceChar(code.charAt(at))
                    || code.charAt(at) == BYTE_ORDER_MARK) {
                at++;
            } else {
                break;
            }
        }
        return at;
    }
}
