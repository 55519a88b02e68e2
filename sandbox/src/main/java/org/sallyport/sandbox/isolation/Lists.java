package org.sallyport.sandbox.isolation;

import java.util.ArrayList;
import java.util.List;

/** Commands are put together from parts. */
final class Lists {
    private Lists() {}

    @SafeVarargs
    static List<String> joined(List<String>... parts) {
        List<String> all = new ArrayList<>();
        for (List<String> part : parts) {
            all.addAll(part);
        }
        return List.copyOf(all);
    }
}
