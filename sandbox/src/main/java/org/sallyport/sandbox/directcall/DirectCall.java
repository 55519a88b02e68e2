package org.sallyport.sandbox.directcall;

import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.parser.SourcePosition;

/**
 * The single tool call that a script consists of.
 *
 * @param tier the form in which it was written
 * @param tool the called tool, with the names in the script if it does not exist
 * @param arguments JSON text, as the guest would write it
 * @param argumentChars the size of {@code arguments} that a guest counts against the limit
 * @param returnsResult whether the script returns the result of the tool; else it returns null
 * @param position position of the call in a stack trace; unknown when the script is JSON
 */
record DirectCall(
        Tier tier,
        GuestTool tool,
        String arguments,
        long argumentChars,
        boolean returnsResult,
        SourcePosition position) {}
