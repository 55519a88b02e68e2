package org.sallyport.broker;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Turns off the broker's audit log, which is on by default and writes a line for every call, and bounds what it says of those who
 * come and go.
 */
final class QuietLogs {

    /** Kept, since the log system forgets loggers that nobody holds, and their levels with them. */
    private static final List<Logger> SILENT = Stream.of("", ".base", ".message", ".resource")
            .map(suffix -> Logger.getLogger("org.apache.activemq.audit" + suffix))
            .toList();

    /** What connectors do wrong is told to them; each time with a stack trace, it could fill the disk. */
    private static final List<Logger> OF_STRANGERS = Stream.of("protocol", "core.protocol.stomp")
            .map(name -> Logger.getLogger("org.apache.activemq.artemis." + name))
            .toList();

    private static final List<Logger> RATIONED = Stream.of("artemis.core.server", "artemis.core.client")
            .map(name -> Logger.getLogger("org.apache.activemq." + name))
            .toList();

    private QuietLogs() {}

    static void apply() {
        SILENT.forEach(logger -> logger.setLevel(Level.OFF));
        OF_STRANGERS.forEach(logger -> logger.setLevel(Level.OFF));
        RATIONED.forEach(logger -> logger.setFilter(new Rationed(System::nanoTime)));
    }
}
