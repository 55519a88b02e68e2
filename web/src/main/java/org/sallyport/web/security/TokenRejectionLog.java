package org.sallyport.web.security;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.sallyport.identity.token.TokenRejection;
import org.sallyport.identity.token.TokenVerification;

/** Logs why tokens were rejected, at most one line per reason in an interval. Thread-safe. */
final class TokenRejectionLog {
    private static final Logger LOG = System.getLogger(TokenRejectionLog.class.getName());

    private final Map<TokenRejection, LogLineLimiter> limiters = new EnumMap<>(TokenRejection.class);

    TokenRejectionLog(LongSupplier nanos) {
        for (TokenRejection why : TokenRejection.values()) {
            limiters.put(why, new LogLineLimiter(nanos));
        }
    }

    /** Logs the rejection without any part of the token, because its sender would control the log text. */
    void logRejection(TokenVerification.TokenRejected refused, String address) {
        long untold = suppressedSinceLastLog(refused.reason());
        if (untold >= 0) {
            LOG.log(
                    Level.INFO,
                    "a token was refused: {0}, from {1}{2}{3}",
                    refused.reason().code(),
                    address,
                    refused.caller().map(caller -> ", of " + caller.id()).orElse(""),
                    untold == 0 ? "" : "; so were " + untold + " others since the last such line");
        }
    }

    /** Number of rejections suppressed before this one; negative if this one is suppressed too. */
    long suppressedSinceLastLog(TokenRejection why) {
        return Objects.requireNonNull(limiters.get(why)).suppressedSinceLastLog();
    }
}
