package org.sallyport.failpoint;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** A place between two steps of which only one may have happened when the node dies there. Free of cost in what ships. */
public enum Failpoint {
    /** An execution is committed, its job not sent. The subject is its id. */
    ACCEPTED,
    /** A runner has claimed an execution; neither is it begun nor the job's message acknowledged. The subject is its id. */
    CLAIMED,
    /** A call that is not read-only is in the journal and not sent. The subject is its id. */
    CALL_JOURNALED,
    /** An execution that a call begins is committed, its job not sent. The subject is its id. */
    NESTED,
    /** A connector is about to be given a call. The subject is the call. */
    CALL_HEARD,
    /** A connector has answered, and the reply is not sent. The subject is the call. */
    CALL_MADE,
    /** A runner has heard a reply, and it is not in the journal. The subject is the call's ordinal. */
    REPLY_HEARD,
    /** An event is committed, and nobody is told of it. The subject is the fence of the run that emitted it. */
    EMITTED,
    /** A run is over, and nothing of that is committed. The subject is the run's fence. */
    ENDED,
    /** An execution of a schedule is written, that the schedule has seen to its time is not, and nothing of that is committed. The subject is its id. */
    FIRING,
    /** An execution has ended, and its callback is due and not sent. The subject is the execution's id. */
    CALLING_BACK,
    /** A callback was sent and perhaps answered, and what became of it is not recorded. The subject is its execution's id. */
    CALLED_BACK,
    /** What finished executions own is deleted, they themselves are not, and nothing of that is committed. The subject is their ids. */
    PURGING,
    /** What executions teach the tool graph is written, and nothing of that is committed. The subject is the id of the last of them. */
    LEARNING;

    /** From the class path alone: no setting leads here, so none can be abused. */
    private static final @Nullable FailpointHook HOOK = ServiceLoader.load(
                    FailpointHook.class, Failpoint.class.getClassLoader())
            .findFirst()
            .orElse(null);

    /** What a test build brings along; called on the thread that got there. */
    public interface FailpointHook {
        /** The node is at {@code point}; may end the process. */
        void reached(Failpoint point, Object subject);
    }

    /** The node is here. */
    public void reached(Object subject) {
        if (HOOK != null) {
            HOOK.reached(this, subject);
        }
    }
}
