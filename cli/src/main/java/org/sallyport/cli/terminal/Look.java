package org.sallyport.cli.terminal;

/**
 * How the terminal wants things drawn.
 *
 * @param columns characters in a line
 * @param colour whether colours may be used
 * @param unicode whether block characters can be shown; otherwise everything of ours is ASCII
 */
public record Look(int columns, boolean colour, boolean unicode) {
    private static final int NARROWEST = 40;

    public Look {
        columns = Math.max(columns, NARROWEST);
    }

    /** The text in a colour, or as it is. */
    public String paint(Paint paint, String text) {
        return colour ? "\u001b[" + paint.code + "m" + text + "\u001b[0m" : text;
    }

    /** Colours by what they say. */
    public enum Paint {
        GOOD("32"),
        BAD("31"),
        CAUTION("33"),
        FAINT("2"),
        STRONG("1");

        private final String code;

        Paint(String code) {
            this.code = code;
        }
    }
}
