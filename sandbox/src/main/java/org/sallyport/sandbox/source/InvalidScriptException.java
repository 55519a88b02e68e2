package org.sallyport.sandbox.source;

import org.sallyport.sandbox.Preparation;

/** A script that cannot be run as it stands. */
public final class InvalidScriptException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SyntaxFault fault;
    private final transient Preparation.Rejected rejected;

    InvalidScriptException(String code, SyntaxFault fault) {
        super(fault.message(), null, false, false);
        this.fault = fault;
        Place place = fault.place();
        rejected =
                new Preparation.Rejected(fault.message(), place.line(), place.column(), CodeFrame.around(code, place));
    }

    SyntaxFault fault() {
        return fault;
    }

    /** The verdict to give to the author. */
    public Preparation.Rejected rejected() {
        return rejected;
    }
}
