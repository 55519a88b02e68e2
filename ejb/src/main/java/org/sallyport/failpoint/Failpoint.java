package org.sallyport.failpoint;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A place between two steps of which only the first happens when the node dies there. Costs nothing in the shipped
 * application.
 */
public enum Failpoint {
    /**
     * A transaction is committed and its caller does not know it. Subject: the database. If the hook throws an
     * exception with an {@code SQLException} as its cause, the answer of the commit is lost.
     */
    COMMITTED,
    /** An execution is committed and its job is not sent. Subject: its id. */
    ACCEPTED,
    /**
     * A runner has claimed an execution, has not started it and has not acknowledged the job message. Subject: its id.
     */
    CLAIMED,
    /** A call that is not read-only is in the journal and is not sent. Subject: its id. */
    CALL_JOURNALED,
    /** A nested execution that a call starts is committed and its job is not sent. Subject: its id. */
    NESTED,
    /** A connector is about to receive a call. Subject: the call. */
    CALL_HEARD,
    /** A connector has answered and the reply is not sent. Subject: the call. */
    CALL_MADE,
    /** A runner has received a reply that is not in the journal. Subject: the ordinal of the call. */
    REPLY_HEARD,
    /**
     * An event is committed and no node is notified. Subject: the fencing token of the attempt that emitted it, or the
     * name of the event if no script did.
     */
    EMITTED,
    /** An attempt has ended and its end is not committed. Subject: its fencing token. */
    ENDED,
    /** A batch and its items are written and not committed. Subject: its id. */
    BATCH_STORED,
    /**
     * The next items of a batch are admitted and its ended items are marked, and neither is committed. Subject: its id.
     */
    BATCH_ADVANCING,
    /** The next items of a batch are admitted and their jobs are not sent. Subject: its id. */
    BATCH_ADMITTED,
    /** A batch is marked as one that starts no more items, and this is not committed. Subject: its id. */
    BATCH_ENDING,
    /**
     * An execution or a batch of a schedule is written, the update of the schedule is not, and neither is committed.
     * Subject: the id of the execution or of the batch.
     */
    FIRING,
    /** An execution has ended, and its callback is due and not sent. Subject: the id of the execution. */
    CALLING_BACK,
    /** A callback was sent and perhaps answered, and its result is not recorded. Subject: the id of its execution. */
    CALLED_BACK,
    /**
     * The data of finished executions is deleted, the executions are not, and neither is committed. Subject: their ids.
     */
    PURGING,
    /** The tool graph's update from executions is written and not committed. Subject: the id of the last execution. */
    LEARNING;

    /** From the class path only: no setting enables it, so it cannot be abused. */
    private static final @Nullable FailpointHook HOOK = ServiceLoader.load(
                    FailpointHook.class, Failpoint.class.getClassLoader())
            .findFirst()
            .orElse(null);

    /** Hook that a test build adds; called on the thread that reached the failpoint. */
    public interface FailpointHook {
        /** Handles a reached failpoint; may end the process. */
        void reached(Failpoint point, Object subject);
    }

    /** Reports to the hook that the node reached this failpoint. */
    public void reached(Object subject) {
        if (HOOK != null) {
            HOOK.reached(this, subject);
        }
    }
}
