package org.sallyport.tls;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Content of files, read again after changes. Checks the files when the value is requested, at most once per interval.
 * Unusable content replaces nothing: after half of a renewal, or when a file is damaged or missing, the previous value
 * stays. Thread-safe.
 */
final class ReloadingFile<T> {
    private final FileParser<T> parser;
    private final Duration reloadInterval;
    private final InstantSource clock;
    private @Nullable LoadedFile<T> loaded;
    private String lastFailure = "";

    /** Reads and parses the files. */
    interface FileParser<T> {
        /** Returns the current content of the files. */
        List<FileSnapshot> readFiles() throws TlsConfigurationException;

        /** Parses the content. */
        T parse(List<FileSnapshot> content, Instant now) throws TlsConfigurationException;
    }

    private record LoadedFile<T>(List<FileSnapshot> content, T value, Instant checkedAt) {
        LoadedFile<T> withCheckedAt(Instant now) {
            return new LoadedFile<>(content, value, now);
        }
    }

    /** @param pause how long the files count as unchanged */
    ReloadingFile(FileParser<T> source, Duration pause, InstantSource clock) {
        this.parser = source;
        this.reloadInterval = pause;
        this.clock = clock;
    }

    /**
     * Returns the current value, or the last usable one. Throws {@link TlsConfigurationException} when there never was
     * one.
     */
    synchronized T value() throws TlsConfigurationException {
        Instant now = clock.instant();
        LoadedFile<T> before = loaded;
        if (before == null) {
            List<FileSnapshot> content = parser.readFiles();
            LoadedFile<T> first = new LoadedFile<>(content, parser.parse(content, now), now);
            loaded = first;
            return first.value();
        }
        // A clock that was set back must not delay the next check.
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
            log(Level.INFO, "loaded renewed files: " + after.value());
            return after;
        } catch (TlsConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(lastFailure)) {
                lastFailure = message;
                log(Level.WARNING, "renewed files cannot be used; the previous content stays in use: " + message);
            }
            return before.withCheckedAt(now);
        }
    }

    /** Not created earlier, because the agent runs before the server configures its logging. */
    private static void log(Level level, String message) {
        Logger log = System.getLogger(ReloadingFile.class.getName());
        log.log(level, message);
    }
}
