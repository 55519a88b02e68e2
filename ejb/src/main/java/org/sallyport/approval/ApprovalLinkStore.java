package org.sallyport.approval;

import java.util.Optional;
import java.util.UUID;

/**
 * Stores approval links. {@link ApprovalStore#vote} marks a link as used in the transaction of the vote that names it.
 * Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 */
public interface ApprovalLinkStore {

    /**
     * Adds a link and removes the links of the same approval that expired more than a day ago without being used.
     *
     * @param ofMaker maximum number of valid links of one creator for the approval
     * @param maxLinks maximum number of valid links for the approval
     * @return whether the link was added; false when a maximum is reached
     */
    boolean add(ApprovalLink link, int ofMaker, int maxLinks);

    /** Returns a stored link, whether it is valid or not. */
    Optional<ApprovalLink> find(UUID id);

    /** Revokes a link with immediate effect. Returns whether the approval of this tenant had it. */
    boolean remove(String tenant, UUID approval, UUID id);
}
