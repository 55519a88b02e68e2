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
 * Says in the log which calls were refused, for each tenant once a minute at most: one tenant's refusals hide none of another's. Names that scripts choose
 * stand there as JSON of ASCII alone, shortened, so that no line of the log is theirs. Thread-safe.
 */
final class RefusedCalls {
    private static final Logger LOG = System.getLogger(RefusedCalls.class.getName());
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);
    private static final int LONGEST = 200;
    /** With more of them all are forgotten, and begin anew. */
    private static final int MOST_TENANTS = 1_000;

    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final LongSupplier nanoTime;
    private final Map<String, Refused> tenants = new ConcurrentHashMap<>();

    private record Refused(LongAdder count, AtomicLong next) {}

    /** @param nanoTime a clock that never goes back, in nanoseconds */
    RefusedCalls(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param rule which decided, if one did */
    void add(String tenant, ExecutionId execution, ToolName tool, ToolErrorCode code, Optional<String> rule) {
        if (tenants.size() >= MOST_TENANTS) {
            tenants.clear();
        }
        long now = nanoTime.getAsLong();
        Refused refused = tenants.computeIfAbsent(tenant, any -> new Refused(new LongAdder(), new AtomicLong(now)));
        refused.count().increment();
        long due = refused.next().get();
        if (now - due >= 0 && refused.next().compareAndSet(due, now + PAUSE)) {
            LOG.log(
                    Level.INFO,
                    "execution {0}: a call of {1} was refused: {2}{3} ({4} calls of its tenant so far)",
                    execution,
                    text(tool.toString()),
                    code.code(),
                    rule.map(name -> ", rule " + text(name)).orElse(""),
                    refused.count().sum());
        }
    }

    private static String text(String name) {
        try {
            return JSON.writeValueAsString(name.length() <= LONGEST ? name : name.substring(0, LONGEST) + "...");
        } catch (JsonProcessingException e) {
            return "\"?\"";
        }
    }
}
