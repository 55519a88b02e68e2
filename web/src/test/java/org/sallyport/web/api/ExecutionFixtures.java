package org.sallyport.web.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.tool.Json;

/** Executions that have completed. */
final class ExecutionFixtures {
    private static final Instant AT = Instant.parse("2026-06-08T15:00:45Z");

    private ExecutionFixtures() {}

    static Execution completed(ExecutionId id, Json result, long outputLength) {
        return new Execution(
                summary(id),
                Json.NULL,
                new ExecutionLimits(1, 1, 1, 1, 1),
                List.of(),
                Optional.empty(),
                Durability.JOURNAL,
                false,
                Optional.of(result),
                Optional.empty(),
                outputLength,
                0,
                false,
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL);
    }

    static ExecutionSummary summary(ExecutionId id) {
        return new ExecutionSummary(
                id,
                "t",
                "key",
                ExecutionState.COMPLETED,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SANDBOX,
                "",
                4,
                1,
                Map.of(),
                Optional.empty(),
                AT,
                Optional.of(AT),
                Optional.of(AT),
                Optional.empty(),
                Optional.empty());
    }
}
