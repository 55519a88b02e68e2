package org.sallyport.logging;

/**
 * Writes a JSON object on one line. Escapes all characters that are not plain, so that they cannot mislead a reader of
 * the line.
 */
final class JsonLineWriter {
    private final StringBuilder line = new StringBuilder(256).append('{');

    JsonLineWriter text(String name, String value) {
        appendName(name).append('"');
        for (int at = 0; at < value.length(); ) {
            int character = value.codePointAt(at);
            appendEscaped(character);
            at += Character.charCount(character);
        }
        line.append('"');
        return this;
    }

    JsonLineWriter number(String name, long value) {
        appendName(name).append(value);
        return this;
    }

    String finish() {
        return line.append("}\n").toString();
    }

    private StringBuilder appendName(String name) {
        return line.append(line.length() == 1 ? "" : ",")
                .append('"')
                .append(name)
                .append("\":");
    }

    private void appendEscaped(int character) {
        switch (character) {
            case '"' -> line.append("\\\"");
            case '\\' -> line.append("\\\\");
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            default -> {
                if (isPlain(character)) {
                    line.appendCodePoint(character);
                } else {
                    for (char unit : Character.toChars(character)) {
                        line.append(String.format("\\u%04x", (int) unit));
                    }
                }
            }
        }
    }

    /**
     * Excludes control and formatting characters, such as those that change the text direction, line separators and
     * unpaired surrogates.
     */
    private static boolean isPlain(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
