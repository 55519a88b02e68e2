package org.sallyport.it.hostile;

import java.util.List;
import java.util.OptionalLong;

/**
 * What came of a row.
 *
 * @param outcome state and error code, or status and problem
 * @param stopMillis from the deadline or cancel to the end
 * @param from when it began, in milliseconds since 1970
 * @param to when its own checks were done
 * @param killed workers that were there before it and not after it
 * @param leaks canaries and inner words that were seen
 * @param faults what is not as expected
 */
record Verdict(
        Row row,
        String outcome,
        OptionalLong stopMillis,
        long from,
        long to,
        int killed,
        List<String> leaks,
        List<String> faults) {
    Verdict {
        leaks = List.copyOf(leaks);
        faults = List.copyOf(faults);
    }

    /** Whether all was as expected. */
    boolean ok() {
        return leaks.isEmpty() && faults.isEmpty();
    }

    /** Whether it is not as expected for a reason that is known; a leak never is. */
    boolean open() {
        return !ok() && leaks.isEmpty() && !row.open().isEmpty();
    }

    /** Whether it is as expected though a fault is said to keep it from that. */
    boolean mended() {
        return ok() && row.attack().isPresent() && !row.open().isEmpty();
    }

    /** What is wrong, in a line. */
    String told() {
        return row.id() + " " + row.title() + ": " + leaks + " " + faults;
    }
}
