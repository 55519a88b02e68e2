package org.sallyport.catalog.pattern;

/** A pattern that is no pattern of ECMA-262, or that cannot be translated. The message describes the first fault. */
public final class InvalidPatternException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final boolean unsupported;

    private InvalidPatternException(String reason, boolean unsupported) {
        super(reason);
        this.unsupported = unsupported;
    }

    /** The pattern has a syntax error in the mode in which it was read. */
    static InvalidPatternException syntaxError(String reason) {
        return new InvalidPatternException(reason, false);
    }

    /** The pattern cannot be used, in whatever mode it is read. */
    static InvalidPatternException unsupported(String reason) {
        return new InvalidPatternException(reason, true);
    }

    /** Whether reading the pattern in the other mode cannot help. */
    boolean isUnsupported() {
        return unsupported;
    }
}
