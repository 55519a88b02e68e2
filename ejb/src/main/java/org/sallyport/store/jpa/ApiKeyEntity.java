package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.tool.Json;

/** An API key. */
@Entity
@Table(name = "api_key")
@SuppressWarnings("NullAway.Init")
class ApiKeyEntity {
    /**
     * In the encoding of {@link LosslessText}, which this class applies itself because JPA converts no id attribute.
     */
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

    /** Null means every tool. */
    @Column(name = "grants")
    @Convert(converter = JsonConverter.class)
    @Nullable Json grants;

    @Column(name = "expires_at")
    @Nullable Instant expiresAt;

    /** Written only by SQL statements, because code that changes a key does not know when it was used. */
    @Column(name = "last_used_at", insertable = false, updatable = false)
    @Nullable Instant lastUsedAt;

    protected ApiKeyEntity() {}

    ApiKeyEntity(ApiKey key) {
        id = LosslessText.encode(key.id());
        tenant = key.tenant();
        name = key.name();
        hash = key.hash();
        roles = key.roles().stream().map(Role::name).sorted().collect(Collectors.joining(","));
        grants = JsonColumnCodec.ofList(key.grants());
        expiresAt = key.expiresAt().orElse(null);
    }

    /** Returns when the key was last used. The key must have been used. */
    Instant lastUse() {
        return Objects.requireNonNull(lastUsedAt);
    }

    ApiKey toApiKey() {
        Set<Role> parsed = roles.isEmpty()
                ? Set.of()
                : Arrays.stream(roles.split(",")).map(Role::valueOf).collect(Collectors.toSet());
        List<String> granted = grants == null ? Caller.EVERY_TOOL : JsonColumnCodec.parseList(grants);
        return new ApiKey(LosslessText.decode(id), tenant, name, hash, parsed, granted, Optional.ofNullable(expiresAt));
    }
}
