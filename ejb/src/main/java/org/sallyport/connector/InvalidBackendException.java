package org.sallyport.connector;

/** A backend configuration is invalid. The message completes a sentence that begins with {@link #member()}. */
public final class InvalidBackendException extends RuntimeException {
    private final String member;

    public InvalidBackendException(String member, String reason) {
        super(reason);
        this.member = member;
    }

    /** The invalid member of the definition, such as {@code settings.command}. */
    public String member() {
        return member;
    }
}
