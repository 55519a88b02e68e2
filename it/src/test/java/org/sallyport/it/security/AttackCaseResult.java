package org.sallyport.it.security;

import java.util.List;
import java.util.OptionalLong;

/**
 * The result of a case.
 *
 * @param outcome state and error code of an execution, or status and problem type of a refusal
 * @param stopMillis time from the deadline or the cancel to the end
 * @param startMillis begin, in milliseconds since 1970
 * @param endMillis end of the case's own checks, in milliseconds since 1970
 * @param killedWorkers number of workers that existed before the case and not after it
 * @param leaks canaries and internal words that the caller saw
 * @param failures differences from the expected result
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

    /** Returns whether the result is as expected. */
    boolean hasPassed() {
        return leaks.isEmpty() && failures.isEmpty();
    }

    /** Returns whether a known issue explains the failure. A known issue never excuses a leak. */
    boolean isKnownIssue() {
        return !hasPassed() && leaks.isEmpty() && !attackCase.knownIssue().isEmpty();
    }

    /** Returns whether the case passed although it has a known issue. */
    boolean isFixed() {
        return hasPassed()
                && attackCase.attack().isPresent()
                && !attackCase.knownIssue().isEmpty();
    }

    /** Describes the failure in one line. */
    String summarize() {
        return attackCase.id() + " " + attackCase.title() + ": " + leaks + " " + failures;
    }
}
