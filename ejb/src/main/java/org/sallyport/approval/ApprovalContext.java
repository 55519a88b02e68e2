package org.sallyport.approval;

import java.util.Optional;

/**
 * What people want to know beside a question before they decide it. It is as its execution's submitter, and whoever named his key,
 * wrote it: nothing follows from it.
 *
 * @param intent why the execution runs, when its submitter said so
 * @param requesterName what the key is called that submitted it; empty when there is no such key any more, or it was none
 */
public record ApprovalContext(Optional<String> intent, Optional<String> requesterName) {
    /** Nothing is known. */
    public static final ApprovalContext NONE = new ApprovalContext(Optional.empty(), Optional.empty());
}
