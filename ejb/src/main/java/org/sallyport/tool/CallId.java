package org.sallyport.tool;

/**
 * The stable id of one call, the same after every crash and replay; connectors use it as idempotency key.
 *
 * @param execution id of the execution
 * @param ordinal number of the call within the execution, from 1
 */
public record CallId(String execution, long ordinal) {

    /** Parses {@code <execution>/<ordinal>}. Throws {@link IllegalArgumentException} for any other text. */
    public static CallId parse(String text) {
        int slash = text.lastIndexOf('/');
        if (slash < 1) {
            throw new IllegalArgumentException("a call id must have the form <execution>/<ordinal>");
        }
        return new CallId(text.substring(0, slash), Long.parseLong(text.substring(slash + 1)));
    }

    /** Returns {@code <execution>/<ordinal>}. */
    @Override
    public String toString() {
        return execution + "/" + ordinal;
    }
}
