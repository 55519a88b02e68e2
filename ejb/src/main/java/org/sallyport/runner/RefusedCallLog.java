package org.sallyport.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/**
 * Logs refused calls, at most once a minute per tenant, so that the refusals of one tenant hide none of another's.
 * Names that scripts choose are logged as shortened ASCII JSON strings, so that a script cannot forge a log line.
 * Thread-safe.
 */
final class RefusedCallLog {
    private static final Logger LOG = System.getLogger(RefusedCallLog.class.getName());
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_NAME_LENGTH = 200;
    /** At this number of tenants, all counters are dropped and start again. */
    private static final int MAX_TENANTS = 1_000;

    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final LongSupplier nanoTime;
    private final Map<String, TenantRefusals> tenants = new ConcurrentHashMap<>();

    private record TenantRefusals(LongAdder count, AtomicLong nextLogNanos) {}

    /** @param nanoTime a monotonic clock, in nanoseconds */
    RefusedCallLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param rule the rule that refused the call, if there is one */
    void recordRefusal(String tenant, ExecutionId execution, ToolName tool, ToolErrorCode code, Optional<String> rule) {
        if (tenants.size() >= MAX_TENANTS) {
            tenants.clear();
        }
        long now = nanoTime.getAsLong();
        TenantRefusals refused =
                tenants.computeIfAbsent(tenant, any -> new TenantRefusals(new LongAdder(), new AtomicLong(now)));
        refused.count().increment();
        long due = refused.nextLogNanos().get();
        if (now - due >= 0 && refused.nextLogNanos().compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
            LOG.log(
                    Level.INFO,
                    "execution {0}: a call of {1} was refused: {2}{3} ({4} refused calls of its tenant so far)",
                    execution,
                    quoteForLog(tool.toString()),
                    code.code(),
                    rule.map(name -> ", rule " + quoteForLog(name)).orElse(""),
                    refused.count().sum());
        }
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
