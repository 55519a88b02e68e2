package org.sallyport.web.security;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sallyport.token.Refusal;
import org.sallyport.token.Verdict;

/** Tells the log why tokens were refused, of each reason now and then only: whoever sends many fills no disk. Thread-safe. */
final class RefusedTokens {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Logger LOG = System.getLogger(RefusedTokens.class.getName());

    private final LongSupplier nanos;
    private final Map<Refusal, Lately> lately = new EnumMap<>(Refusal.class);

    /** When one was told, and how many since were not. */
    private record Lately(long told, long untold) {}

    RefusedTokens(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Nothing of the token itself: whoever wrote it would write the log. */
    void tell(Verdict.Refused refused, String address) {
        long untold = untold(refused.why());
        if (untold >= 0) {
            LOG.log(
                    Level.INFO,
                    "a token was refused: {0}, from {1}{2}{3}",
                    refused.why().code(),
                    address,
                    refused.caller().map(caller -> ", of " + caller.keyId()).orElse(""),
                    untold == 0 ? "" : "; so were " + untold + " others since the last such line");
        }
    }

    /** How many were not told before this one; negative when this one is not to be told either. */
    synchronized long untold(Refusal why) {
        long now = nanos.getAsLong();
        Lately last = lately.get(why);
        if (last != null && now - last.told() < PAUSE_NANOS) {
            lately.put(why, new Lately(last.told(), last.untold() + 1));
            return -1;
        }
        lately.put(why, new Lately(now, 0));
        return last == null ? 0 : last.untold();
    }
}
