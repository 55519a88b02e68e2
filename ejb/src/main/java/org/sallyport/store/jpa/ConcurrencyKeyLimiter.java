package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/**
 * Limits how many executions of a tenant with the same concurrency key run at a time. A turn is a row of {@code
 * concurrency_turn} in status {@code GRANTED}. An execution acquires a turn before or with its first claim and keeps it
 * until it has ended, even if its node dies or the execution is parked. One transaction at a time grants the turns of a
 * key.
 */
final class ConcurrencyKeyLimiter {
    private static final int LOCK_SLOTS = 16;

    private static final String FIND_AWAITED_KEY = """
            select tenant, concurrency_key from execution
            where id = ?1 and awaits_turn = true and state = 'PENDING'
                and (not_before is null or not_before <= current_timestamp)
                and (ends_by is null or ends_by > current_timestamp)
            """;

    private static final String LOCK_SLOT = "select slot from concurrency_lock where slot = ?1 for update";

    private static final String DELETE_ENDED = """
            delete from concurrency_turn where tenant = ?1 and name = ?2 and status = ?3
                and exists (select 1 from execution e where e.id = execution_id and e.finished_at is not null)
            """;

    private static final String COUNT_GRANTED =
            "select count(*) from concurrency_turn where tenant = ?1 and name = ?2 and status = 'GRANTED'";

    /**
     * Counts the unfinished executions that wait for the key and come before execution ?3: higher priority, or equal
     * priority and lower id. The count stops at ?4.
     */
    private static final String COUNT_AHEAD = """
            select count(*) from (
                select t.execution_id from concurrency_turn t join concurrency_turn m on m.execution_id = ?3
                where t.tenant = ?1 and t.name = ?2 and t.status = 'WAITING' and t.execution_id <> m.execution_id
                    and (t.priority > m.priority or (t.priority = m.priority and t.execution_id < m.execution_id))
                    and exists (select 1 from execution e where e.id = t.execution_id and e.finished_at is null)
                limit ?4) ahead
            """;

    private static final String FIND_WAITING = """
            select e.id, e.tenant, e.priority, e.attempt from concurrency_turn t join execution e on e.id = \
            t.execution_id
            where t.tenant = ?1 and t.name = ?2 and t.status = 'WAITING' and e.state = 'PENDING'
                and (e.ends_by is null or e.ends_by > current_timestamp)
            order by t.tenant, t.name, t.status, t.priority desc, t.execution_id limit ?3
            """;

    private static final String GRANT_TURN = "update concurrency_turn set status = 'GRANTED' where execution_id = ?1";

    /**
     * Changes {@code NEW} only: another transaction may have granted the turn after {@link #findAwaitedKey} read the
     * execution.
     */
    private static final String SET_WAITING =
            "update concurrency_turn set status = 'WAITING' where execution_id = ?1 and status = 'NEW'";

    /**
     * From now on any node may claim the execution. Its job counts as lost if no node does so within ?2 milliseconds.
     */
    private static final String ALLOW_CLAIM = """
            update execution set awaits_turn = false,
                next_check_at = current_timestamp + cast(?2 as bigint) * interval '0.001' second
            where id = ?1 and state = 'PENDING' and awaits_turn = true
            """;

    /**
     * The job of a waiting execution is sent when its turn is granted. This later check is the fallback in case that
     * fails.
     */
    private static final String POSTPONE_CHECK = """
            update execution set next_check_at = current_timestamp + interval '15' minute
            where id = ?1 and state = 'PENDING' and awaits_turn = true
            """;

    /** Finds keys that have waiting executions and fewer than ?1 unfinished holders. */
    private static final String FIND_GRANTABLE_KEYS = """
            select t.tenant, t.name from
                (select distinct tenant, name from concurrency_turn where status = 'WAITING') t
            where (select count(*) from concurrency_turn h join execution e on e.id = h.execution_id
                where h.tenant = t.tenant and h.name = t.name and h.status = 'GRANTED' and e.finished_at is null) < ?1
            limit ?2
            """;

    private static final String FIND_HOLDERS = """
            select h.execution_id from concurrency_turn w
                join concurrency_turn h on h.tenant = w.tenant and h.name = w.name
                join execution e on e.id = h.execution_id
            where w.execution_id = ?1 and w.tenant = ?2 and w.status <> 'GRANTED' and h.status = 'GRANTED'
                and e.finished_at is null
            order by h.execution_id
            """;

    private final int maxPerKey;
    private final long overdueAfterMillis;

    /**
     * @param maxPerKey maximum number of executions of a tenant and key that hold a turn at the same time
     * @param againMillis milliseconds after the grant of a turn until an execution that no node has claimed is overdue
     */
    ConcurrencyKeyLimiter(int maxPerKey, long againMillis) {
        this.maxPerKey = maxPerKey;
        this.overdueAfterMillis = againMillis;
    }

    /** A tenant and a concurrency key, both in the encoding of {@link LosslessText}. */
    record ConcurrencyKey(String tenant, String name) {}

