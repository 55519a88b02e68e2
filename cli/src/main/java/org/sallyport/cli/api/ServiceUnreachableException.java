package org.sallyport.cli.api;

import java.net.URI;

/** The service did not answer, or the response was incomplete. A retry may help. */
public final class ServiceUnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final URI service;

    public ServiceUnreachableException(URI service, String reason, Throwable cause) {
        super(reason, cause);
        this.service = service;
    }

    /** Returns the address of the service. */
    public URI service() {
        return service;
    }
}
