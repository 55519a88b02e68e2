package org.sallyport.store.jpa;

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
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ParentExecution;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolName;

/** Stores nested executions in the database. Thread-safe. */
public final class JpaNestedExecutionStore implements NestedExecutionStore {
    private static final String CHILD =
            "select execution_id from nested_execution where parent_id = ?1 and call_ordinal = ?2";

    private static final String CHILDREN = """
            select n.call_ordinal, n.execution_id, e.capability
            from nested_execution n join execution e on e.id = n.execution_id
            where n.parent_id = ?1 and n.call_ordinal between ?2 and ?3
            """;

    private static final String FIND_PARENT_NESTING = """
            select n.root_id, n.depth, n.path, e.capability
            from execution e left join nested_execution n on n.execution_id = e.id where e.id = ?1
            """;

    private static final String FIND_ROOT = "select root_id from nested_execution where execution_id = ?1";

    private static final String TOOL_TERMS_IN_TREE = inOtherTreeMembers("term", "execution_term", "term like 'tool%'");

    /** Selects the tools that were called, for names that are too long to be read from their search terms. */
    private static final String CALLED_TOOLS_IN_TREE =
            inOtherTreeMembers("tool", "trace_event", "type in ('TOOL_STARTED', 'JUDGED')");

    private static final String FIND_RERUN_OF = "select rerun_of from execution where id = ?1";

    /** Bounds the chain of re-runs of re-runs. Longer chains do not occur in practice. */
    private static final int MAX_RERUN_CHAIN = 100;

    private static final String COUNT_UNFINISHED =
            "select count(*) from execution where id = ?1 and tenant = ?2 and state in ('PENDING', 'RUNNING', "
                    + "'WAITING')";

    private static final String COUNT_IN_TREE = "select count(*) from nested_execution where root_id = ?1";

