package org.sallyport.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.ToolErrorCode;

/**
 * Logs refused calls, at most once a minute per tenant. Names that scripts choose are logged as shortened ASCII JSON
 * strings, so that a script cannot forge a log line. Thread-safe.
 */
final class RefusedCallLog {
    private static final Logger LOG = System.getLogger(RefusedCallLog.class.getName());
    private static final int MAX_NAME_LENGTH = 200;

    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final TenantLogLimiter limiter;

    /** @param nanoTime a monotonic clock, in nanoseconds */
    RefusedCallLog(LongSupplier nanoTime) {
        this.limiter = new TenantLogLimiter(nanoTime);
    }

    /**
     * @param tool the name of the tool, without secrets
     * @param rule the rule that refused the call, if there is one
     */
    void recordRefusal(String tenant, ExecutionId execution, String tool, ToolErrorCode code, Optional<String> rule) {
        limiter.tryAcquire(tenant)
                .ifPresent(count -> LOG.log(
                        Level.INFO,
                        "execution {0}: a call of {1} was refused: {2}{3} ({4} refused calls of its tenant so far)",
                        execution,
                        quoteForLog(tool),
                        code.code(),
                        rule.map(name -> ", rule " + quoteForLog(name)).orElse(""),
                        count));
    }

    /** Returns a shortened JSON string in ASCII. */
    static String quoteForLog(String name) {
        try {
            return JSON.writeValueAsString(
                    name.length() <= MAX_NAME_LENGTH ? name : name.substring(0, MAX_NAME_LENGTH) + "...");
        } catch (JsonProcessingException e) {
            return "\"?\"";
        }
    }
}
