package org.sallyport.identity.token;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.ExternalSubject;

/** Blocked subjects in memory. */
final class InMemoryBlockedSubjectStore implements BlockedSubjectStore {
    private final List<BlockedSubject> kept = new ArrayList<>();

    @Override
    public synchronized BlockedSubject add(BlockedSubject blocked) {
        kept.add(blocked);
        return blocked;
    }

    @Override
    public synchronized boolean contains(String tenant, ExternalSubject subject) {
        return kept.stream()
                .anyMatch(each -> each.tenant().equals(tenant) && each.subject().equals(subject));
    }

    @Override
    public synchronized Optional<BlockedSubject> remove(String tenant, UUID id) {
        Optional<BlockedSubject> found =
                kept.stream().filter(each -> each.id().equals(id)).findFirst();
        found.ifPresent(kept::remove);
        return found;
    }

    @Override
    public synchronized List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
        return List.copyOf(kept);
    }
}
