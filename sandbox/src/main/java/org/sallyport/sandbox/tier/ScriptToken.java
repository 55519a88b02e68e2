package org.sallyport.sandbox.tier;

/**
 * A word of a script.
 *
 * @param type what it is
 * @param text a name as written, a string or template as it reads, a sign, a number as JavaScript writes it
 * @param start offset of its first character
 * @param afterNewLine whether a line ends between it and the word before
 * @param gap what else is between it and the word before
 */
record ScriptToken(ScriptTokenType type, String text, double number, int start, boolean afterNewLine, TokenGap gap) {

    enum ScriptTokenType {
        NAME,
        STRING,
        TEMPLATE,
        NUMBER,
        SIGN,
        END,
        /** Something this small language does not have. */
        UNKNOWN
    }

    enum TokenGap {
        /** Nothing, blanks, tabs and line ends. */
        PLAIN,
        /** These, and comments between slash and asterisk. */
        BLOCK_COMMENT,
        /** Comments to the end of a line, and rare blanks. */
        OTHER
    }

    boolean isSign(String sign) {
        return type == ScriptTokenType.SIGN && text.equals(sign);
    }

    boolean isName(String name) {
        return type == ScriptTokenType.NAME && text.equals(name);
    }
}
