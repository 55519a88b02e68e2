package org.sallyport.sandbox.tier;

/**
 * A word of a script.
 *
 * @param kind what it is
 * @param text a name as written, a string or template as it reads, a sign, a number as JavaScript writes it
 * @param start offset of its first character
 * @param newLine whether a line ends between it and the word before
 * @param gap what else is between it and the word before
 */
record Token(Kind kind, String text, double number, int start, boolean newLine, Gap gap) {

    enum Kind {
        NAME,
        STRING,
        TEMPLATE,
        NUMBER,
        SIGN,
        END,
        /** Something this small language does not have. */
        UNKNOWN
    }

    enum Gap {
        /** Nothing, blanks, tabs and line ends. */
        PLAIN,
        /** These, and comments between slash and asterisk. */
        BLOCK_COMMENT,
        /** Comments to the end of a line, and rare blanks. */
        OTHER
    }

    boolean is(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }

    boolean isName(String name) {
        return kind == Kind.NAME && text.equals(name);
    }
}
