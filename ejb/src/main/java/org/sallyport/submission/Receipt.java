package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.quota.Quota;

/** What became of a submission. */
public sealed interface Receipt {

    /**
     * It is stored and will run.
     *
     * @param id the execution
     * @param replayed whether it was stored before, by the same request
     */
    record Accepted(ExecutionId id, boolean replayed) implements Receipt {}

    /**
     * The script cannot be read; nothing is stored. Lines and columns count from 1; 0 when unknown.
     *
     * @param inTests whether it is the tests of the script that cannot be read
     */
    record BadSyntax(String message, int line, int column, String codeFrame, boolean inTests) implements Receipt {
        public BadSyntax(String message, int line, int column, String codeFrame) {
            this(message, line, column, codeFrame, false);
        }
    }

    /** The script is too large; nothing is stored. Sizes in bytes. */
    record TooLarge(String member, long size, long limit) implements Receipt {}

    /** The idempotency key came with another request before; nothing is stored. */
    record KeyReused() implements Receipt {}

    /** The first request with this idempotency key is being stored right now; nothing else is. */
    record InProgress() implements Receipt {}

    /** The caller may not ask for this; nothing is stored. */
    record Forbidden(String reason) implements Receipt {}

    /** There is no such execution to be run again; nothing is stored. */
    record NoOriginal() implements Receipt {}

    /** What is to be run again has not ended; nothing is stored. */
    record NotEnded(ExecutionState state) implements Receipt {}

    /** What was to be approved cannot be; nothing is stored. */
    record NotApprovable(String reason) implements Receipt {}

    /** There is no such version of a capability to be run; nothing is stored. */
    record NoCapability(String name, Optional<String> version) implements Receipt {}

    /** There is no script of that name to be run; nothing is stored. */
    record NoScript(String name) implements Receipt {}

    /**
     * The script cannot be kept under the name that it is to have; nothing is stored.
     *
     * @param name what a script is called already
     * @param same whether it is this one, so that it cannot have another name; otherwise the name is another's
     */
    record ScriptExists(String name, boolean same) implements Receipt {}

    /** The capability has not the hash that the caller or the one who published it relies on; nothing is stored. */
    record OtherIntegrity(String capability, String reason) implements Receipt {}

    /** The arguments are not what the capability takes; nothing is stored. {@code pointer} is a JSON pointer into them. */
    record InvalidArguments(String pointer, String reason) implements Receipt {}

    /** As many of the tenant wait to begin as may; nothing is stored. */
    record QueueFull(long most) implements Receipt {}

    /** The tenant takes up as much as it may; nothing is stored. */
    record OverQuota(Quota quota, long most) implements Receipt {}

    /** No sandbox can read the script now; nothing is stored. */
    record Unavailable(String reason) implements Receipt {}
}
