package org.sallyport.connector.http;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hc.client5.http.utils.DateUtils;
import org.jspecify.annotations.Nullable;

/** Reads how long a server wants its callers to wait. */
public final class RetryAfterHeader {
    private RetryAfterHeader() {}

    /**
     * Returns the pause in milliseconds; empty if the server requests none.
     *
     * @param value the header {@code Retry-After}: a number of seconds, or a time
     * @param date the header {@code Date}, with which a time is compared
     */
    public static Optional<Long> parseMillis(Optional<String> value, Optional<String> date) {
        String requested = value.orElse("").strip();
        if (requested.matches("[0-9]{1,9}")) {
            return Optional.of(Long.parseLong(requested) * 1_000);
        }
        @Nullable Instant until = DateUtils.parseStandardDate(requested);
        @Nullable Instant now = DateUtils.parseStandardDate(date.orElse(""));
        return until == null || now == null
                ? Optional.empty()
                : Optional.of(Math.max(0, Duration.between(now, until).toMillis()));
    }
}
