package org.sallyport.audit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.cache.RecentEntries;

/**
 * Writes the audit log. Stores an entry before the action and its result afterwards. Thus no action lacks an entry, and
 * an entry without a result means that the result is unknown. Thread-safe.
 */
public final class AuditLog {
    /**
     * Maximum number of refusals of one actor that are written per minute, so that an actor cannot fill the log with
     * refused requests.
     */
    static final int MAX_REFUSALS_PER_MINUTE = 20;

    /**
     * Maximum number of actions of one actor that are admitted and written per minute; more than a person or a cleanup
     * program needs.
     */
    static final int MAX_ACTIONS_PER_MINUTE = 6_000;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MAX_ACTORS = 10_000;
    private static final int MAX_TEXT_LENGTH = 300;
    private static final int PURGE_BATCH_SIZE = 500;
    private static final Logger LOG = System.getLogger(AuditLog.class.getName());

    private final AuditStore store;
    private final Supplier<UUID> ids;
    private final LongSupplier nanos;
    /** Its lock guards the values, too. */
    private final RecentEntries<String, ActorActivity> actors = new RecentEntries<>(MAX_ACTORS);

    /**
     * @param ids supplies UUIDs version 7
     * @param nanos a monotonic clock, in nanoseconds
     */
    public AuditLog(AuditStore store, Supplier<UUID> ids, LongSupplier nanos) {
        this.store = store;
        this.ids = ids;
        this.nanos = nanos;
    }

    /** Recent activity of one actor: its actions, its written refusals and its unwritten refusals. */
    private static final class ActorActivity {
        private long windowStart;
        private int actions;
        private int writtenRefusals;
        private long suppressedRefusals;

        ActorActivity(long windowStart) {
            this.windowStart = windowStart;
        }
    }

    /**
     * The actor of an action.
     *
     * @param tenant the tenant whose log holds the entry
     * @param id id of the caller; empty for an unknown caller
     */
    public record AuditActor(String tenant, String id, AuditEntry.AuditChannel channel, String address) {}

    /**
     * Stores the entry of an action before the action. The caller must not act when this throws. Throws
     * {@link AuditRateLimitException} when the actor did too much lately.
     */
    public AuditEntry recordStart(AuditActor actor, String action, String object) {
        checkRate(actor);
        AuditEntry entry = entry(actor, action, object);
        store.add(entry);
        return entry;
    }

    /**
     * Stores the result of an action. When that fails, the entry stays without a result, which means that the result is
     * unknown.
     */
    public void recordResult(AuditEntry entry, AuditResult result) {
        try {
            store.add(entry.tenant(), entry.id(), truncate(result));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the result of audit entry " + entry.id() + " could not be stored", e);
        }
    }

    /** Stores an action that is already done. Throws when the entry cannot be stored. */
    public void recordDone(AuditActor actor, String action, String object) {
        store.add(entry(actor, action, object), new AuditResult(AuditResult.AuditOutcome.DONE, 0, "", ""));
    }

    /**
     * Stores a refusal of a request before any action began, unless this actor had too many refusals lately. Never
     * throws.
     */
    public void recordRefusal(AuditActor actor, String action, String object, int status) {
        recordRefusal(actor, action, object, status, "");
    }

    /**
     * Stores a refusal like {@link #recordRefusal(AuditActor, String, String, int)}, with a reason that was not
     * disclosed to the actor.
     */
    public void recordRefusal(AuditActor actor, String action, String object, int status, String reason) {
        try {
            admitRefusal(actor)
                    .ifPresent(untold -> store.add(
                            entry(actor, action, object),
                            new AuditResult(
                                    AuditResult.AuditOutcome.REFUSED,
                                    status,
                                    "",
                                    Stream.of(
                                                    truncate(reason),
                                                    untold == 0 ? "" : untold + " earlier refusals were not recorded")
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
        // An unknown actor is counted without its address, which is cheap to change, but for each channel, so that
        // guesses at one do not hide those at another. The holder of a link acts as the link's creator and must not
        // exhaust the creator's allowance.
        boolean apart = actor.id().isEmpty() || actor.channel() == AuditEntry.AuditChannel.LINK;
        String suffix = apart ? "\n" + actor.channel() : "";
        ActorActivity of = actors.update(
                actor.tenant() + "\n" + actor.id() + suffix,
                (key, known) -> known == null ? new ActorActivity(now) : known);
        if (now - of.windowStart >= MINUTE.toNanos()) {
            of.windowStart = now;
            of.actions = 0;
            of.writtenRefusals = 0;
        }
        return of;
    }

    /** Returns the number of refusals that were suppressed before this one. Empty when this one must not be written. */
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

    /** Returns the tenant's entries, newest first. */
    public List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
        return store.list(tenant, filter, before, limit);
    }

    /** Deletes entries older than {@code age}, in batches. */
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
