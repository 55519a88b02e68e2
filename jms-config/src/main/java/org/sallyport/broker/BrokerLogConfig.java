package org.sallyport.broker;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Turns off the broker's audit log, which is on by default and writes a line for every call, and limits its log of
 * connecting and disconnecting clients.
 */
final class BrokerLogConfig {

    /** Referenced, because the logging system discards unreferenced loggers with their levels. */
    private static final List<Logger> AUDIT_LOGGERS = Stream.of("", ".base", ".message", ".resource")
            .map(suffix -> Logger.getLogger("org.apache.activemq.audit" + suffix))
            .toList();

    /** The broker reports errors to the connector. Its log, with a stack trace for each, could fill the disk. */
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
