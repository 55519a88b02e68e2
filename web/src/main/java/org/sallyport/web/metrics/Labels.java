package org.sallyport.web.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Values of a label, as many as may be: scripts can call backends by any name. Thread-safe. */
final class Labels {
    private static final int LONGEST = 100;

    private final int most;
    private final String others;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** @param others what stands for those that are too many */
    Labels(int most, String others) {
        this.most = most;
        this.others = others;
    }

    /** {@code value}, or what stands for it. */
    String of(String value) {
        if (known.contains(value)) {
            return value;
        } else if (value.length() > LONGEST || known.size() >= most) {
            return others;
        }
        known.add(value);
        return value;
    }
}
