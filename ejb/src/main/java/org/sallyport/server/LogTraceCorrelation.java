package org.sallyport.server;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.ClaimedExecution;

/**
 * Passes the trace context of an execution to the JSON log formatter. The formatter belongs to the Java VM and not to
 * the application; does nothing where the server was started without it.
 */
final class LogTraceCorrelation {
    private static final System.Logger LOG = System.getLogger(LogTraceCorrelation.class.getName());
    private static final String REGISTRY_CLASS = "org.sallyport.logging.TraceIdRegistry";

    private LogTraceCorrelation() {}

    /** The listener ignores executions without a trace context. */
    static Consumer<ClaimedExecution> listener(Configuration configuration) {
        if (!configuration.get(Settings.LOG_FORMAT).equals("json")) {
            return claim -> {};
        }
        try {
            // By reflection, because the class is not visible to the application.
            Method executionStarted = ClassLoader.getSystemClassLoader()
                    .loadClass(REGISTRY_CLASS)
                    .getMethod("executionStarted", String.class, String.class);
            return claim -> claim.trace()
                    .ifPresent(trace ->
                            logTraceId(executionStarted, claim.fence().id().toString(), trace.traceId()));
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.WARNING, "starting.jar does not write the log: log records have no trace ids");
            return claim -> {};
        }
    }

    private static void logTraceId(Method executionStarted, String execution, String trace) {
        try {
            executionStarted.invoke(null, execution, trace);
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.DEBUG, "a trace id could not be added to the log", e);
        }
    }
}
