package org.sallyport.it.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What must come of a row.
 *
 * @param outcomes any of these, as {@link Sighting#outcome} has them; empty for any
 * @param checks each says what is wrong with what was seen, or nothing
 */
record Expected(List<String> outcomes, List<Function<Sighting, Optional<String>>> checks) {
    Expected {
        outcomes = List.copyOf(outcomes);
        checks = List.copyOf(checks);
    }

    static Expected anything() {
        return new Expected(List.of(), List.of());
    }

    /** One of these, as {@link Sighting#outcome} has them. */
    static Expected outcome(String... outcomes) {
        return new Expected(List.of(outcomes), List.of());
    }

    /** And this too. */
    Expected and(Function<Sighting, Optional<String>> check) {
        List<Function<Sighting, Optional<String>>> more = new ArrayList<>(checks);
        more.add(check);
        return new Expected(outcomes, more);
    }

    /** All that is wrong with what was seen. */
    List<String> faults(Sighting sighting) {
        List<String> faults = new ArrayList<>();
        if (!outcomes.isEmpty() && !outcomes.contains(sighting.outcome())) {
            faults.add(
                    "expected " + String.join(" or ", outcomes) + ", got " + sighting.outcome() + " " + told(sighting));
        }
        checks.forEach(check -> check.apply(sighting).ifPresent(faults::add));
        return faults;
    }

    private static String told(Sighting sighting) {
        String message = sighting.whole().path("error").path("message").asText();
        String text = message.isEmpty() ? sighting.seen() : message;
        return "(" + text.substring(0, Math.min(300, text.length())) + ")";
    }
}
