package org.sallyport.connector.http;

import java.net.URISyntaxException;
import java.util.Locale;

/**
 * A request to this address is not allowed. The message gives the reason, and reveals no more of the installation's
 * network than the caller asked for.
 */
final class EgressDeniedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EgressDeniedException(String message) {
        super(message);
    }

    static EgressDeniedException invalidUrl(URISyntaxException e) {
        return new EgressDeniedException(
                "it is no URL: " + e.getReason().substring(0, 1).toLowerCase(Locale.ROOT)
                        + e.getReason().substring(1));
    }
}
