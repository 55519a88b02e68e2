package org.sallyport.web.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Limits the values of a metric label to known names and a maximum number, because scripts can call backends by any
 * name. Thread-safe.
 */
final class BoundedLabels {
    private static final int MAX_VALUE_LENGTH = 100;

    private final int maxValues;
    private final String otherLabel;
    private final Predicate<String> exists;
    private final Set<String> admitted = ConcurrentHashMap.newKeySet();

    /**
     * @param others the label for unknown values and for values above the maximum
     * @param exists whether a value is a known name
     */
    BoundedLabels(int maxValues, String others, Predicate<String> exists) {
        this.maxValues = maxValues;
        this.otherLabel = others;
        this.exists = exists;
    }

    /** {@code value}, or the substitute label. */
    String labelFor(String value) {
        if (admitted.contains(value)) {
            return value;
        } else if (value.length() > MAX_VALUE_LENGTH || admitted.size() >= maxValues || !exists.test(value)) {
            return otherLabel;
        }
        admitted.add(value);
        return value;
    }
}
