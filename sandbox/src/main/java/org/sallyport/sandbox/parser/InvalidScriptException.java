package org.sallyport.sandbox.parser;

import org.sallyport.sandbox.ScriptCheckResult;

/** The script cannot be run because it is invalid. */
public final class InvalidScriptException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SyntaxError error;
    private final transient ScriptCheckResult.ScriptRejected rejection;

    InvalidScriptException(String code, SyntaxError error) {
        super(error.message(), null, false, false);
        this.error = error;
        SourcePosition place = error.position();
        rejection = new ScriptCheckResult.ScriptRejected(
                error.message(), place.line(), place.column(), CodeFrameFormatter.format(code, place));
    }

    SyntaxError error() {
        return error;
    }

    /** Returns the rejection to show to the author. */
    public ScriptCheckResult.ScriptRejected rejection() {
        return rejection;
    }
}
