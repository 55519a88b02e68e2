package org.sallyport.access;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where it is kept whose tokens are not taken. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when it
 * does not answer.
 */
public interface BlockedSubjectStore {

    /** Adds one; the one that is there when the tenant has blocked this subject already. */
    BlockedSubject add(BlockedSubject blocked);

    /** Whether the tenant has blocked the subject. */
    boolean contains(String tenant, ExternalSubject subject);

    /** Forgets one; the one that it was, if it was this tenant's. */
    Optional<BlockedSubject> remove(String tenant, UUID id);

    /** The tenant's, newest first. */
    List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit);
}
