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
final class ReloadingFile<T> {
    private final FileParser<T> parser;
    private final Duration reloadInterval;
    private final InstantSource clock;
    private @Nullable LoadedFile<T> loaded;
    private String lastFailure = "";

    /** Where it comes from. */
    interface FileParser<T> {
        /** What the files hold now. */
        List<FileSnapshot> readFiles() throws TlsConfigurationException;

        /** What that is good for. */
        T parse(List<FileSnapshot> content, Instant now) throws TlsConfigurationException;
    }

    private record LoadedFile<T>(List<FileSnapshot> content, T value, Instant checkedAt) {
        LoadedFile<T> withCheckedAt(Instant now) {
            return new LoadedFile<>(content, value, now);
        }
    }

    /** @param pause how long files are believed to be as they were */
    ReloadingFile(FileParser<T> source, Duration pause, InstantSource clock) {
        this.parser = source;
        this.reloadInterval = pause;
        this.clock = clock;
    }

    /** As it is now, or was when it could last be used; {@link TlsConfigurationException} when that was never. */
    synchronized T value() throws TlsConfigurationException {
        Instant now = clock.instant();
        LoadedFile<T> before = loaded;
        if (before == null) {
            List<FileSnapshot> content = parser.readFiles();
            LoadedFile<T> first = new LoadedFile<>(content, parser.parse(content, now), now);
            loaded = first;
            return first.value();
        }
        // A clock that was set back must not make this wait for it.
        if (now.isBefore(before.checkedAt().plus(reloadInterval)) && !now.isBefore(before.checkedAt())) {
            return before.value();
        }
        LoadedFile<T> after = reload(before, now);
        loaded = after;
        return after.value();
    }

    private LoadedFile<T> reload(LoadedFile<T> before, Instant now) {
        try {
            List<FileSnapshot> content = parser.readFiles();
            if (content.equals(before.content())) {
                lastFailure = "";
                return before.withCheckedAt(now);
            }
            LoadedFile<T> after = new LoadedFile<>(content, parser.parse(content, now), now);
            lastFailure = "";
            log(Level.INFO, "taken from renewed files: " + after.value());
            return after;
        } catch (TlsConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(lastFailure)) {
                lastFailure = message;
                log(Level.WARNING, "renewed files cannot be used, what was there before stays: " + message);
            }
            return before.withCheckedAt(now);
        }
    }

    /** Not sooner: the agent is there before the server has said how it logs. */
    private static void log(Level level, String message) {
        Logger log = System.getLogger(ReloadingFile.class.getName());
        log.log(level, message);
    }
}
