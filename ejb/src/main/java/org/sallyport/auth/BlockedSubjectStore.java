package org.sallyport.auth;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores blocked subjects. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when the store
 * does not answer.
 */
public interface BlockedSubjectStore {

    /** Adds a block. Returns the existing one when the tenant has already blocked this subject. */
    BlockedSubject add(BlockedSubject blocked);

    /** Returns whether the tenant has blocked the subject. */
    boolean contains(String tenant, ExternalSubject subject);

    /** Removes a block. Returns the removed block; empty when this tenant had no such block. */
    Optional<BlockedSubject> remove(String tenant, UUID id);

    /** Returns the tenant's blocked subjects, newest first. */
    List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit);
}
