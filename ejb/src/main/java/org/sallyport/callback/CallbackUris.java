package org.sallyport.callback;

import java.net.URI;
import java.util.Locale;

/** Parses URLs that were validated before. */
public final class CallbackUris {
    private CallbackUris() {}

    /** Returns the host of a validated URL, in lower case; concurrent deliveries are bounded per host. */
    public static String host(String url) {
        return String.valueOf(URI.create(url).getHost()).toLowerCase(Locale.ROOT);
    }
}
