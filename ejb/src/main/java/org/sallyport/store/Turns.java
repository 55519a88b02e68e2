package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Claim;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PendingJob;

/**
 * Whose turn it is among executions with one concurrency key. A turn is a mark on a row, taken with the first claim and kept until
 * the execution has ended: whatever node runs it or dies, and however long it is parked. Turns of a key are given by one
 * transaction at a time.
 */
final class Turns {
    private static final int LOCKS = 16;

    private static final String AWAITED = """
            select tenant, concurrency_key from execution
            where id = ?1 and awaits_turn = true and state = 'PENDING'
                and (not_before is null or not_before <= current_timestamp)
                and (ends_by is null or ends_by > current_timestamp)
            """;

    private static final String LOCK = "select slot from concurrency_lock where slot = ?1 for update";

    private static final String FORGET_ENDED = """
            delete from concurrency_turn where tenant = ?1 and name = ?2 and standing = ?3
                and exists (select 1 from execution e where e.id = execution_id and e.finished_at is not null)
            """;

    private static final String HELD =
            "select count(*) from concurrency_turn where tenant = ?1 and name = ?2 and standing = 'HAS'";

    /** Those who asked and go first, ?4 at most. */
    private static final String AHEAD = """
            select count(*) from (
                select t.execution_id from concurrency_turn t join concurrency_turn m on m.execution_id = ?3
                where t.tenant = ?1 and t.name = ?2 and t.standing = 'ASKS' and t.execution_id <> m.execution_id
                    and (t.priority > m.priority or (t.priority = m.priority and t.execution_id < m.execution_id))
                    and exists (select 1 from execution e where e.id = t.execution_id and e.finished_at is null)
                limit ?4) ahead
            """;

    private static final String ASKING = """
            select e.id, e.tenant, e.priority, e.attempt from concurrency_turn t join execution e on e.id = t.execution_id
            where t.tenant = ?1 and t.name = ?2 and t.standing = 'ASKS' and e.state = 'PENDING'
                and (e.ends_by is null or e.ends_by > current_timestamp)
            order by t.tenant, t.name, t.standing, t.priority desc, t.execution_id limit ?3
            """;

    private static final String HAS = "update concurrency_turn set standing = 'HAS' where execution_id = ?1";

    /** Not of one that was given its turn since somebody looked whether it waits for it. */
    private static final String ASK =
            "update concurrency_turn set standing = 'ASKS' where execution_id = ?1 and standing = 'NEW'";

    /** From now on anybody may claim it, and its job counts as lost when nobody does for a while (?2). */
    private static final String GIVE = """
            update execution set awaits_turn = false,
                next_check_at = current_timestamp + cast(?2 as bigint) * interval '0.001' second
            where id = ?1 and state = 'PENDING' and awaits_turn = true
            """;

    /** Who has asked is sent for when its turn comes; this is for the case that all of that goes wrong. */
    private static final String REST = """
            update execution set next_check_at = current_timestamp + interval '15' minute
            where id = ?1 and state = 'PENDING' and awaits_turn = true
            """;

    /** Keys of which somebody could have a turn who has asked for one. */
    private static final String IDLE = """
            select t.tenant, t.name from
                (select distinct tenant, name from concurrency_turn where standing = 'ASKS') t
            where (select count(*) from concurrency_turn h join execution e on e.id = h.execution_id
                where h.tenant = t.tenant and h.name = t.name and h.standing = 'HAS' and e.finished_at is null) < ?1
            limit ?2
            """;

    private static final String HOLDERS = """
            select h.execution_id from concurrency_turn w
                join concurrency_turn h on h.tenant = w.tenant and h.name = w.name
                join execution e on e.id = h.execution_id
            where w.execution_id = ?1 and w.tenant = ?2 and w.standing <> 'HAS' and h.standing = 'HAS'
                and e.finished_at is null
            order by h.execution_id
            """;

    private final int most;
    private final long againMillis;

