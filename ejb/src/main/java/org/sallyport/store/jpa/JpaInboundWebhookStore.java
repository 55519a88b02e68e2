package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhook.WebhookUse;
import org.sallyport.webhook.InboundWebhookStore;

/** Stores inbound webhooks in the database. Thread-safe. */
public final class JpaInboundWebhookStore implements InboundWebhookStore {
    private static final String COUNT = "select count(w) from InboundWebhookEntity w where w.tenant = :tenant";
    private static final String OF_TENANT = "select w from InboundWebhookEntity w where w.tenant = :tenant";
    private static final String NAMED = COUNT + " and w.name = :name";
    private static final String BY_TOKEN_HASH = "select w from InboundWebhookEntity w where w.tokenHash = :hash";

    private static final String BOUND_DELIVERY = "select s.deliveryId from InboundWebhookSignatureEntity s"
            + " where s.webhookId = :webhook and s.signatureHash = :hash";
    private static final String DELETE_EXPIRED =
            "delete from InboundWebhookSignatureEntity s where s.webhookId = :webhook and s.expiresAt < :now";

    private final Database database;

    public JpaInboundWebhookStore(Database database) {
        this.database = database;
    }

    @Override
    public WebhookAddResult add(InboundWebhook webhook, int maxWebhooks) {
        try {
            return database.write(webhook.tenant(), session -> {
                long sameName = session.createQuery(NAMED, Long.class)
                        .setParameter("tenant", webhook.tenant())
                        .setParameter("name", webhook.name())
                        .getSingleResult();
                if (sameName > 0) {
                    return WebhookAddResult.NAME_TAKEN;
                }
                long count = session.createQuery(COUNT, Long.class)
                        .setParameter("tenant", webhook.tenant())
                        .getSingleResult();
                if (count >= maxWebhooks) {
                    return WebhookAddResult.TOO_MANY;
                }
                session.persist(new InboundWebhookEntity(webhook));
                return WebhookAddResult.ADDED;
            });
        } catch (RuntimeException e) {
            if (SqlErrorClassifier.isDuplicate(e)) {
                return WebhookAddResult.NAME_TAKEN;
            }
            throw e;
        }
    }

    @Override
    public List<InboundWebhook> list(String tenant) {
        // Sorted here, because databases order UUIDs differently.
        return database.read(
                tenant,
                session -> session.createQuery(OF_TENANT, InboundWebhookEntity.class)
                        .setParameter("tenant", tenant)
                        .getResultStream()
                        .map(InboundWebhookEntity::toInboundWebhook)
                        .sorted((one, other) ->
                                one.id().toString().compareTo(other.id().toString()))
                        .toList());
    }

    @Override
    public Optional<InboundWebhook> find(String tenant, UUID id) {
        return database.read(
                tenant,
                session -> Optional.ofNullable(session.find(InboundWebhookEntity.class, id))
                        .filter(row -> row.tenant.equals(tenant))
                        .map(InboundWebhookEntity::toInboundWebhook));
    }

    @Override
    public Optional<InboundWebhook> findByTokenHash(String tokenHash) {
        return database.read(session -> session.createQuery(BY_TOKEN_HASH, InboundWebhookEntity.class)
                .setParameter("hash", tokenHash)
                .getResultStream()
                .findFirst()
                .map(InboundWebhookEntity::toInboundWebhook));
    }

    @Override
    public boolean setEnabled(String tenant, UUID id, boolean enabled) {
        return database.write(tenant, session -> {
            InboundWebhookEntity row = lock(session, tenant, id);
            if (row != null) {
                row.enabled = enabled;
            }
            return row != null;
        });
    }

    @Override
    public boolean remove(String tenant, UUID id) {
        return database.write(tenant, session -> {
            InboundWebhookEntity row = lock(session, tenant, id);
            if (row != null) {
                session.remove(row);
            }
            return row != null;
        });
    }

    @Override
    public boolean bindSignature(
            InboundWebhook webhook, String signatureHash, String deliveryId, Instant now, Instant expiresAt) {
        return database.writeWithDuplicateRetry(webhook.tenant(), session -> {
            session.createQuery(DELETE_EXPIRED)
                    .setParameter("webhook", webhook.id())
                    .setParameter("now", now)
                    .executeUpdate();
            List<String> bound = session.createQuery(BOUND_DELIVERY, String.class)
                    .setParameter("webhook", webhook.id())
                    .setParameter("hash", signatureHash)
                    .getResultList();
            if (!bound.isEmpty()) {
                return bound.get(0).equals(deliveryId);
            }
            if (session.find(InboundWebhookEntity.class, webhook.id()) == null) {
                return false;
            }
            session.persist(new InboundWebhookSignatureEntity(webhook.id(), signatureHash, deliveryId, expiresAt));
            return true;
        });
    }

    @Override
    public void recordUse(InboundWebhook webhook, WebhookUse use, Instant recordedAfter) {
        boolean recorded = webhook.lastUse()
                .filter(last -> last.result().equals(use.result()) && last.at().isAfter(recordedAfter))
                .isPresent();
        if (recorded) {
            return;
        }
        database.write(webhook.tenant(), session -> {
            InboundWebhookEntity row = lock(session, webhook.tenant(), webhook.id());
            if (row != null) {
                row.setLastUse(use);
            }
            return row != null;
        });
    }

    private static @Nullable InboundWebhookEntity lock(EntityManager session, String tenant, UUID id) {
        InboundWebhookEntity row = session.find(InboundWebhookEntity.class, id, LockModeType.PESSIMISTIC_WRITE);
        return row != null && row.tenant.equals(tenant) ? row : null;
    }
}
