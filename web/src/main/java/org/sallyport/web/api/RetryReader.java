package org.sallyport.web.api;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.RetryPolicy;

/** Reads the retry policy of a submission. The settings limit its values later. */
final class RetryReader {
    static final String RETRY_MEMBER = "retry";

    private static final Set<String> KNOWN_MEMBERS =
            Set.of("attempts", "delayMillis", "maxDelayMillis", "errorCodes", "afterWrites");
    private static final int MAX_CODES = 50;
    private static final int MAX_CODE_LENGTH = 100;

    private RetryReader() {}

    static Optional<RetryPolicy> read(JsonMembers body) {
        Optional<RetryPolicy> policy = body.object(RETRY_MEMBER).map(RetryReader::policy);
        if (policy.isPresent() && body.has("debug")) {
            throw body.invalidMember(RETRY_MEMBER, "does not go with 'debug': a developer decides what runs again");
        }
        return policy;
    }

    private static RetryPolicy policy(JsonMembers retry) {
        retry.rejectUnknown(KNOWN_MEMBERS);
        long attempts = retry.longValue("attempts")
                .orElseThrow(() -> retry.invalidMember(
                        "attempts", "is missing: how many attempts there are, including the first"));
        Duration delay = millis(retry, "delayMillis").orElse(RetryPolicy.DEFAULT_DELAY);
        Duration standardMax =
                delay.compareTo(RetryPolicy.DEFAULT_MAX_DELAY) > 0 ? delay : RetryPolicy.DEFAULT_MAX_DELAY;
        return new RetryPolicy(
                (int) Math.max(0, Math.min(Integer.MAX_VALUE, attempts)),
                delay,
                millis(retry, "maxDelayMillis").orElse(standardMax),
                codes(retry),
                retry.flag("afterWrites").orElse(false));
    }

    private static Optional<Duration> millis(JsonMembers retry, String member) {
        return retry.longValue(member).map(Duration::ofMillis);
    }

    private static Set<String> codes(JsonMembers retry) {
        Optional<List<String>> codes = retry.texts("errorCodes", MAX_CODES, MAX_CODE_LENGTH);
        if (codes.isPresent() && codes.get().isEmpty()) {
            throw retry.invalidMember("errorCodes", "is empty: name the errors after which there is another attempt");
        }
        return codes.<Set<String>>map(HashSet::new).orElse(RetryPolicy.defaultCodes());
    }
}
