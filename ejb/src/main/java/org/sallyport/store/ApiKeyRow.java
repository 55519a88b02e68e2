package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.ApiKey;
import org.sallyport.access.Role;

/** A key. */
@Entity
@Table(name = "api_key")
@SuppressWarnings("NullAway.Init")
class ApiKeyRow {
    /** JPA converts no id attribute, so this one is encoded by hand. */
    @Id
    @Column(name = "id")
    String id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "name")
    @Convert(converter = LosslessTextConverter.class)
    String name;

    @Column(name = "hash")
    String hash;

    @Column(name = "roles")
    String roles;

    @Column(name = "expires_at")
    @Nullable Instant expiresAt;

    protected ApiKeyRow() {}

    ApiKeyRow(ApiKey key) {
        id = LosslessText.encode(key.id());
        tenant = key.tenant();
        name = key.name();
        hash = key.hash();
        roles = key.roles().stream().map(Role::name).sorted().collect(Collectors.joining(","));
        expiresAt = key.expiresAt().orElse(null);
    }

    ApiKey key() {
        Set<Role> parsed = roles.isEmpty()
                ? Set.of()
                : Arrays.stream(roles.split(",")).map(Role::valueOf).collect(Collectors.toSet());
        return new ApiKey(LosslessText.decode(id), tenant, name, hash, parsed, Optional.ofNullable(expiresAt));
    }
}
