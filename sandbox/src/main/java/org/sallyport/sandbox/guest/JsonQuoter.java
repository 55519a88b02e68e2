package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

/** Pieces of JSON. */
final class JsonQuoter {
    private JsonQuoter() {}

    /** A text as JSON. */
    static String quote(String text) {
        return "\"" + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
    }
}
