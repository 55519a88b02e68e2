package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.EraseResult;
import org.sallyport.execution.EraseResult.EraseBlocked;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;

/** Deletes one ended execution and the executions that are nested in it. Thread-safe. */
final class ExecutionEraser {
    private static final String LOCK = "select id, state from execution where id = ?1 and tenant = ?2 for update";

    private static final String LIVE_RERUN = """
            select e.id, e.state from execution_term t join execution e on e.id = t.execution_id
            where t.tenant = ?1 and t.term = ?2 and e.state in ('PENDING', 'RUNNING', 'WAITING')
            """;

    private static final String LIVE_ROOT = """
            select e.id, e.state from nested_execution n join execution e on e.id = n.root_id
            where n.execution_id = ?1 and e.state in ('PENDING', 'RUNNING', 'WAITING')
            """;

    private static final String LIVE_ATTEMPT = """
            select e.id, e.state from execution a
                join execution e on e.retry_first = coalesce(a.retry_first, cast(a.id as varchar))
            where a.id = ?1 and a.retry_attempt is not null and e.state in ('PENDING', 'RUNNING', 'WAITING')
            """;

    private static final String CHILDREN = "select execution_id from nested_execution where parent_id in (";

    /**
     * The key that lets an approved plan run only once then belongs to the dry run, so that erasing the run does not
     * allow another one. The run of a plan is a re-run of the dry run.
     */
    private static final String KEEP_PLAN_USED = """
            update idempotency_key
            set execution_id = (
                select cast(e.rerun_of as uuid) from execution e where e.id = idempotency_key.execution_id)
            where execution_id = ?1 and client_key like 'plan of %'
            """;

    private static final String FIND_SOURCE_ROWS = """
            select i.batch_id, i.item_index from execution e
                join batch_item i on i.batch_id = cast(e.batch_id as uuid) and i.execution_id = e.id
            where e.id = ?1
            """;

    private static final String DELETE_SOURCE_ROW = "delete from batch_row where batch_id = ?1 and item_index = ?2";

    private final Database database;

    ExecutionEraser(Database database) {
        this.database = database;
    }

    EraseResult erase(String tenant, ExecutionId id) {
        List<UUID> all = new ArrayList<>(database.<Set<UUID>>read(tenant, session -> findNested(session, id.value())));
        Optional<EraseResult> obstacle = database.read(
                tenant,
                session -> all.stream()
                        .map(each -> findObstacle(session, tenant, each, LOCK.replace(" for update", "")))
                        .flatMap(Optional::stream)
                        .findFirst());
        if (obstacle.isPresent()) {
            return obstacle.get();
        }
        Collections.reverse(all);
        for (UUID each : all) {
            Optional<EraseResult> late = database.write(tenant, session -> {
                Optional<EraseResult> found = findObstacle(session, tenant, each, LOCK);
                if (found.isEmpty()) {
                    JpaBatchStore.nativeQuery(session, KEEP_PLAN_USED, each).executeUpdate();
                    deleteSourceRows(session, each);
                    JpaExecutionPurger.deleteExecutions(session, List.of(each));
                }
                return found;
            });
            // A nested execution that is missing was deleted by another transaction meanwhile.
            if (late.isPresent()
                    && (each.equals(id.value()) || !(late.get() instanceof EraseResult.EraseTargetNotFound))) {
                return late.get();
            }
        }
        return new EraseResult.ExecutionErased();
    }

    private static void deleteSourceRows(EntityManager session, UUID id) {
        for (@Nullable Object[] item : JpaBatchStore.selectRows(session, FIND_SOURCE_ROWS, id)) {
            JpaBatchStore.nativeQuery(session, DELETE_SOURCE_ROW, item[0], item[1])
                    .executeUpdate();
        }
    }

    /** Returns the execution, and after it those that are nested in it, each after the one that called it. */
    @SuppressWarnings("unchecked")
    private static Set<UUID> findNested(EntityManager session, UUID id) {
        Set<UUID> all = new LinkedHashSet<>(List.of(id));
        List<UUID> level = List.of(id);
        while (!level.isEmpty()) {
            String marks = String.join(", ", Collections.nCopies(level.size(), "?"));
            level = JpaBatchStore.nativeQuery(session, CHILDREN + marks + ")", level.toArray())
                    .getResultList();
            all.addAll(level);
        }
        return all;
    }

    private static Optional<EraseResult> findObstacle(EntityManager session, String tenant, UUID id, String select) {
        String owner = LosslessText.encode(tenant);
        List<@Nullable Object[]> rows = JpaBatchStore.selectRows(session, select, id, owner);
        if (rows.isEmpty()) {
            return Optional.of(new EraseResult.EraseTargetNotFound());
        }
        EraseBlocked state = toBlocked(rows.get(0));
        if (!state.state().isTerminal()) {
            return Optional.of(state);
        }
        List<@Nullable Object[]> users = new ArrayList<>(
                JpaBatchStore.selectRows(session, LIVE_RERUN, owner, SearchTerms.rerunTerm(new ExecutionId(id))));
        users.addAll(JpaBatchStore.selectRows(session, LIVE_ROOT, id));
        users.addAll(JpaBatchStore.selectRows(session, LIVE_ATTEMPT, id));
        return users.stream().<EraseResult>map(ExecutionEraser::toBlocked).findFirst();
    }

    private static EraseBlocked toBlocked(@Nullable Object[] row) {
        return new EraseBlocked(
                new ExecutionId(JpaBatchStore.uuid(row[0])), ExecutionState.valueOf(JpaBatchStore.text(row[1])));
    }
}
