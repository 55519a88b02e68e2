package org.sallyport.cli.terminal;

/**
 * How the terminal wants things drawn.
 *
 * @param columns characters in a line
 * @param color whether colours may be used
 * @param unicode whether block characters can be shown; otherwise everything of ours is ASCII
 */
public record TerminalStyle(int columns, boolean color, boolean unicode) {
    private static final int MIN_COLUMNS = 40;

    public TerminalStyle {
        columns = Math.max(columns, MIN_COLUMNS);
    }

    /** The text in a colour, or as it is. */
    public String paint(TextColor paint, String text) {
        return color ? "\u001b[" + paint.code + "m" + text + "\u001b[0m" : text;
    }

    /** Colours by what they say. */
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
