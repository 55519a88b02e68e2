package org.sallyport.sandbox.directcall;

/**
 * A token of a script.
 *
 * @param type the type of the token
 * @param text a name as written, the value of a string or template, or a sign; empty for a number
 * @param start offset of its first character
 * @param afterNewLine whether a line ends between this token and the previous one
 * @param gap other content between this token and the previous one
 */
record ScriptToken(ScriptTokenType type, String text, double number, int start, boolean afterNewLine, TokenGap gap) {

    enum ScriptTokenType {
        NAME,
        STRING,
        TEMPLATE,
        NUMBER,
        SIGN,
        END,
        /** A token that this small grammar does not support. */
        UNKNOWN
    }

    enum TokenGap {
        /** No content, or only spaces, tabs and line ends. */
        PLAIN,
        /** Content of {@link #PLAIN}, and block comments. */
        BLOCK_COMMENT,
        /** Line comments and unusual whitespace. */
        OTHER
    }

    boolean isSign(String sign) {
        return type == ScriptTokenType.SIGN && text.equals(sign);
    }

    boolean isName(String name) {
        return type == ScriptTokenType.NAME && text.equals(name);
    }
}
