package org.sallyport.tool;

/**
 * Hints of a tool on its effects. They determine which calls are journaled before they are sent, and which may be sent
 * again.
 *
 * @param readOnly changes nothing: may be repeated, needs no journal entry before it is sent
 * @param idempotent a repeated call has the effect of one
 * @param destructive may destroy data or send something irreversibly
 */
public record ToolHints(boolean readOnly, boolean idempotent, boolean destructive) {
    public static final ToolHints READ_ONLY = new ToolHints(true, true, false);
    public static final ToolHints IDEMPOTENT = new ToolHints(false, true, false);
    public static final ToolHints EFFECT = new ToolHints(false, false, false);
    public static final ToolHints DESTRUCTIVE = new ToolHints(false, false, true);

    /** Whether a call of the tool may be sent twice. */
    public boolean isRepeatable() {
        return readOnly || idempotent;
    }
}
