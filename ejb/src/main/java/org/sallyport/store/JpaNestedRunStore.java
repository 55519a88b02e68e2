package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Nesting;
import org.sallyport.execution.NewExecution;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolName;

/** Nested executions in the database. */
public final class JpaNestedRunStore implements NestedRunStore {
    private static final String CHILD =
            "select execution_id from nested_run where parent_id = ?1 and call_ordinal = ?2";

    private static final String CHILDREN = """
            select n.call_ordinal, n.execution_id, e.capability
            from nested_run n join execution e on e.id = n.execution_id
            where n.parent_id = ?1 and n.call_ordinal between ?2 and ?3
            """;

    private static final String ABOVE = """
            select n.root_id, n.depth, n.path, e.capability
            from execution e left join nested_run n on n.execution_id = e.id where e.id = ?1
            """;

    private static final String ROOT = "select root_id from nested_run where execution_id = ?1";

    private static final String OTHERS =
            "execution_id <> ?2 and (execution_id = ?1 or execution_id in (select execution_id from nested_run where root_id = ?1))";

    private static final String MARKS_AROUND =
            "select distinct mark from execution_mark where mark like 'tool%' and " + OTHERS;

    /** Of names that are too long to be read from their marks. */
    private static final String CALLS_AROUND =
            "select distinct tool from trace_event where type in ('TOOL_STARTED', 'JUDGED') and " + OTHERS;

    private static final String REPEATED = "select rerun_of from execution where id = ?1";

    /** Nobody repeats repetitions for longer. */
    private static final int MOST_REPEATED = 100;

    private static final String LIVES =
            "select count(*) from execution where id = ?1 and tenant = ?2 and state in ('PENDING', 'RUNNING', 'WAITING')";

    private static final String BELOW = "select count(*) from nested_run where root_id = ?1";