    /**
     * @param most how many executions of a tenant and key have a turn at one time
     * @param againMillis how long after it was given a turn nobody took counts as overdue
     */
    Turns(int most, long againMillis) {
        this.most = most;
        this.againMillis = againMillis;
    }

    /** Both as they are stored. */
    record Key(String tenant, String name) {}

    /** The key whose turn an execution waits for that cannot be claimed. */
    static Optional<Key> awaited(EntityManager session, ExecutionId id) {
        return JpaBatchStore.rows(session, AWAITED, id.value()).stream()
                .findFirst()
                .map(Turns::key);
    }

    private static Key key(@Nullable Object[] row) {
        return new Key(JpaBatchStore.text(row[0]), JpaBatchStore.text(row[1]));
    }

    /** Claims one that waits for its turn if it is there; otherwise it is sent for when it is. */
    Optional<Claim> claim(EntityManager session, Key key, ExecutionId id, String node) {
        long taken = held(session, key) + count(session, AHEAD, key.tenant(), key.name(), id.value(), most);
        if (taken < most && give(session, id.value())) {
            return ExecutionQueries.claim(session, id, node);
        }
        if (taken >= most) {
            JpaBatchStore.query(session, ASK, id.value()).executeUpdate();
            JpaBatchStore.query(session, REST, id.value()).executeUpdate();
        }
        return Optional.empty();
    }

    /** Gives turns to those who have asked, as far as there are any; their jobs. */
    List<PendingJob> pass(EntityManager session, Key key) {
        long free = most - held(session, key);
        if (free <= 0) {
            return List.of();
        }
        List<PendingJob> jobs = new ArrayList<>();
        for (@Nullable Object[] row : JpaBatchStore.rows(session, ASKING, key.tenant(), key.name(), (int) free)) {
            UUID id = JpaBatchStore.uuid(row[0]);
            if (give(session, id)) {
                jobs.add(new PendingJob(
                        new ExecutionId(id),
                        LosslessText.decode(JpaBatchStore.text(row[1])),
                        JpaBatchStore.number(row[2]),
                        JpaBatchStore.number(row[3])));
            }
        }
        if (jobs.size() < free) {
            // Nobody asks any more, and who was cancelled while he asked is not looked at again.
            forgetEnded(session, key, "ASKS");
        }
        return jobs;
    }

    private static void forgetEnded(EntityManager session, Key key, String standing) {
        JpaBatchStore.query(session, FORGET_ENDED, key.tenant(), key.name(), standing)
                .executeUpdate();
    }

    /** Has the key to itself from here on; how many have a turn. */
    private static long held(EntityManager session, Key key) {
        // The same on every node, whatever runs it.
        int slot = Math.floorMod(31 * key.tenant().hashCode() + key.name().hashCode(), LOCKS);
        JpaBatchStore.rows(session, LOCK, slot);
        forgetEnded(session, key, "HAS");
        return count(session, HELD, key.tenant(), key.name());
    }

    private static long count(EntityManager session, String statement, Object... parameters) {
        return ((Number) JpaBatchStore.query(session, statement, parameters).getSingleResult()).longValue();
    }

    private boolean give(EntityManager session, UUID id) {
        if (JpaBatchStore.query(session, GIVE, id, againMillis).executeUpdate() == 0) {
            return false;
        }
        JpaBatchStore.query(session, HAS, id).executeUpdate();
        return true;
    }

    /** Keys whose turns somebody has yet to pass on. */
    List<Key> idle(EntityManager session, int limit) {
        return JpaBatchStore.rows(session, IDLE, most, limit).stream()
                .map(Turns::key)
                .toList();
    }

    /** Those whose ends an execution waits for; empty when it waits for no turn. */
    List<ExecutionId> holders(EntityManager session, String tenant, ExecutionId id) {
        List<?> holders = JpaBatchStore.query(session, HOLDERS, id.value(), LosslessText.encode(tenant))
                .getResultList();
        return holders.size() < most
                ? List.of()
                : holders.stream().map(each -> new ExecutionId((UUID) each)).toList();
    }
}
