package org.sallyport.sandbox.tier;

import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.source.SourcePosition;

/**
 * The one call that a script is.
 *
 * @param tier how it was written
 * @param tool original names
 * @param arguments JSON text, as the guest would write it
 * @param argumentChars what a guest counts of {@code arguments} against the limit
 * @param returnsResult whether the script returns what the tool returns; else it returns null
 * @param position where a stack trace says the call was made; unknown when the script is JSON
 */
record DirectCall(
        Tier tier,
        GuestTool tool,
        String arguments,
        long argumentChars,
        boolean returnsResult,
        SourcePosition position) {}
