package org.sallyport.connector;

/** A backend cannot be configured so; the message is a sentence about {@link #member()}. */
public final class InvalidBackendException extends RuntimeException {
    private final String member;

    public InvalidBackendException(String member, String reason) {
        super(reason);
        this.member = member;
    }

    /** The member of the definition at fault, such as {@code settings.command}. */
    public String member() {
        return member;
    }
}
