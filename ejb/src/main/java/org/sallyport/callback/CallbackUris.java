package org.sallyport.callback;

import java.net.URI;
import java.util.Locale;

/** Reads addresses that were checked before. */
public final class CallbackUris {
    private CallbackUris() {}

    /** The host of a checked URL, in lower case: that of which no more than a share is called at one time. */
    public static String host(String url) {
        return String.valueOf(URI.create(url).getHost()).toLowerCase(Locale.ROOT);
    }
}
