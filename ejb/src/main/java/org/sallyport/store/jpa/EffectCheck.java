package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/**
 * Finds out from its journal whether an execution may have changed something. The answer is no only if the journal
 * proves it. Thread-safe.
 */
final class EffectCheck {
    /**
     * Finds the tools of calls that may have been sent, whether or not they ended. With ?2 = 1, leaves out calls that
     * were certainly not sent: refused after at most one attempt to send them, never sent or withdrawn without an
     * effect, answered by a policy rule, or waiting for a first decision whether it may be made. With ?2 = 0, an
     * earlier run may have sent them.
     */
    private static final String SENT_TOOLS = """
            select distinct c.tool from (
                select min(case when type in ('TOOL_STARTED', 'TOOL_ENDED') then tool end) as tool,
                    max(case when type = 'TOOL_ENDED' and attempt = 0
                            or type = 'TOOL_ENDED' and coalesce(attempt, 1) = 1 and error_code in (%s)
                            or type = 'JUDGED' and state = 'mock'
                        then 1 else 0 end) as unsent,
                    max(case when type = 'ASKED' and approval_kind = 'CALL' then 1 else 0 end) as asked,
                    max(case when type = 'DECIDED' or type = 'ASKED' and approval_kind <> 'CALL'
                        then 1 else 0 end) as decided
                from trace_event
                where execution_id = ?1 and type in ('TOOL_STARTED', 'TOOL_ENDED', 'JUDGED', 'ASKED', 'DECIDED')
                group by call_ordinal) c
            where c.tool is not null
                and (cast(?2 as integer) = 0 or c.unsent = 0 and (c.asked = 0 or c.decided = 1))
            """.formatted(ToolErrorCode.NOT_EXECUTED.stream()
            .map(code -> "'" + code.code() + "'")
            .collect(Collectors.joining(", ")));

    private final Predicate<ToolName> changes;

    /** @param changes whether a call of the tool may change something */
    EffectCheck(Predicate<ToolName> changes) {
        this.changes = changes;
    }

    /**
     * Returns whether the execution may have changed something. Call it after its last entries were persisted.
     *
     * @param effects the stored {@link EffectMode}
     * @param durability the stored {@link Durability}; without a journal, the calls are unknown
     * @param runs how often the execution was started; after a second start, a refused call may have been sent before
     */
    boolean mayHaveWritten(
            EntityManager session, ExecutionId id, @Nullable String effects, String durability, int runs) {
        EffectMode mode = EffectModeColumn.toEffectMode(effects == null ? null : new Json(effects));
        if (mode instanceof EffectMode.DryRun || mode instanceof EffectMode.ReadOnlyEffects) {
            return false;
        }
        if (Durability.of(durability) == Durability.NONE) {
            return true;
        }
        // The last events of the execution may not be in the database yet.
        session.flush();
        List<?> tools = JpaBatchStore.nativeQuery(session, SENT_TOOLS, id.value(), runs > 1 ? 0 : 1)
                .getResultList();
        return tools.stream()
                .map(tool -> TraceEventMapper.toolName(LosslessText.decode((String) tool)))
                .anyMatch(changes);
    }
}
