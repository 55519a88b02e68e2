package org.sallyport.broker;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Turns off the broker's audit log, which is on by default and writes a line for every call. */
final class QuietLogs {

    /** Kept, since the log system forgets loggers that nobody holds, and their levels with them. */
    private static final List<Logger> SILENT = Stream.of("", ".base", ".message", ".resource")
            .map(suffix -> Logger.getLogger("org.apache.activemq.audit" + suffix))
            .toList();

    private QuietLogs() {}

    static void apply() {
        SILENT.forEach(logger -> logger.setLevel(Level.OFF));
    }
}
