package org.sallyport.messaging;

/** A connector's registration contains an invalid tool; the message names the place and the fault. */
public final class RegistrationRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String instance;

    RegistrationRefusedException(String instance, String reason) {
        super(reason);
        this.instance = instance;
    }

    /** The connector instance that sent the registration. */
    public String instance() {
        return instance;
    }
}
