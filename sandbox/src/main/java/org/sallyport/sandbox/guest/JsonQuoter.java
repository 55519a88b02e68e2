package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

/** Writes JSON strings. */
final class JsonQuoter {
    private JsonQuoter() {}

    /** Returns a text as a JSON string. */
    static String quote(String text) {
        return "\"" + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
    }
}
