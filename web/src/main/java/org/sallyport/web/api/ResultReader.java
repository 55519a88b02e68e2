package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Reads whether an answer that was given before is good enough, and how old it may be. */
final class ResultReader {
    static final String MEMBER = "cache";

    private static final String AGE = "maxAgeMillis";
    private static final long OLDEST = Duration.ofDays(365).toMillis();

    private ResultReader() {}

    /** Takes {@code cache} out of a submission, whatever else that says: what is left is one that has none. */
    static Optional<Duration> take(ObjectNode body) {
        Members members = new Members(body);
        Optional<Members> cache = members.object(MEMBER);
        cache.ifPresent(asked -> {
            for (String other : new String[] {"debug", ScriptReader.KEEP, "notBefore", "delayMillis"}) {
                if (members.has(other)) {
                    throw members.fault(MEMBER, "does not go with '" + other + "', which needs a run");
                }
            }
            if (members.flag("dryRun").orElse(false)) {
                throw members.fault(MEMBER, "does not go with 'dryRun', which needs a run");
            } else if (members.text("durability", 100).filter("none"::equals).isPresent()) {
                throw members.fault(
                        MEMBER, "does not go with 'durability': 'none', which keeps no record to judge an answer by");
            }
            asked.allow(Set.of(AGE));
        });
        Optional<Duration> age = cache.map(asked -> {
            long millis = asked.whole(AGE).orElseThrow(() -> asked.fault(AGE, "is missing: how old an answer may be"));
            if (millis < 1 || millis > OLDEST) {
                throw asked.fault(AGE, "must be from 1 to " + OLDEST);
            }
            return Duration.ofMillis(millis);
        });
        body.remove(MEMBER);
        return age;
    }
}