    private static final String INSERT = """
            insert into nested_execution (execution_id, parent_id, call_ordinal, root_id, depth, path)
            values (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    private static final String INSERT_ACTIVE =
            "insert into nested_execution_active (execution_id, parent_id) values (?1, ?2)";

    private static final String SET_PARENT = "update execution set parent = ?2 where id = ?1";

    private static final String TERMINAL_STATES = "('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')";

    private static final String ABANDONED = """
            select o.execution_id, e.tenant, e.state
            from nested_execution_active o join execution e on e.id = o.execution_id
                left join execution p on p.id = o.parent_id
            where p.id is null or p.state in\s""" + TERMINAL_STATES + " limit ?1";

    private static final String DELETE_ACTIVE = "delete from nested_execution_active where execution_id = ?1";

    private final Database database;
    private final SubmissionWriter submissionWriter;

    /** @param executions the store that writes the executions themselves */
    public JpaNestedExecutionStore(Database database, JpaExecutionStore executions) {
        this.database = database;
        this.submissionWriter = executions.submissionWriter();
    }

    @Override
    public Optional<ExecutionId> findChild(CallId call) {
        return database.read(session -> child(session, call));
    }

    @SuppressWarnings("unchecked")
    private static Optional<ExecutionId> child(EntityManager session, CallId call) {
        return JpaBatchStore.nativeQuery(session, CHILD, UUID.fromString(call.execution()), call.ordinal())
                .getResultStream()
                .findFirst()
                .map(id -> new ExecutionId((UUID) id));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<Long, NestedExecution> findChildren(ExecutionId parent, long first, long last) {
        return database.read(session -> {
            Map<Long, NestedExecution> children = new HashMap<>();
            for (Object row : JpaBatchStore.nativeQuery(session, CHILDREN, parent.value(), first, last)
                    .getResultList()) {
                Object[] columns = (Object[]) row;
                children.put(
                        ((Number) columns[0]).longValue(),
                        new NestedExecution(
                                new ExecutionId((UUID) columns[1]),
                                Optional.ofNullable((String) columns[2]).flatMap(CapabilityRef::parse)));
            }
            return children;
        });
    }

    @Override
    @SuppressWarnings("unchecked")
    public ParentExecution parentFor(ExecutionId parent, long ordinal) {
        CallId call = new CallId(parent.toString(), ordinal);
        return database.read(session ->
                (ParentExecution) JpaBatchStore.nativeQuery(session, FIND_PARENT_NESTING, parent.value())
                        .getResultStream()
                        .findFirst()
                        .map(row -> below(call, parent, (Object[]) row))
                        .orElseGet(() -> new ParentExecution(call, parent, List.of(), 1)));
    }

    private static ParentExecution below(CallId call, ExecutionId parent, Object[] above) {
        List<String> path = new ArrayList<>();
        String earlier = (String) above[2];
        if (earlier != null && !earlier.isEmpty()) {
            path.addAll(Arrays.asList(earlier.split(",", -1)));
        }
        Optional.ofNullable((String) above[3]).flatMap(CapabilityRef::parse).ifPresent(ref -> path.add(ref.name()));
        return above[0] == null
                ? new ParentExecution(call, parent, path, 1)
                : new ParentExecution(call, new ExecutionId((UUID) above[0]), path, ((Number) above[1]).intValue() + 1);
    }

    @Override
    public List<ToolName> toolsCalledInTree(ExecutionId member) {
        return database.read(session -> {
            Set<String> tools = new HashSet<>();
            Optional<UUID> each = Optional.of(member.value());
            for (int i = 0; i < MAX_RERUN_CHAIN && each.isPresent(); i++) {
                UUID root = addToolsOfTree(session, each.get(), tools);
                each = first(session, FIND_RERUN_OF, root).map(id -> UUID.fromString((String) id));
            }
            return tools.stream().map(LosslessText::decode).map(ToolName::parse).toList();
        });
    }

    /**
     * Selects the distinct values of a column in the rows of all executions of the tree with root ?1, except ?2. Joins
     * from the tree, because H2 evaluates a subquery in a condition for each row.
     */
    private static String inOtherTreeMembers(String column, String table, String condition) {
        String rows = " and t.execution_id <> ?2 and t." + condition;
        return "select t." + column + " from nested_execution n join " + table + " t on t.execution_id = n.execution_id"
                + " where n.root_id = ?1" + rows + " union select t." + column + " from " + table
                + " t where t.execution_id = ?1" + rows;
    }

    /** Adds the tools that were called in the tree of {@code member}. Returns the root of the tree. */
    private static UUID addToolsOfTree(EntityManager session, UUID member, Set<String> tools) {
        UUID root = first(session, FIND_ROOT, member).map(id -> (UUID) id).orElse(member);
        boolean whole = true;
        for (Object term : JpaBatchStore.nativeQuery(session, TOOL_TERMS_IN_TREE, root, member)
                .getResultList()) {
            Optional<String> tool = SearchTerms.toolOfTerm((String) term);
            tool.ifPresent(tools::add);
            whole &= tool.isPresent();
        }
        if (!whole) {
            for (Object tool : JpaBatchStore.nativeQuery(session, CALLED_TOOLS_IN_TREE, root, member)
                    .getResultList()) {
                tools.add((String) tool);
            }
        }
        return root;
    }

    @SuppressWarnings("unchecked")
    private static Optional<Object> first(EntityManager session, String statement, UUID id) {
        return JpaBatchStore.nativeQuery(session, statement, id)
                .getResultStream()
                .filter(Objects::nonNull)
                .findFirst();
    }

    @Override
    public NestResult insertNested(NewExecution child, ParentExecution nesting, int maxNested) {
        database.requireDiskSpace();
        try {
            return database.write(session -> nest(session, child, nesting, maxNested));
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e)) {
                throw e;
            }
            // A concurrent run of the same call, or a write without an answer, has inserted its nested execution first.
            return findChild(nesting.parentCall())
                    .map(earlier -> toExisting(child, earlier))
                    .orElseThrow(() -> e);
        }
    }

    /** If the call has this child, its caller repeats a write without an answer. */
    private static NestResult toExisting(NewExecution child, ExecutionId existing) {
        return existing.equals(child.id())
                ? new NestResult.NestedExecutionStored(existing)
                : new NestResult.NestedExecutionExists(existing);
    }

    private NestResult nest(EntityManager session, NewExecution child, ParentExecution nesting, int maxNested) {
        Optional<ExecutionId> earlier = child(session, nesting.parentCall());
        UUID parent = UUID.fromString(nesting.parentCall().execution());
        if (earlier.isPresent()) {
            return toExisting(child, earlier.get());
        } else if (count(session, COUNT_UNFINISHED, parent, LosslessText.encode(child.tenant())) == 0) {
            return new NestResult.ParentEnded();
        } else if (count(session, COUNT_IN_TREE, nesting.root().value()) >= maxNested) {
            return new NestResult.TooManyNestedExecutions();
        }
        UUID id = child.id().value();
        submissionWriter.write(session, child);
        session.flush();
        JpaBatchStore.nativeQuery(
                        session,
                        INSERT,
                        id,
                        parent,
                        nesting.parentCall().ordinal(),
                        nesting.root().value(),
                        nesting.depth(),
                        String.join(",", nesting.capabilityPath()))
                .executeUpdate();
        JpaBatchStore.nativeQuery(session, INSERT_ACTIVE, id, parent).executeUpdate();
        JpaBatchStore.nativeQuery(session, SET_PARENT, id, parent.toString()).executeUpdate();
        session.persist(new ExecutionTermEntity(
                id, SearchTerms.parentTerm(nesting.parentCall().execution()), child.tenant()));
        return new NestResult.NestedExecutionStored(child.id());
    }

    private static long count(EntityManager session, String statement, Object... parameters) {
        return ((Number) JpaBatchStore.nativeQuery(session, statement, parameters)
                        .getSingleResult())
                .longValue();
    }

    @Override
    @SuppressWarnings("unchecked")
    public List<AbandonedExecution> findAbandoned(int limit) {
        return database.write(session -> {
            List<AbandonedExecution> living = new ArrayList<>();
            for (Object row :
                    JpaBatchStore.nativeQuery(session, ABANDONED, limit).getResultList()) {
                Object[] columns = (Object[]) row;
                UUID id = (UUID) columns[0];
                if (ExecutionState.valueOf((String) columns[2]).isTerminal()) {
                    JpaBatchStore.nativeQuery(session, DELETE_ACTIVE, id).executeUpdate();
                } else {
                    living.add(new AbandonedExecution(LosslessText.decode((String) columns[1]), new ExecutionId(id)));
                }
            }
            return living;
        });
    }
}
