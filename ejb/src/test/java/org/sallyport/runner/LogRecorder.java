package org.sallyport.runner;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Records the formatted messages that a class logs, until it is closed. Thread-safe. */
public final class LogRecorder extends Handler {
    // The field keeps the logger alive: the platform discards loggers without a strong reference.
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private LogRecorder(Class<?> logging) {
        this.logger = Logger.getLogger(logging.getName());
    }

    /** Records from now on. */
    public static LogRecorder of(Class<?> logging) {
        LogRecorder recorder = new LogRecorder(logging);
        recorder.logger.addHandler(recorder);
        return recorder;
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void publish(LogRecord record) {
        lines.add(new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
