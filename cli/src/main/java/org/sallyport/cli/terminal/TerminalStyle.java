package org.sallyport.cli.terminal;

/**
 * Width and drawing capabilities of the terminal.
 *
 * @param columns characters per line, at least 40
 * @param color whether colors may be used
 * @param unicode whether block characters can be shown; otherwise drawings use only ASCII
 */
public record TerminalStyle(int columns, boolean color, boolean unicode) {
    private static final int MIN_COLUMNS = 40;

    public TerminalStyle {
        columns = Math.max(columns, MIN_COLUMNS);
    }

    /** Returns the text in a color; unchanged if colors may not be used. */
    public String paint(TextColor paint, String text) {
        return color ? "\u001b[" + paint.code + "m" + text + "\u001b[0m" : text;
    }

    /** Colors by meaning. */
    public enum TextColor {
        GOOD("32"),
        BAD("31"),
        CAUTION("33"),
        FAINT("2"),
        STRONG("1");

        private final String code;

        TextColor(String code) {
            this.code = code;
        }
    }
}
