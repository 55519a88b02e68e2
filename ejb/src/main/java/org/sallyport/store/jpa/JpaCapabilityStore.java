package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/** Stores capabilities in the database. Thread-safe. */
public final class JpaCapabilityStore implements CapabilityStore {
    private static final int MAX_VERSIONS = 1_000;

    private static final String VERSIONS = """
            select c.version, c.language, c.description, c.hash, c.tools, c.publisher, c.publishedAt, \
            c.deprecatedAt from CapabilityEntity c
            where c.tenant = :tenant and c.name = :name order by c.publishedAt desc
            """;

    /** The text of a version has a hyphen if it is a pre-release, and only then. */
    private static final String STABLE_NAMES = """
            select distinct c.name from CapabilityEntity c where c.tenant = :tenant and c.name in :names
                and c.deprecatedAt is null and c.version not like '%-%'
            """;

    private static final String NAMES = """
            select distinct name from capability
            where tenant = ?1 and name > ?2
                and (cast(?3 as varchar) = '' or position(cast(?3 as varchar) in lower(name)) > 0
                    or position(cast(?3 as varchar) in lower(description)) > 0)
            order by name limit ?4
            """;

    private static final String DEPRECATE = """
            update capability set deprecated_at = current_timestamp, deprecation = ?4
            where tenant = ?1 and name = ?2 and version = ?3 and deprecated_at is null
            """;

    /** Ordered like the index. */
    private static final String RUNS = """
            select execution_id, version from capability_run where tenant = ?1 and name = ?2
            order by tenant, name, execution_id desc limit 100
            """;

    private static final String COMPLETED = """
            select e.id, e.state from execution e left join execution_input i on i.execution_id = e.id
            where e.state = 'COMPLETED' and (i.effects is null or i.effects not like '{"fixtures"%') and e.id in (
            """;

    private final Database database;

    public JpaCapabilityStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean publish(NewCapability capability) {
        try {
            return database.write(session -> {
                session.persist(new CapabilityEntity(capability));
                return true;
            });
        } catch (RuntimeException e) {
            if (SqlErrorClassifier.isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public Optional<Capability> find(String tenant, String name, SemanticVersion version) {
        return database.read(tenant, session -> findRow(session, tenant, name, version))
                .map(CapabilityEntity::toCapability);
    }

    private static Optional<CapabilityEntity> findRow(
            EntityManager session, String tenant, String name, SemanticVersion version) {
        return Optional.ofNullable(
                session.find(CapabilityEntity.class, new CapabilityEntity.CapabilityPrimaryKey(tenant, name, version)));
    }

    @Override
    public List<CapabilityVersionSummary> listVersions(String tenant, String name) {
        return database.read(
                tenant,
                session -> session.createQuery(VERSIONS, Object[].class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter("name", LosslessText.encode(name))
                        .setMaxResults(MAX_VERSIONS)
                        .getResultStream()
                        .map(JpaCapabilityStore::toVersionSummary)
                        .toList());
    }

    private static CapabilityVersionSummary toVersionSummary(@Nullable Object[] columns) {
        return new CapabilityVersionSummary(
                SemanticVersion.parse(text(columns[0])).orElseThrow(),
                (ScriptLanguage) Objects.requireNonNull(columns[1]),
                text(columns[2]),
                text(columns[3]),
                JsonColumnCodec.parseList((Json) Objects.requireNonNull(columns[4])),
                text(columns[5]),
                (Instant) Objects.requireNonNull(columns[6]),
                columns[7] != null);
    }

    private static String text(@Nullable Object column) {
        return (String) Objects.requireNonNull(column);
    }

    @Override
    public Set<String> findStableNames(String tenant, Collection<String> names) {
        return database.read(
                tenant,
                session -> session.createQuery(STABLE_NAMES, String.class)
                        .setParameter("tenant", LosslessText.encode(tenant))
                        .setParameter(
                                "names",
                                names.stream().map(LosslessText::encode).toList())
                        .getResultStream()
                        .map(LosslessText::decode)
                        .collect(Collectors.toSet()));
    }

    @Override
    @SuppressWarnings("unchecked")
    public List<String> searchNames(String tenant, String search, String after, int limit) {
        return database.read(tenant, session -> (List<String>) session.createNativeQuery(NAMES)
                .setParameter(1, LosslessText.encode(tenant))
                .setParameter(2, LosslessText.encode(after))
                .setParameter(3, LosslessText.encode(search.toLowerCase(Locale.ROOT)))
                .setParameter(4, limit)
                .getResultList());
    }

    @Override
    public List<ExecutionId> findCompletedRuns(String tenant, String name, SemanticVersion version, int limit) {
        return database.read(tenant, session -> {
            List<UUID> newest =
                    JpaBatchStore.selectRows(session, RUNS, LosslessText.encode(tenant), LosslessText.encode(name))
                            .stream()
                            .filter(row -> text(row[1]).equals(version.toString()))
                            .map(row -> JpaBatchStore.uuid(row[0]))
                            .toList();
            Set<UUID> completed = filterCompleted(session, newest);
            return newest.stream()
                    .filter(completed::contains)
                    .limit(limit)
                    .map(ExecutionId::new)
                    .toList();
        });
    }

    private static Set<UUID> filterCompleted(EntityManager session, List<UUID> runs) {
        if (runs.isEmpty()) {
            return Set.of();
        }
        String marks =
                IntStream.rangeClosed(1, runs.size()).mapToObj(i -> "?" + i).collect(Collectors.joining(", "));
        return JpaBatchStore.selectRows(session, COMPLETED + marks + ")", runs.toArray()).stream()
                .map(row -> JpaBatchStore.uuid(row[0]))
                .collect(Collectors.toSet());
    }

    @Override
    public boolean deprecate(String tenant, String name, SemanticVersion version, String reason) {
        return database.write(
                tenant,
                session -> session.createNativeQuery(DEPRECATE)
                                        .setParameter(1, LosslessText.encode(tenant))
                                        .setParameter(2, LosslessText.encode(name))
                                        .setParameter(3, version.toString())
                                        .setParameter(4, LosslessText.encode(reason))
                                        .executeUpdate()
                                == 1
                        || findRow(session, tenant, name, version).isPresent());
    }
}
