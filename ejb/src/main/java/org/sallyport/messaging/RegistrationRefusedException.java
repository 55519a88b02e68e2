package org.sallyport.messaging;

/** A connector's registration that offers something impossible; the message says where and what. */
public final class RegistrationRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String instance;

    RegistrationRefusedException(String instance, String reason) {
        super(reason);
        this.instance = instance;
    }

    /** Whom to tell. */
    public String instance() {
        return instance;
    }
}
