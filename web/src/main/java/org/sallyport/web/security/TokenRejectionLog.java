package org.sallyport.web.security;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sallyport.identity.token.TokenRejection;
import org.sallyport.identity.token.TokenVerification;

/**
 * Logs why tokens were rejected, at most one line per reason in an interval, so that an attacker cannot fill the disk.
 * Thread-safe.
 */
final class TokenRejectionLog {
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Logger LOG = System.getLogger(TokenRejectionLog.class.getName());

    private final LongSupplier nanos;
    private final Map<TokenRejection, LastLog> lastLogs = new EnumMap<>(TokenRejection.class);

    /** Time of the last line, and the number of rejections suppressed since then. */
    private record LastLog(long atNanos, long suppressed) {}

    TokenRejectionLog(LongSupplier nanos) {
        this.nanos = nanos;
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
    synchronized long suppressedSinceLastLog(TokenRejection why) {
        long now = nanos.getAsLong();
        LastLog last = lastLogs.get(why);
        if (last != null && now - last.atNanos() < LOG_INTERVAL_NANOS) {
            lastLogs.put(why, new LastLog(last.atNanos(), last.suppressed() + 1));
            return -1;
        }
        lastLogs.put(why, new LastLog(now, 0));
        return last == null ? 0 : last.suppressed();
    }
}
