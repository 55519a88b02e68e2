package org.sallyport.wiring;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.Claim;

/**
 * Tells the log, where it is JSON, in which trace an execution runs. What writes it is the Java VM's and not the application's; where
 * the server was started without it there is nothing to do.
 */
final class LoggedTraces {
    private static final System.Logger LOG = System.getLogger(LoggedTraces.class.getName());
    private static final String TRACES = "org.sallyport.logging.Traces";

    private LoggedTraces() {}

    /** Does nothing for an execution that is in no trace. */
    static Consumer<Claim> of(Configuration configuration) {
        if (!configuration.get(Settings.LOG_FORMAT).equals("json")) {
            return claim -> {};
        }
        try {
            // By name, as the class is unknown to the application.
            Method begun =
                    ClassLoader.getSystemClassLoader().loadClass(TRACES).getMethod("begun", String.class, String.class);
            return claim -> claim.trace()
                    .ifPresent(trace -> tell(begun, claim.fence().id().toString(), trace.traceId()));
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.WARNING, "the log is not written by starting.jar: its records name no traces");
            return claim -> {};
        }
    }

    private static void tell(Method begun, String execution, String trace) {
        try {
            begun.invoke(null, execution, trace);
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.DEBUG, "a trace is not named in the log", e);
        }
    }
}
