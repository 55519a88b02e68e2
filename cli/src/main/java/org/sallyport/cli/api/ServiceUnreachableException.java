package org.sallyport.cli.api;

import java.net.URI;

/** Nobody answered at the service's address, or the answer broke off. Asking again may help. */
public final class ServiceUnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final URI service;

    public ServiceUnreachableException(URI service, String reason, Throwable cause) {
        super(reason, cause);
        this.service = service;
    }

    /** The address that was asked. */
    public URI service() {
        return service;
    }
}
