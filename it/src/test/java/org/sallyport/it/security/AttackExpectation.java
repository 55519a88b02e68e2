package org.sallyport.it.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The expected result of a case.
 *
 * @param outcomes accepted values of {@link AttackResult#outcome}; empty for any
 * @param checks each returns a description of the mismatch, or empty
 */
record AttackExpectation(List<String> outcomes, List<Function<AttackResult, Optional<String>>> checks) {
    AttackExpectation {
        outcomes = List.copyOf(outcomes);
        checks = List.copyOf(checks);
    }

    static AttackExpectation anything() {
        return new AttackExpectation(List.of(), List.of());
    }

    /** Accepts these values of {@link AttackResult#outcome}. */
    static AttackExpectation outcome(String... outcomes) {
        return new AttackExpectation(List.of(outcomes), List.of());
    }

    /** Adds a check. */
    AttackExpectation and(Function<AttackResult, Optional<String>> check) {
        List<Function<AttackResult, Optional<String>>> more = new ArrayList<>(checks);
        more.add(check);
        return new AttackExpectation(outcomes, more);
    }

    /** Describes all mismatches of a result. */
    List<String> findMismatches(AttackResult sighting) {
        List<String> faults = new ArrayList<>();
        if (!outcomes.isEmpty() && !outcomes.contains(sighting.outcome())) {
            faults.add("expected " + String.join(" or ", outcomes) + ", got " + sighting.outcome() + " "
                    + summarize(sighting));
        }
        checks.forEach(check -> check.apply(sighting).ifPresent(faults::add));
        return faults;
    }

    private static String summarize(AttackResult sighting) {
        String message = sighting.execution().path("error").path("message").asText();
        String text = message.isEmpty() ? sighting.visibleText() : message;
        return "(" + text.substring(0, Math.min(300, text.length())) + ")";
    }
}
