package org.sallyport.tls;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What files hold, read again when they have changed. Files are looked at when somebody asks, once in a while at most. What cannot
 * be used replaces nothing: half of a pair, a damaged file or one that is gone leaves what was there before. Thread-safe.
 */
final class Renewed<T> {
    private final Source<T> source;
    private final Duration pause;
    private final InstantSource clock;
    private @Nullable State<T> state;
    private String complaint = "";

    /** Where it comes from. */
    interface Source<T> {
        /** What the files hold now. */
        List<FileBytes> content() throws UnusableException;

        /** What that is good for. */
        T made(List<FileBytes> content, Instant now) throws UnusableException;
    }

    private record State<T>(List<FileBytes> content, T value, Instant looked) {
        State<T> seen(Instant now) {
            return new State<>(content, value, now);
        }
    }

    /** @param pause how long files are believed to be as they were */
    Renewed(Source<T> source, Duration pause, InstantSource clock) {
        this.source = source;
        this.pause = pause;
        this.clock = clock;
    }

    /** As it is now, or was when it could last be used; {@link UnusableException} when that was never. */
    synchronized T value() throws UnusableException {
        Instant now = clock.instant();
        State<T> before = state;
        if (before == null) {
            List<FileBytes> content = source.content();
            State<T> first = new State<>(content, source.made(content, now), now);
            state = first;
            return first.value();
        }
        // A clock that was set back must not make this wait for it.
        if (now.isBefore(before.looked().plus(pause)) && !now.isBefore(before.looked())) {
            return before.value();
        }
        State<T> after = renewed(before, now);
        state = after;
        return after.value();
    }

    private State<T> renewed(State<T> before, Instant now) {
        try {
            List<FileBytes> content = source.content();
            if (content.equals(before.content())) {
                complaint = "";
                return before.seen(now);
            }
            State<T> after = new State<>(content, source.made(content, now), now);
            complaint = "";
            log(Level.INFO, "taken from renewed files: " + after.value());
            return after;
        } catch (UnusableException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(complaint)) {
                complaint = message;
                log(Level.WARNING, "renewed files cannot be used, what was there before stays: " + message);
            }
            return before.seen(now);
        }
    }

    /** Not sooner: the agent is there before the server has said how it logs. */
    private static void log(Level level, String message) {
        Logger log = System.getLogger(Renewed.class.getName());
        log.log(level, message);
    }
}
