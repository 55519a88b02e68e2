package org.sallyport.web.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Values of a label: those that are known, and no more than may be. Scripts can call backends by any name. Thread-safe. */
final class BoundedLabels {
    private static final int MAX_VALUE_LENGTH = 100;

    private final int maxValues;
    private final String otherLabel;
    private final Predicate<String> exists;
    private final Set<String> admitted = ConcurrentHashMap.newKeySet();

    /**
     * @param others what stands for those that are not there, or too many
     * @param exists whether there is such a one
     */
    BoundedLabels(int most, String others, Predicate<String> exists) {
        this.maxValues = most;
        this.otherLabel = others;
        this.exists = exists;
    }

    /** {@code value}, or what stands for it. */
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
