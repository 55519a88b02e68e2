package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Reads whether a cached result is acceptable, and its maximum age. */
final class CacheOptionsReader {
    static final String CACHE_MEMBER = "cache";

    private static final String MAX_AGE_MEMBER = "maxAgeMillis";
    private static final long MAX_AGE_MILLIS = Duration.ofDays(365).toMillis();

    private CacheOptionsReader() {}

    /**
     * Removes {@code cache} from a submission and returns the maximum age; empty if the submission has no
     * {@code cache}. Without {@code cache} the remaining body is an ordinary submission.
     *
     * @throws org.sallyport.web.ProblemException if {@code cache} is invalid or excluded by another member
     */
    static Optional<Duration> extractMaxAge(ObjectNode body) {
        JsonMembers members = new JsonMembers(body);
        Optional<JsonMembers> cache = members.object(CACHE_MEMBER);
        cache.ifPresent(asked -> {
            for (String other : new String[] {"debug", SavedScriptReader.SAVE_AS_MEMBER, "notBefore", "delayMillis"}) {
                if (members.has(other)) {
                    throw members.invalidMember(CACHE_MEMBER, "does not go with '" + other + "', which needs a run");
                }
            }
            if (members.flag("dryRun").orElse(false)) {
                throw members.invalidMember(CACHE_MEMBER, "does not go with 'dryRun', which needs a run");
            } else if (members.text("durability", 100).filter("none"::equals).isPresent()) {
                throw members.invalidMember(
                        CACHE_MEMBER,
                        "does not go with 'durability': 'none', which keeps no record to check an answer against");
            }
            asked.rejectUnknown(Set.of(MAX_AGE_MEMBER));
        });
        Optional<Duration> age = cache.map(asked -> {
            long millis = asked.longValue(MAX_AGE_MEMBER)
                    .orElseThrow(() -> asked.invalidMember(MAX_AGE_MEMBER, "is missing: how old an answer may be"));
            if (millis < 1 || millis > MAX_AGE_MILLIS) {
                throw asked.invalidMember(MAX_AGE_MEMBER, "must be from 1 to " + MAX_AGE_MILLIS);
            }
            return Duration.ofMillis(millis);
        });
        body.remove(CACHE_MEMBER);
        return age;
    }
}
