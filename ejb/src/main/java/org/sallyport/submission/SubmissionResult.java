package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import org.sallyport.capability.MissingTool;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.quota.QuotaType;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.UnsetVariable;

/** Outcome of a submission. */
public sealed interface SubmissionResult {

    /**
     * The execution is stored and will run.
     *
     * @param id the execution
     * @param replayed whether an earlier request with the same idempotency key stored it
     */
    record SubmissionAccepted(ExecutionId id, boolean replayed) implements SubmissionResult {}

    /**
     * The store did not answer, so it is unknown whether the execution is stored, now or later. If it is, it will run.
     *
     * @param id the execution, if it is stored
     */
    record SubmissionOutcomeUnknown(ExecutionId id) implements SubmissionResult {}

    /**
     * The script has a syntax error; nothing is stored. Lines and columns count from 1; 0 when unknown.
     *
     * @param inTests whether the error is in the tests of the script
     */
    record InvalidScriptSyntax(String message, int line, int column, String codeFrame, boolean inTests)
            implements SubmissionResult {
        public InvalidScriptSyntax(String message, int line, int column, String codeFrame) {
            this(message, line, column, codeFrame, false);
        }

        /** Returns whether a script that was accepted before is not at fault: only a failed check has no line. */
        boolean isOfFailedCheck() {
            return line == 0;
        }
    }

    /** A member is too large; nothing is stored. Sizes in bytes. */
    record SubmissionTooLarge(String member, long size, long limit) implements SubmissionResult {}

    /** An earlier, different request used this idempotency key; nothing is stored. */
    record SubmissionKeyReused() implements SubmissionResult {}

    /** The first request with this idempotency key is being stored right now; this request stores nothing. */
    record SubmissionInProgress() implements SubmissionResult {}

    /** The caller lacks the right to request this; nothing is stored. */
    record SubmissionForbidden(String reason) implements SubmissionResult {}

    /** The execution to re-run does not exist; nothing is stored. */
    record OriginalExecutionNotFound() implements SubmissionResult {}

    /** The execution to re-run has not ended; nothing is stored. */
    record OriginalNotFinished(ExecutionState state) implements SubmissionResult {}

    /** The plan cannot be approved; nothing is stored. */
    record PlanNotApprovable(String reason) implements SubmissionResult {}

    /** The version of the capability does not exist; nothing is stored. */
    record CapabilityVersionNotFound(String name, Optional<String> version) implements SubmissionResult {}

    /** The saved script does not exist; nothing is stored. */
    record SavedScriptNotFound(String name) implements SubmissionResult {}

    /**
     * The script cannot be saved under the requested name; nothing is stored.
     *
     * @param name the name that is already in use
     * @param sameScript true when this script already has {@code name}; false when another script has it
     */
    record SavedScriptConflict(String name, boolean sameScript) implements SubmissionResult {}

    /** The capability does not have the hash that the client or the publisher relies on; nothing is stored. */
    record IntegrityMismatch(String capability, String reason) implements SubmissionResult {}

    /**
     * The arguments violate the capability's input schema; nothing is stored. {@code pointer} is a JSON pointer into
     * them.
     */
    record InvalidCapabilityArguments(String pointer, String reason) implements SubmissionResult {}

    /** Variables that the capability declares have no value; nothing is stored. */
    record VariablesNotSet(String capability, List<UnsetVariable> unset) implements SubmissionResult {
        public VariablesNotSet {
            unset = List.copyOf(unset);
        }

        /** Returns whether another node, or this one after a restart, may accept the same submission. */
        boolean isTransient() {
            return new PinResult.VariablesUnset(unset).isTransient();
        }
    }

    /** The variables that the capability declares have together more than {@code maxChars} characters. */
    record VariablesTooLarge(String capability, int maxChars) implements SubmissionResult {}

    /** Tools that the capability needs do not exist; nothing is stored. */
    record ToolsMissing(String capability, List<MissingTool> missing) implements SubmissionResult {
        public ToolsMissing {
            missing = List.copyOf(missing);
        }
    }

    /** The installation does not run the capability in the sandbox that it asks for; nothing is stored. */
    record SandboxNotAllowed(String capability, String reason) implements SubmissionResult {}

    /** The tenant has reached its quota of executions that wait to start; nothing is stored. */
    record TenantQueueFull(long limit) implements SubmissionResult {}

    /** The tenant has reached a quota; nothing is stored. */
    record TenantQuotaExceeded(QuotaType quota, long limit) implements SubmissionResult {}

    /** No sandbox can check the script now; nothing is stored. */
    record ScriptCheckUnavailable(String reason) implements SubmissionResult {}
}
