package org.sallyport.broker;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Turns off the broker's audit log, which is on by default and writes a line for every call, and bounds what it says of those who
 * come and go.
 */
final class BrokerLogConfig {

    /** Kept, since the log system forgets loggers that nobody holds, and their levels with them. */
    private static final List<Logger> AUDIT_LOGGERS = Stream.of("", ".base", ".message", ".resource")
            .map(suffix -> Logger.getLogger("org.apache.activemq.audit" + suffix))
            .toList();

    /** What connectors do wrong is told to them; each time with a stack trace, it could fill the disk. */
    private static final List<Logger> PROTOCOL_LOGGERS = Stream.of("protocol", "core.protocol.stomp")
            .map(name -> Logger.getLogger("org.apache.activemq.artemis." + name))
            .toList();

    private static final List<Logger> RATE_LIMITED_LOGGERS = Stream.of("artemis.core.server", "artemis.core.client")
            .map(name -> Logger.getLogger("org.apache.activemq." + name))
            .toList();

    private BrokerLogConfig() {}

    static void apply() {
        AUDIT_LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
        PROTOCOL_LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
        RATE_LIMITED_LOGGERS.forEach(logger -> logger.setFilter(new RateLimitedLogFilter(System::nanoTime)));
    }
}
