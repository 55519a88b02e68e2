package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.quota.QuotaType;

/** What became of a submission. */
public sealed interface SubmissionResult {

    /**
     * It is stored and will run.
     *
     * @param id the execution
     * @param replayed whether it was stored before, by the same request
     */
    record SubmissionAccepted(ExecutionId id, boolean replayed) implements SubmissionResult {}

    /**
     * The script cannot be read; nothing is stored. Lines and columns count from 1; 0 when unknown.
     *
     * @param inTests whether it is the tests of the script that cannot be read
     */
    record InvalidScriptSyntax(String message, int line, int column, String codeFrame, boolean inTests)
            implements SubmissionResult {
        public InvalidScriptSyntax(String message, int line, int column, String codeFrame) {
            this(message, line, column, codeFrame, false);
        }
    }

    /** The script is too large; nothing is stored. Sizes in bytes. */
    record SubmissionTooLarge(String member, long size, long limit) implements SubmissionResult {}

    /** The idempotency key came with another request before; nothing is stored. */
    record SubmissionKeyReused() implements SubmissionResult {}

    /** The first request with this idempotency key is being stored right now; nothing else is. */
    record SubmissionInProgress() implements SubmissionResult {}

    /** The caller may not ask for this; nothing is stored. */
    record SubmissionForbidden(String reason) implements SubmissionResult {}

    /** There is no such execution to be run again; nothing is stored. */
    record OriginalExecutionNotFound() implements SubmissionResult {}

    /** What is to be run again has not ended; nothing is stored. */
    record OriginalNotFinished(ExecutionState state) implements SubmissionResult {}

    /** What was to be approved cannot be; nothing is stored. */
    record PlanNotApprovable(String reason) implements SubmissionResult {}

    /** There is no such version of a capability to be run; nothing is stored. */
    record CapabilityVersionNotFound(String name, Optional<String> version) implements SubmissionResult {}

    /** There is no script of that name to be run; nothing is stored. */
    record SavedScriptNotFound(String name) implements SubmissionResult {}

    /**
     * The script cannot be kept under the name that it is to have; nothing is stored.
     *
     * @param name what a script is called already
     * @param sameScript whether it is this one, so that it cannot have another name; otherwise the name is another's
     */
    record SavedScriptConflict(String name, boolean sameScript) implements SubmissionResult {}

    /** The capability has not the hash that the caller or the one who published it relies on; nothing is stored. */
    record IntegrityMismatch(String capability, String reason) implements SubmissionResult {}

    /** The arguments are not what the capability takes; nothing is stored. {@code pointer} is a JSON pointer into them. */
    record InvalidCapabilityArguments(String pointer, String reason) implements SubmissionResult {}

    /** As many of the tenant wait to begin as may; nothing is stored. */
    record TenantQueueFull(long limit) implements SubmissionResult {}

    /** The tenant takes up as much as it may; nothing is stored. */
    record TenantQuotaExceeded(QuotaType quota, long limit) implements SubmissionResult {}

    /** No sandbox can read the script now; nothing is stored. */
    record ScriptCheckUnavailable(String reason) implements SubmissionResult {}
}
