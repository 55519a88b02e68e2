package org.sallyport.callback;

import java.net.URISyntaxException;
import java.util.Locale;
import org.sallyport.connector.http.UrlParser;

/** Parses URLs that were validated before. */
public final class CallbackUris {
    private CallbackUris() {}

    /** Returns the host of a validated URL, in lower case; concurrent deliveries are bounded per host. */
    public static String host(String url) {
        try {
            return String.valueOf(UrlParser.parse(url).getHost()).toLowerCase(Locale.ROOT);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
