package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** Closes the open calls of an execution that has just ended without a runner that could report how they ended. */
final class OpenCallCloser {
    private static final String FIND = """
            select t.call_ordinal, min(t.tool), min(t.at), min(e.last_seq), min(e.finished_at),
                max(case when t.type = 'ASKED' then t.seq else 0 end),
                max(case when t.type = 'DECIDED' then t.seq else 0 end)
            from trace_event t join execution e on e.id = t.execution_id
            where t.execution_id = ?1 and t.type in ('TOOL_STARTED', 'TOOL_ENDED', 'ASKED', 'DECIDED')
            group by t.call_ordinal
            having max(case when t.type = 'TOOL_STARTED' then 1 else 0 end) = 1
                and max(case when t.type = 'TOOL_ENDED' then 1 else 0 end) = 0
            order by t.call_ordinal
            """;

    private static final String ADVANCE_LAST_SEQ = "update execution set last_seq = last_seq + ?2 where id = ?1";

    private OpenCallCloser() {}

    /**
     * Adds an end event for each open call to the trace. Call it before the closing event is inserted: the execution
     * has already raised its last sequence number for the closing event. The first end event gets this number, and
     * this method raises the last sequence number again, so that the closing event stays last.
     *
     * @param changes whether a call of the tool may have had an effect although its reply is missing
     * @param what reason for the error message of the calls, such as {@code was cancelled}
     */
    @SuppressWarnings("unchecked")
    static void closeOpenCalls(EntityManager session, ExecutionId id, Predicate<ToolName> changes, String what) {
        List<Object[]> open =
                session.createNativeQuery(FIND).setParameter(1, id.value()).getResultList();
        if (open.isEmpty()) {
            return;
        }
        long seq = ((Number) open.get(0)[3]).longValue();
        for (Object[] call : open) {
            session.persist(new TraceEventEntity(id, toToolEnded(seq++, call, changes, what)));
        }
        session.flush();
        session.createNativeQuery(ADVANCE_LAST_SEQ)
                .setParameter(1, id.value())
                .setParameter(2, open.size())
                .executeUpdate();
    }

    private static TraceEvent.ToolEnded toToolEnded(long seq, Object[] call, Predicate<ToolName> changes, String what) {
        ToolName tool = TraceEventMapper.toolName(LosslessText.decode((String) call[1]));
        Instant at = ExecutionQueries.toInstant(call[4]);
        Duration open = Duration.between(ExecutionQueries.toInstant(call[2]), at);
        boolean undecided = ((Number) call[5]).longValue() > ((Number) call[6]).longValue();
        return new TraceEvent.ToolEnded(
                seq,
                at,
                ((Number) call[0]).longValue(),
                tool,
                Math.max(0, open.toMillis()),
                0,
                Optional.empty(),
                Optional.of(error(!undecided && changes.test(tool), what)));
    }

    private static ToolError error(boolean unknown, String what) {
        String missing = "the execution " + what + " before the call was answered";
        return unknown
                ? new ToolError(ToolErrorCode.OUTCOME_UNKNOWN, missing + "; it may have had its effect")
                : new ToolError(ToolErrorCode.CANCELLED, missing);
    }
}
