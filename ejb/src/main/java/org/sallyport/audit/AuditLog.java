package org.sallyport.audit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the audit log. What is about to be done is stored before it is done, and what came of it afterwards: a deed without an
 * entry cannot be, an entry without a result says that nobody knows. Thread-safe.
 */
public final class AuditLog {
    /** Refusals of one actor that are written within a minute: nobody can fill the log with what he may not do. */
    static final int MAX_REFUSALS_PER_MINUTE = 20;

    /** Deeds of one actor that are let through and written within a minute: more than a person or a program that cleans up needs. */
    static final int MAX_ACTIONS_PER_MINUTE = 6_000;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MAX_ACTORS = 10_000;
    private static final int MAX_TEXT_LENGTH = 300;
    private static final int PURGE_BATCH_SIZE = 500;
    private static final Logger LOG = System.getLogger(AuditLog.class.getName());

    private final AuditStore store;
    private final Supplier<UUID> ids;
    private final LongSupplier nanos;
    private final Map<String, ActorActivity> actors = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ActorActivity> eldest) {
            return size() > MAX_ACTORS;
        }
    };

    /**
     * @param ids of UUIDs version 7
     * @param nanos a clock that nobody sets
     */
    public AuditLog(AuditStore store, Supplier<UUID> ids, LongSupplier nanos) {
        this.store = store;
        this.ids = ids;
        this.nanos = nanos;
    }

    /** What an actor did since when: deeds, refusals that were written, and refusals that were not. */
    private static final class ActorActivity {
        private long windowStart;
        private int actions;
        private int writtenRefusals;
        private long suppressedRefusals;
    }

    /**
     * Somebody who does something.
     *
     * @param tenant whose log it stands in
     * @param id of the caller; empty for somebody unknown
     */
    public record AuditActor(String tenant, String id, AuditEntry.AuditChannel channel, String address) {}

    /**
     * Stores what is about to be done; nothing must be done when this throws. {@link AuditRateLimitException} when the actor did too much
     * lately.
     */
    public AuditEntry recordStart(AuditActor actor, String action, String object) {
        checkRate(actor);
        AuditEntry entry = entry(actor, action, object);
        store.add(entry);
        return entry;
    }

    /** Stores what came of it. When that cannot be stored the entry stays without a result, which is the truth. */
    public void recordResult(AuditEntry entry, AuditResult result) {
        try {
            store.add(entry.tenant(), entry.id(), truncate(result));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the result of audit entry " + entry.id() + " could not be stored", e);
        }
    }

    /** Stores what was done already, or does not return. */
    public void recordDone(AuditActor actor, String action, String object) {
        store.add(entry(actor, action, object), new AuditResult(AuditResult.AuditOutcome.DONE, 0, "", ""));
    }

    /** Stores what was refused before anything began, unless too much was refused to this actor lately; never throws. */
    public void recordRefusal(AuditActor actor, String action, String object, int status) {
        recordRefusal(actor, action, object, status, "");
    }

    /** As {@link #recordRefusal(AuditActor, String, String, int)}, with the reason, which the actor was not told. */
    public void recordRefusal(AuditActor actor, String action, String object, int status, String reason) {
        try {
            admitRefusal(actor)
                    .ifPresent(untold -> store.add(
                            entry(actor, action, object),
                            new AuditResult(
                                    AuditResult.AuditOutcome.REFUSED,
                                    status,
                                    "",
                                    Stream.of(reason, untold == 0 ? "" : untold + " refusals before were not written")
                                            .filter(text -> !text.isEmpty())
                                            .collect(Collectors.joining("; ")))));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a refusal could not be stored in the audit log", e);
        }
    }

    private void checkRate(AuditActor actor) {
        synchronized (actors) {
            if (++activityOf(actor).actions > MAX_ACTIONS_PER_MINUTE) {
                throw new AuditRateLimitException(MAX_ACTIONS_PER_MINUTE);
            }
        }
    }

    private ActorActivity activityOf(AuditActor actor) {
        long now = nanos.getAsLong();
        // Of somebody unknown only the address tells anything, and that is cheap to change. Whoever has a link acts as
        // its maker, and
        // must not use up what is his.
        String door = actor.channel() == AuditEntry.AuditChannel.LINK ? "\nlink" : "";
        ActorActivity of = actors.computeIfAbsent(actor.tenant() + "\n" + actor.id() + door, key -> {
            ActorActivity fresh = new ActorActivity();
            fresh.windowStart = now;
            return fresh;
        });
        if (now - of.windowStart >= MINUTE.toNanos()) {
            of.windowStart = now;
            of.actions = 0;
            of.writtenRefusals = 0;
        }
        return of;
    }

    /** How many were not written before this one; empty when this one is not to be written. */
    private Optional<Long> admitRefusal(AuditActor actor) {
        synchronized (actors) {
            ActorActivity of = activityOf(actor);
            if (of.writtenRefusals == MAX_REFUSALS_PER_MINUTE) {
                of.suppressedRefusals++;
                return Optional.empty();
            }
            of.writtenRefusals++;
            long untold = of.suppressedRefusals;
            of.suppressedRefusals = 0;
            return Optional.of(untold);
        }
    }

    /** The tenant's entries, newest first. */
    public List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
        return store.list(tenant, filter, before, limit);
    }

    /** Deletes what is older than {@code age}, step by step. */
    public void purge(Duration age) {
        try {
            while (store.purge(age, PURGE_BATCH_SIZE) == PURGE_BATCH_SIZE) {
                Thread.onSpinWait();
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "old audit entries could not be deleted", e);
        }
    }

    private AuditEntry entry(AuditActor actor, String action, String object) {
        return new AuditEntry(
                ids.get(),
                actor.tenant(),
                actor.id(),
                actor.channel(),
                truncate(actor.address()),
                action,
                truncate(object));
    }

    private static AuditResult truncate(AuditResult result) {
        return new AuditResult(result.outcome(), result.status(), truncate(result.created()), truncate(result.note()));
    }

    private static String truncate(String text) {
        return text.length() > MAX_TEXT_LENGTH ? text.substring(0, MAX_TEXT_LENGTH) + "…" : text;
    }
}
