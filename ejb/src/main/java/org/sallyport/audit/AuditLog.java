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
    static final int REFUSALS = 20;

    /** Deeds of one actor that are let through and written within a minute: more than a person or a program that cleans up needs. */
    static final int DEEDS = 6_000;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int ACTORS = 10_000;
    private static final int LONGEST = 300;
    private static final int STEP = 500;
    private static final Logger LOG = System.getLogger(AuditLog.class.getName());

    private final AuditStore store;
    private final Supplier<UUID> ids;
    private final LongSupplier nanos;
    private final Map<String, Lately> actors = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Lately> eldest) {
            return size() > ACTORS;
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
    private static final class Lately {
        private long since;
        private int deeds;
        private int written;
        private long untold;
    }

    /**
     * Somebody who does something.
     *
     * @param tenant whose log it stands in
     * @param id of the caller; empty for somebody unknown
     */
    public record Actor(String tenant, String id, AuditEntry.Door door, String address) {}

    /**
     * Stores what is about to be done; nothing must be done when this throws. {@link TooManyDeedsException} when the actor did too much
     * lately.
     */
    public AuditEntry begin(Actor actor, String action, String object) {
        count(actor);
        AuditEntry entry = entry(actor, action, object);
        store.add(entry);
        return entry;
    }

    /** Stores what came of it. When that cannot be stored the entry stays without a result, which is the truth. */
    public void end(AuditEntry entry, AuditResult result) {
        try {
            store.add(entry.tenant(), entry.id(), bounded(result));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the result of audit entry " + entry.id() + " could not be stored", e);
        }
    }

    /** Stores what was done already, or does not return. */
    public void done(Actor actor, String action, String object) {
        store.add(entry(actor, action, object), new AuditResult(AuditResult.Kind.DONE, 0, "", ""));
    }

    /** Stores what was refused before anything began, unless too much was refused to this actor lately; never throws. */
    public void refused(Actor actor, String action, String object, int status) {
        refused(actor, action, object, status, "");
    }

    /** As {@link #refused(Actor, String, String, int)}, with the reason, which the actor was not told. */
    public void refused(Actor actor, String action, String object, int status, String reason) {
        try {
            toldOf(actor)
                    .ifPresent(untold -> store.add(
                            entry(actor, action, object),
                            new AuditResult(
                                    AuditResult.Kind.REFUSED,
                                    status,
                                    "",
                                    Stream.of(reason, untold == 0 ? "" : untold + " refusals before were not written")
                                            .filter(text -> !text.isEmpty())
                                            .collect(Collectors.joining("; ")))));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a refusal could not be stored in the audit log", e);
        }
    }

    private void count(Actor actor) {
        synchronized (actors) {
            if (++lately(actor).deeds > DEEDS) {
                throw new TooManyDeedsException(DEEDS);
            }
        }
    }

    private Lately lately(Actor actor) {
        long now = nanos.getAsLong();
        // Of somebody unknown only the address tells anything, and that is cheap to change. Whoever has a link acts as
        // its maker, and
        // must not use up what is his.
        String door = actor.door() == AuditEntry.Door.LINK ? "\nlink" : "";
        Lately of = actors.computeIfAbsent(actor.tenant() + "\n" + actor.id() + door, key -> {
            Lately fresh = new Lately();
            fresh.since = now;
            return fresh;
        });
        if (now - of.since >= MINUTE.toNanos()) {
            of.since = now;
            of.deeds = 0;
            of.written = 0;
        }
        return of;
    }

    /** How many were not written before this one; empty when this one is not to be written. */
    private Optional<Long> toldOf(Actor actor) {
        synchronized (actors) {
            Lately of = lately(actor);
            if (of.written == REFUSALS) {
                of.untold++;
                return Optional.empty();
            }
            of.written++;
            long untold = of.untold;
            of.untold = 0;
            return Optional.of(untold);
        }
    }

    /** The tenant's entries, newest first. */
    public List<AuditRecord> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
        return store.list(tenant, filter, before, limit);
    }

    /** Deletes what is older than {@code age}, step by step. */
    public void purge(Duration age) {
        try {
            while (store.purge(age, STEP) == STEP) {
                Thread.onSpinWait();
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "old audit entries could not be deleted", e);
        }
    }

    private AuditEntry entry(Actor actor, String action, String object) {
        return new AuditEntry(
                ids.get(), actor.tenant(), actor.id(), actor.door(), bounded(actor.address()), action, bounded(object));
    }

    private static AuditResult bounded(AuditResult result) {
        return new AuditResult(result.kind(), result.status(), bounded(result.made()), bounded(result.note()));
    }

    private static String bounded(String text) {
        return text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
    }
}