    private static final String INSERT = """
            insert into nested_run (execution_id, parent_id, call_ordinal, root_id, depth, path)
            values (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    private static final String OPEN = "insert into nested_open (execution_id, parent_id) values (?1, ?2)";

    private static final String MARK = "update execution set parent = ?2 where id = ?1";

    private static final String ENDED = "('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')";

    private static final String ABANDONED = """
            select o.execution_id, e.tenant, e.state
            from nested_open o join execution e on e.id = o.execution_id left join execution p on p.id = o.parent_id
            where p.id is null or p.state in\s""" + ENDED + " limit ?1";

    private static final String FORGET = "delete from nested_open where execution_id = ?1";

    private final Database database;
    private final Acceptances acceptances;

    /** @param executions where executions are stored */
    public JpaNestedRunStore(Database database, JpaExecutionStore executions) {
        this.database = database;
        this.acceptances = executions.acceptances();
    }

    @Override
    public Optional<ExecutionId> child(CallId call) {
        return database.read(session -> child(session, call));
    }

    @SuppressWarnings("unchecked")
    private static Optional<ExecutionId> child(EntityManager session, CallId call) {
        return JpaBatchStore.query(session, CHILD, UUID.fromString(call.execution()), call.ordinal())
                .getResultStream()
                .findFirst()
                .map(id -> new ExecutionId((UUID) id));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<Long, Nested> children(ExecutionId parent, long first, long last) {
        return database.read(session -> {
            Map<Long, Nested> children = new HashMap<>();
            for (Object row : JpaBatchStore.query(session, CHILDREN, parent.value(), first, last)
                    .getResultList()) {
                Object[] columns = (Object[]) row;
                children.put(
                        ((Number) columns[0]).longValue(),
                        new Nested(
                                new ExecutionId((UUID) columns[1]),
                                Optional.ofNullable((String) columns[2]).flatMap(CapabilityRef::parse)));
            }
            return children;
        });
    }

    @Override
    @SuppressWarnings("unchecked")
    public Nesting below(ExecutionId parent, long ordinal) {
        CallId call = new CallId(parent.toString(), ordinal);
        return database.read(session -> (Nesting) JpaBatchStore.query(session, ABOVE, parent.value())
                .getResultStream()
                .findFirst()
                .map(row -> below(call, parent, (Object[]) row))
                .orElseGet(() -> new Nesting(call, parent, List.of(), 1)));
    }

    private static Nesting below(CallId call, ExecutionId parent, Object[] above) {
        List<String> path = new ArrayList<>();
        String earlier = (String) above[2];
        if (earlier != null && !earlier.isEmpty()) {
            path.addAll(Arrays.asList(earlier.split(",", -1)));
        }
        Optional.ofNullable((String) above[3]).flatMap(CapabilityRef::parse).ifPresent(ref -> path.add(ref.name()));
        return above[0] == null
                ? new Nesting(call, parent, path, 1)
                : new Nesting(call, new ExecutionId((UUID) above[0]), path, ((Number) above[1]).intValue() + 1);
    }

    @Override
    public List<ToolName> calledAround(ExecutionId member) {
        return database.read(session -> {
            Set<String> tools = new HashSet<>();
            Optional<UUID> each = Optional.of(member.value());
            for (int i = 0; i < MOST_REPEATED && each.isPresent(); i++) {
                UUID root = addAround(session, each.get(), tools);
                each = first(session, REPEATED, root).map(id -> UUID.fromString((String) id));
            }
            return tools.stream().map(LosslessText::decode).map(ToolName::parse).toList();
        });
    }

    /** Its root. */
    private static UUID addAround(EntityManager session, UUID member, Set<String> tools) {
        UUID root = first(session, ROOT, member).map(id -> (UUID) id).orElse(member);
        boolean whole = true;
        for (Object mark :
                JpaBatchStore.query(session, MARKS_AROUND, root, member).getResultList()) {
            Optional<String> tool = Marks.calledTool((String) mark);
            tool.ifPresent(tools::add);
            whole &= tool.isPresent();
        }
        if (!whole) {
            for (Object tool :
                    JpaBatchStore.query(session, CALLS_AROUND, root, member).getResultList()) {
                tools.add((String) tool);
            }
        }
        return root;
    }

    @SuppressWarnings("unchecked")
    private static Optional<Object> first(EntityManager session, String statement, UUID id) {
        return JpaBatchStore.query(session, statement, id)
                .getResultStream()
                .filter(Objects::nonNull)
                .findFirst();
    }

    @Override
    public Answer nest(NewExecution child, Nesting nesting, int most) {
        database.requireRoom();
        try {
            return database.write(session -> nest(session, child, nesting, most));
        } catch (RuntimeException e) {
            if (!SqlFailures.isDuplicate(e)) {
                throw e;
            }
            // Another run of the same call was first.
            return child(nesting.parent()).<Answer>map(Answer.IsThere::new).orElseThrow(() -> e);
        }
    }

    private Answer nest(EntityManager session, NewExecution child, Nesting nesting, int most) {
        Optional<ExecutionId> earlier = child(session, nesting.parent());
        UUID parent = UUID.fromString(nesting.parent().execution());
        if (earlier.isPresent()) {
            return new Answer.IsThere(earlier.get());
        } else if (count(session, LIVES, parent, LosslessText.encode(child.tenant())) == 0) {
            return new Answer.NoParent();
        } else if (count(session, BELOW, nesting.root().value()) >= most) {
            return new Answer.TooMany();
        }
        UUID id = child.id().value();
        acceptances.write(session, child);
        session.flush();
        JpaBatchStore.query(
                        session,
                        INSERT,
                        id,
                        parent,
                        nesting.parent().ordinal(),
                        nesting.root().value(),
                        nesting.depth(),
                        String.join(",", nesting.path()))
                .executeUpdate();
        JpaBatchStore.query(session, OPEN, id, parent).executeUpdate();
        JpaBatchStore.query(session, MARK, id, parent.toString()).executeUpdate();
        session.persist(new ExecutionMarkRow(id, Marks.parent(nesting.parent().execution()), child.tenant()));
        return new Answer.Stored(child.id());
    }

    private static long count(EntityManager session, String statement, Object... parameters) {
        return ((Number) JpaBatchStore.query(session, statement, parameters).getSingleResult()).longValue();
    }

    @Override
    @SuppressWarnings("unchecked")
    public List<Abandoned> abandoned(int limit) {
        return database.write(session -> {
            List<Abandoned> living = new ArrayList<>();
            for (Object row : JpaBatchStore.query(session, ABANDONED, limit).getResultList()) {
                Object[] columns = (Object[]) row;
                UUID id = (UUID) columns[0];
                if (ExecutionState.valueOf((String) columns[2]).terminal()) {
                    JpaBatchStore.query(session, FORGET, id).executeUpdate();
                } else {
                    living.add(new Abandoned(LosslessText.decode((String) columns[1]), new ExecutionId(id)));
                }
            }
            return living;
        });
    }
}
