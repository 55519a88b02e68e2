package org.sallyport.approval;

import java.util.Optional;

/**
 * Information that people see next to a question. The submitter of the execution and the person who named the key wrote
 * it; the service draws no conclusion from it.
 *
 * @param intent why the execution runs, when its submitter stated it
 * @param requesterName name of the key that submitted the execution; empty when that key no longer exists or the
 *     submitter had none
 */
public record ApprovalContext(Optional<String> intent, Optional<String> requesterName) {
    /** No information. */
    public static final ApprovalContext NONE = new ApprovalContext(Optional.empty(), Optional.empty());
}
