package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.Role;

/** Knows the keys of owners: two that may submit, of different tenants, and one that may not. */
final class OwnerKeyStore implements ApiKeyStore {
    @Override
    public Optional<ApiKey> find(String id) {
        return switch (id) {
            case "key" -> Optional.of(key(id, "acme", Role.SUBMITTER));
            case "other-key" -> Optional.of(key(id, "other", Role.SUBMITTER));
            case "reading-key" -> Optional.of(key(id, "acme", Role.AUDITOR));
            default -> Optional.empty();
        };
    }

    private static ApiKey key(String id, String tenant, Role role) {
        return new ApiKey(id, tenant, "owner", "hash", Set.of(role), Optional.empty());
    }

    @Override
    public void put(ApiKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean replaceGrants(String tenant, String id, List<String> grants) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean remove(String tenant, String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ApiKey> list(String tenant) {
        throw new UnsupportedOperationException();
    }
}