    /**
     * Returns the key whose turn the execution waits for. Empty if it waits for no turn, is not pending, may not start
     * yet, or is past its deadline.
     */
    static Optional<ConcurrencyKey> findAwaitedKey(EntityManager session, ExecutionId id) {
        return JpaBatchStore.selectRows(session, FIND_AWAITED_KEY, id.value()).stream()
                .findFirst()
                .map(ConcurrencyKeyLimiter::toKey);
    }

    private static ConcurrencyKey toKey(@Nullable Object[] row) {
        return new ConcurrencyKey(JpaBatchStore.text(row[0]), JpaBatchStore.text(row[1]));
    }

    /**
     * Grants the turn and claims the execution if the key has a free turn and no waiting execution that comes first.
     * Otherwise returns empty; {@link #grantTurns} returns the job of the execution when a turn becomes free.
     */
    Optional<ClaimedExecution> claim(EntityManager session, ConcurrencyKey key, ExecutionId id, String node) {
        long taken = lockAndCountHolders(session, key)
                + count(session, COUNT_AHEAD, key.tenant(), key.name(), id.value(), maxPerKey);
        if (taken < maxPerKey && grantTurn(session, id.value())) {
            return ExecutionQueries.claim(session, id, node);
        }
        if (taken >= maxPerKey) {
            JpaBatchStore.nativeQuery(session, SET_WAITING, id.value()).executeUpdate();
            JpaBatchStore.nativeQuery(session, POSTPONE_CHECK, id.value()).executeUpdate();
        }
        return Optional.empty();
    }

    /** Grants the free turns of the key to waiting executions and returns their jobs. Empty if there are none. */
    List<ExecutionJob> grantTurns(EntityManager session, ConcurrencyKey key) {
        long free = maxPerKey - lockAndCountHolders(session, key);
        if (free <= 0) {
            return List.of();
        }
        List<ExecutionJob> jobs = new ArrayList<>();
        List<@Nullable Object[]> waiting =
                JpaBatchStore.selectRows(session, FIND_WAITING, key.tenant(), key.name(), (int) free);
        for (@Nullable Object[] row : waiting) {
            UUID id = JpaBatchStore.uuid(row[0]);
            if (grantTurn(session, id)) {
                jobs.add(new ExecutionJob(
                        new ExecutionId(id),
                        LosslessText.decode(JpaBatchStore.text(row[1])),
                        JpaBatchStore.number(row[2]),
                        JpaBatchStore.number(row[3])));
            }
        }
        if (jobs.size() < free) {
            // No execution waits for the key any more. Executions that were cancelled while they waited are not looked
            // at again, so their rows are deleted here.
            deleteEnded(session, key, "WAITING");
        }
        return jobs;
    }

    private static void deleteEnded(EntityManager session, ConcurrencyKey key, String status) {
        JpaBatchStore.nativeQuery(session, DELETE_ENDED, key.tenant(), key.name(), status)
                .executeUpdate();
    }

    /** Locks the key until the transaction ends and returns how many executions hold a turn. */
    private static long lockAndCountHolders(EntityManager session, ConcurrencyKey key) {
        // The specification of String.hashCode makes the slot the same on every node and every JVM.
        int slot = Math.floorMod(31 * key.tenant().hashCode() + key.name().hashCode(), LOCK_SLOTS);
        JpaBatchStore.selectRows(session, LOCK_SLOT, slot);
        deleteEnded(session, key, "GRANTED");
        return count(session, COUNT_GRANTED, key.tenant(), key.name());
    }

    private static long count(EntityManager session, String statement, Object... parameters) {
        return ((Number) JpaBatchStore.nativeQuery(session, statement, parameters)
                        .getSingleResult())
                .longValue();
    }

    private boolean grantTurn(EntityManager session, UUID id) {
        if (JpaBatchStore.nativeQuery(session, ALLOW_CLAIM, id, overdueAfterMillis)
                        .executeUpdate()
                == 0) {
            return false;
        }
        JpaBatchStore.nativeQuery(session, GRANT_TURN, id).executeUpdate();
        return true;
    }

    /** Returns at most {@code limit} keys that have waiting executions and a free turn. */
    List<ConcurrencyKey> findGrantableKeys(EntityManager session, int limit) {
        return JpaBatchStore.selectRows(session, FIND_GRANTABLE_KEYS, maxPerKey, limit).stream()
                .map(ConcurrencyKeyLimiter::toKey)
                .toList();
    }

    /** Returns the holders whose end the execution waits for; empty if it waits for no turn. */
    List<ExecutionId> findHolders(EntityManager session, String tenant, ExecutionId id) {
        List<?> holders = JpaBatchStore.nativeQuery(session, FIND_HOLDERS, id.value(), LosslessText.encode(tenant))
                .getResultList();
        return holders.size() < maxPerKey
                ? List.of()
                : holders.stream().map(each -> new ExecutionId((UUID) each)).toList();
    }
}
