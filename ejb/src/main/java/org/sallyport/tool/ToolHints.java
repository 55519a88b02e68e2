package org.sallyport.tool;

/**
 * What a tool says of its effects; decides what must be on disk before a call leaves and what may be sent again.
 *
 * @param readOnly changes nothing: may be repeated, needs no journal entry before it is sent
 * @param idempotent the same call twice has the effect of one
 * @param destructive may destroy or send something that cannot be taken back
 */
public record ToolHints(boolean readOnly, boolean idempotent, boolean destructive) {
    public static final ToolHints READ_ONLY = new ToolHints(true, true, false);
    public static final ToolHints IDEMPOTENT = new ToolHints(false, true, false);
    public static final ToolHints EFFECT = new ToolHints(false, false, false);
    public static final ToolHints DESTRUCTIVE = new ToolHints(false, false, true);
}
