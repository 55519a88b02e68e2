package org.sallyport.it.hostile;

import java.util.List;
import java.util.OptionalLong;

/**
 * What came of a row.
 *
 * @param outcome state and error code, or status and problem
 * @param stopMillis from the deadline or cancel to the end
 * @param startMillis when it began, in milliseconds since 1970
 * @param endMillis when its own checks were done
 * @param killedWorkers workers that were there before it and not after it
 * @param leaks canaries and inner words that were seen
 * @param failures what is not as expected
 */
record AttackCaseResult(
        AttackCase attackCase,
        String outcome,
        OptionalLong stopMillis,
        long startMillis,
        long endMillis,
        int killedWorkers,
        List<String> leaks,
        List<String> failures) {
    AttackCaseResult {
        leaks = List.copyOf(leaks);
        failures = List.copyOf(failures);
    }

    /** Whether all was as expected. */
    boolean hasPassed() {
        return leaks.isEmpty() && failures.isEmpty();
    }

    /** Whether it is not as expected for a reason that is known; a leak never is. */
    boolean isKnownIssue() {
        return !hasPassed() && leaks.isEmpty() && !attackCase.knownIssue().isEmpty();
    }

    /** Whether it is as expected though a fault is said to keep it from that. */
    boolean isFixed() {
        return hasPassed()
                && attackCase.attack().isPresent()
                && !attackCase.knownIssue().isEmpty();
    }

    /** What is wrong, in a line. */
    String summarize() {
        return attackCase.id() + " " + attackCase.title() + ": " + leaks + " " + failures;
    }
}
