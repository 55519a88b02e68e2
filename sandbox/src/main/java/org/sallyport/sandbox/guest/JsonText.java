package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

/** Pieces of JSON. */
final class JsonText {
    private JsonText() {}

    /** A text as JSON. */
    static String quoted(String text) {
        return "\"" + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
    }
}
