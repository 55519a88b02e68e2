package org.sallyport.approval;

import java.util.Optional;
import java.util.UUID;

/**
 * Where links live. One is used up by {@link ApprovalStore#vote} with a ballot that names it, in the same transaction. Throws {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ApprovalLinkStore {

    /**
     * Adds a link, and forgets those of its approval that were over a day ago without having counted.
     *
     * @param ofMaker how many that count the approval may have of one maker
     * @param most how many of all
     * @return whether it was added: not when there are as many
     */
    boolean add(ApprovalLink link, int ofMaker, int most);

    /** One that is known, whether it counts or not. */
    Optional<ApprovalLink> find(UUID id);

    /** Has a link count no more, from the return on; whether the approval of this tenant had it. */
    boolean remove(String tenant, UUID approval, UUID id);
}
