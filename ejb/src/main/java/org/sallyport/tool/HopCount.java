package org.sallyport.tool;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * Counts how often a call was forwarded from one installation to another. Executions created by such calls carry the
 * number as a label, and so do their nested executions. Without it, two installations that use each other's tools could
 * call each other endlessly.
 */
public final class HopCount {
    /** The label that holds the number. */
    public static final String LABEL = "sallyport.hops";

    private static final int UNREADABLE = Integer.MAX_VALUE - 1;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");

    private HopCount() {}

    /** Returns the number in the labels; 0 when there is none, and more than any limit when it is not a number. */
    public static int of(Map<String, String> labels) {
        String value = labels.get(LABEL);
        if (value == null) {
            return 0;
        }
        return NUMBER.matcher(value).matches() ? Integer.parseInt(value) : UNREADABLE;
    }

    /** Returns the labels that an execution passes on to its nested executions. */
    public static Map<String, String> inheritedLabels(Map<String, String> labels) {
        String value = labels.get(LABEL);
        return value == null ? Map.of() : Map.of(LABEL, value);
    }
}
