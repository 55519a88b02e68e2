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
final class SearchTerms {
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
    private static final int MAX_TERM_LENGTH = 200;

    private static final String TOOL = "tool";
    private static final int MAX_CACHED_TERMS = 20_000;

    /** What was committed last: a script that calls a tool a thousand times asks the database once. */
    private final Set<ToolTermKey> cachedTerms =
            Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<ToolTermKey, Boolean> eldest) {
                    return size() > MAX_CACHED_TERMS;
                }
            }));

    private record ToolTermKey(UUID execution, String term) {}

    /** Adds the tools that {@code events} call first, within the transaction that stores them. */
    void addToolTerms(EntityManager session, ExecutionId id, List<TraceEvent> events) {
        for (ToolTermKey tool : toolTerms(id, events)) {
            if (!cachedTerms.contains(tool)) {
                session.createNamedQuery(ADD)
                        .setParameter(1, tool.execution())
                        .setParameter(2, tool.term())
                        .executeUpdate();
            }
        }
    }

    /** To be told once that transaction is committed. */
    void onCommitted(ExecutionId id, List<TraceEvent> events) {
        cachedTerms.addAll(toolTerms(id, events));
    }

    private static Set<ToolTermKey> toolTerms(ExecutionId id, List<TraceEvent> events) {
        return events.stream()
                .flatMap(event -> findCalledTool(event).stream())
                .map(tool -> new ToolTermKey(id.value(), toolTerm(tool.toString())))
                .collect(Collectors.toSet());
    }

    /** What stood in for a backend was called, too. */
    private static Optional<ToolName> findCalledTool(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            return Optional.of(started.tool());
        }
        return event instanceof TraceEvent.PolicyDecided judged
                        && judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)
                ? Optional.of(judged.tool())
                : Optional.empty();
    }

    /** The tool that a mark of one stands for, as it is stored; empty when its name was too long to be in it. */
    static Optional<String> toolOfTerm(String mark) {
        return mark.startsWith(TOOL + ":") ? Optional.of(mark.substring(TOOL.length() + 1)) : Optional.empty();
    }

    /** Of what is accepted. */
    static Set<String> termsOf(NewExecution execution) {
        return Stream.concat(
                        execution.labels().entrySet().stream()
                                .map(label -> labelTerm(label.getKey() + ":" + label.getValue())),
                        execution.rerun().stream().map(rerun -> rerunTerm(rerun.original())))
                .collect(Collectors.toSet());
    }

    /** What all that a filter shows are marked with. */
    static List<String> termsOf(ExecutionFilter filter) {
        return Stream.of(
                        filter.rerunOf().stream().map(SearchTerms::rerunTerm),
                        filter.parent().stream().map(parent -> parentTerm(parent.toString())),
                        filter.tools().stream().map(SearchTerms::toolTerm),
                        filter.labels().stream().map(SearchTerms::labelTerm))
                .flatMap(marks -> marks)
                .distinct()
                .toList();
    }

    /** Of what is nested in an execution. */
    static String parentTerm(String execution) {
        return term("parent", execution);
    }

    private static String labelTerm(String text) {
        return term("label", text);
    }

    private static String toolTerm(String text) {
        return term(TOOL, text);
    }

    private static String rerunTerm(ExecutionId of) {
        return term("rerun", of.toString());
    }

    private static String term(String kind, String text) {
        String stored = LosslessText.encode(text);
        return stored.length() <= MAX_TERM_LENGTH ? kind + ":" + stored : kind + "#" + sha256(stored);
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
