package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.ToolName;

/**
 * What executions are found by: one indexed text for each label, each tool called and what is repeated. Labels and repetitions
 * are written with the acceptance, tools with the journal; an execution without any of them writes nothing. Thread-safe.
 */
final class Marks {
    static final String ADD = "executionMark.add";
    /** Whoever holds the execution's row, as every writer of its journal does, is alone with its marks. */
    static final String ADD_SQL = """
            insert into execution_mark (tenant, mark, execution_id)
            select e.tenant, cast(?2 as varchar), e.id from execution e
            where e.id = ?1 and not exists (
                select 1 from execution_mark m
                where m.tenant = e.tenant and m.mark = cast(?2 as varchar) and m.execution_id = ?1)
            """;

    /** An index of PostgreSQL holds no more than 2,700 bytes. */
    private static final int LONGEST = 200;

    private static final String TOOL = "tool";
    private static final int REMEMBERED = 20_000;

    /** What was committed last: a script that calls a tool a thousand times asks the database once. */
    private final Set<Tool> written = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Tool, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    }));

    private record Tool(UUID execution, String mark) {}

    /** Adds the tools that {@code events} call first, within the transaction that stores them. */
    void add(EntityManager session, ExecutionId id, List<TraceEvent> events) {
        for (Tool tool : tools(id, events)) {
            if (!written.contains(tool)) {
                session.createNamedQuery(ADD)
                        .setParameter(1, tool.execution())
                        .setParameter(2, tool.mark())
                        .executeUpdate();
            }
        }
    }

    /** To be told once that transaction is committed. */
    void committed(ExecutionId id, List<TraceEvent> events) {
        written.addAll(tools(id, events));
    }

    private static Set<Tool> tools(ExecutionId id, List<TraceEvent> events) {
        return events.stream()
                .flatMap(event -> called(event).stream())
                .map(tool -> new Tool(id.value(), tool(tool.toString())))
                .collect(Collectors.toSet());
    }

    /** What stood in for a backend was called, too. */
    private static Optional<ToolName> called(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            return Optional.of(started.tool());
        }
        return event instanceof TraceEvent.Judged judged && judged.decision().equals(TraceEvent.Judged.FALLBACK)
                ? Optional.of(judged.tool())
                : Optional.empty();
    }

    /** The tool that a mark of one stands for, as it is stored; empty when its name was too long to be in it. */
    static Optional<String> calledTool(String mark) {
        return mark.startsWith(TOOL + ":") ? Optional.of(mark.substring(TOOL.length() + 1)) : Optional.empty();
    }

    /** Of what is accepted. */
    static Set<String> of(NewExecution execution) {
        return Stream.concat(
                        execution.labels().entrySet().stream()
                                .map(label -> label(label.getKey() + ":" + label.getValue())),
                        execution.rerun().stream().map(rerun -> rerun(rerun.of())))
                .collect(Collectors.toSet());
    }

    /** What all that a filter shows are marked with. */
    static List<String> of(ExecutionFilter filter) {
        return Stream.of(
                        filter.rerunOf().stream().map(Marks::rerun),
                        filter.parent().stream().map(parent -> parent(parent.toString())),
                        filter.tools().stream().map(Marks::tool),
                        filter.labels().stream().map(Marks::label))
                .flatMap(marks -> marks)
                .distinct()
                .toList();
    }

    /** Of what is nested in an execution. */
    static String parent(String execution) {
        return mark("parent", execution);
    }

    private static String label(String text) {
        return mark("label", text);
    }

    private static String tool(String text) {
        return mark(TOOL, text);
    }

    private static String rerun(ExecutionId of) {
        return mark("rerun", of.toString());
    }

    private static String mark(String kind, String text) {
        String stored = LosslessText.encode(text);
        return stored.length() <= LONGEST ? kind + ":" + stored : kind + "#" + sha256(stored);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
