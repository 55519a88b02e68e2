package org.sallyport.tool;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * How often a call has gone on from one installation to the next. Executions that such calls make carry the number as a label, and so do those
 * nested in them: without it two installations that have their tools from each other would call each other for ever.
 */
public final class HopCount {
    /** The label. */
    public static final String LABEL = "sallyport.hops";

    private static final int UNREADABLE = Integer.MAX_VALUE - 1;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");

    private HopCount() {}

    /** The number that labels tell; 0 when they tell none, and more than any limit when it cannot be read. */
    public static int of(Map<String, String> labels) {
        String told = labels.get(LABEL);
        if (told == null) {
            return 0;
        }
        return NUMBER.matcher(told).matches() ? Integer.parseInt(told) : UNREADABLE;
    }

    /** Of the labels of an execution those that one which is nested in it has, too. */
    public static Map<String, String> inheritedLabels(Map<String, String> labels) {
        String told = labels.get(LABEL);
        return told == null ? Map.of() : Map.of(LABEL, told);
    }
}
