package org.sallyport.sandbox.directcall;

/**
 * A string, or a template without substitutions, and its value.
 *
 * @param endOffset offset after the literal
 * @param valid whether it is terminated, and contains only escapes that mean the same in every mode
 */
record StringLiteral(String value, int endOffset, boolean valid) {

    static StringLiteral parse(String code, int start) {
        return new StringLiteralReader(code, start).read();
    }

    private static final class StringLiteralReader {
        private final String code;
        private final char quote;
        private final StringBuilder value = new StringBuilder();
        private int at;

        private StringLiteralReader(String code, int start) {
            this.code = code;
            quote = code.charAt(start);
            at = start + 1;
        }

        private StringLiteral read() {
            while (at < code.length()) {
                char next = code.charAt(at++);
                if (next == quote) {
                    return new StringLiteral(value.toString(), at, true);
                }
                if (next == '\\') {
                    if (!readEscape()) {
                        return invalid();
                    }
                } else if (quote == '`') {
                    if (next == '$' && at < code.length() && code.charAt(at) == '{') {
                        return invalid();
                    }
                    value.append(next == '\r' ? readLineEnd() : next);
                } else if (next == '\n' || next == '\r') {
                    return invalid();
                } else {
                    value.append(next);
                }
            }
            return invalid();
        }

        private StringLiteral invalid() {
            return new StringLiteral("", at, false);
        }

        /** In a template every line end is read as one line feed. */
        private char readLineEnd() {
            if (at < code.length() && code.charAt(at) == '\n') {
                at++;
            }
            return '\n';
        }

        private boolean readEscape() {
            if (at >= code.length()) {
                return false;
            }
            char escaped = code.charAt(at++);
            switch (escaped) {
                case 'n' -> value.append('\n');
                case 't' -> value.append('\t');
                case 'r' -> value.append('\r');
                case 'b' -> value.append('\b');
                case 'f' -> value.append('\f');
                case 'v' -> value.append('\u000b');
                case 'x' -> {
                    return readHexadecimal(2);
                }
                case 'u' -> {
                    return (at < code.length() && code.charAt(at) == '{') ? readCodePoint() : readHexadecimal(4);
                }
                case '\r' -> readLineEnd();
                case '\n', '\u2028', '\u2029' -> {}
                case '0' -> {
                    value.append('\0');
                    return at >= code.length() || !Tokenizer.isDigit(code.charAt(at));
                }
                case '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
                    return false;
                }
                default -> value.append(escaped);
            }
            return true;
        }

        private boolean readHexadecimal(int digits) {
            if (at + digits > code.length()) {
                return false;
            }
            int unit = 0;
            for (int i = 0; i < digits; i++) {
                int digit = hexadecimalDigit(code.charAt(at++));
                if (digit < 0) {
                    return false;
                }
                unit = unit * 16 + digit;
            }
            value.append((char) unit);
            // The native parser does not accept every combination of surrogate escapes.
            return !Character.isSurrogate((char) unit);
        }

        private boolean readCodePoint() {
            int start = ++at;
            int point = 0;
            while (at < code.length() && hexadecimalDigit(code.charAt(at)) >= 0 && point <= Character.MAX_CODE_POINT) {
                point = point * 16 + hexadecimalDigit(code.charAt(at++));
            }
            if (at == start || at >= code.length() || code.charAt(at) != '}' || point > Character.MAX_CODE_POINT) {
                return false;
            }
            at++;
            value.appendCodePoint(point);
            return true;
        }

        private static int hexadecimalDigit(char at) {
            return at < 0x80 ? Character.digit(at, 16) : -1;
        }
    }
}
