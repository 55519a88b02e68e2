package org.sallyport.web.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Values of a label: those that are known, and no more than may be. Scripts can call backends by any name. Thread-safe. */
final class Labels {
    private static final int LONGEST = 100;

    private final int most;
    private final String others;
    private final Predicate<String> exists;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /**
     * @param others what stands for those that are not there, or too many
     * @param exists whether there is such a one
     */
    Labels(int most, String others, Predicate<String> exists) {
        this.most = most;
        this.others = others;
        this.exists = exists;
    }

    /** {@code value}, or what stands for it. */
    String of(String value) {
        if (known.contains(value)) {
            return value;
        } else if (value.length() > LONGEST || known.size() >= most || !exists.test(value)) {
            return others;
        }
        known.add(value);
        return value;
    }
}
