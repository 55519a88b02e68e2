package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.cache.RecentEntries;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.ToolName;

/**
 * The search terms of executions: one indexed text for each label, for each called tool, and for the execution that a
 * re-run repeats. Labels and re-runs are written when the execution is accepted, tools with the journal. An execution
 * without any of them writes nothing. Thread-safe.
 */
final class SearchTerms {
    static final String ADD = "executionMark.add";
    /**
     * Every writer of an execution's journal holds the lock of its row, so no other transaction inserts terms of the
     * execution concurrently.
     */
    static final String ADD_SQL = """
            insert into execution_term (tenant, term, execution_id)
            select e.tenant, cast(?2 as varchar), e.id from execution e
            where e.id = ?1 and not exists (
                select 1 from execution_term m
                where m.tenant = e.tenant and m.term = cast(?2 as varchar) and m.execution_id = ?1)
            """;

    /** Maximum length in characters: an index entry in PostgreSQL holds no more than 2,700 bytes. */
    private static final int MAX_TERM_LENGTH = 200;

    private static final String TOOL = "tool";
    private static final int MAX_CACHED_TERMS = 20_000;

    /**
     * The most recently committed terms. With them, a script that calls one tool a thousand times queries the database
     * once.
     */
    private final RecentEntries<ToolTermKey, Boolean> committedTerms = new RecentEntries<>(MAX_CACHED_TERMS);

    private record ToolTermKey(UUID execution, String term) {}

    /**
     * Inserts the terms of the tools that {@code events} call, within the transaction that stores the events. Skips
     * terms that are known to be committed.
     */
    void addToolTerms(EntityManager session, ExecutionId id, List<TraceEvent> events) {
        for (ToolTermKey tool : toolTerms(id, events)) {
            if (!committedTerms.contains(tool)) {
                session.createNamedQuery(ADD)
                        .setParameter(1, tool.execution())
                        .setParameter(2, tool.term())
                        .executeUpdate();
            }
        }
    }

    /** The caller calls this after the transaction that stored {@code events} has committed. */
    void onCommitted(ExecutionId id, List<TraceEvent> events) {
        toolTerms(id, events).forEach(term -> committedTerms.put(term, true));
    }

    private static Set<ToolTermKey> toolTerms(ExecutionId id, List<TraceEvent> events) {
        return events.stream()
                .flatMap(event -> findCalledTool(event).stream())
                .map(tool -> new ToolTermKey(id.value(), toolTerm(tool.toString())))
                .collect(Collectors.toSet());
    }

    /** A fallback tool that replaced a backend was called, too. */
    private static Optional<ToolName> findCalledTool(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            return Optional.of(started.tool());
        }
        return event instanceof TraceEvent.PolicyDecided judged
                        && judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)
                ? Optional.of(judged.tool())
                : Optional.empty();
    }

    /**
     * Returns the tool of a tool term, in its stored form. Empty for other terms, and for a tool whose name was too
     * long to be stored in the term.
     */
    static Optional<String> toolOfTerm(String term) {
        return term.startsWith(TOOL + ":") ? Optional.of(term.substring(TOOL.length() + 1)) : Optional.empty();
    }

    /** Returns the terms that are stored when {@code execution} is accepted. */
    static Set<String> termsOf(NewExecution execution) {
        return Stream.concat(
                        execution.labels().entrySet().stream()
                                .map(label -> labelTerm(label.getKey() + ":" + label.getValue())),
                        execution.rerun().stream().map(rerun -> rerunTerm(rerun.original())))
                .collect(Collectors.toSet());
    }

    /** Returns the terms that every execution matched by {@code filter} has, without duplicates. */
    static List<String> termsOf(ExecutionFilter filter) {
        return Stream.of(
                        filter.rerunOf().stream().map(SearchTerms::rerunTerm),
                        filter.parent().stream().map(parent -> parentTerm(parent.toString())),
                        filter.tools().stream().map(SearchTerms::toolTerm),
                        filter.labels().stream().map(SearchTerms::labelTerm))
                .flatMap(terms -> terms)
                .distinct()
                .toList();
    }

    /** Returns the term of all executions that are nested in {@code execution}. */
    static String parentTerm(String execution) {
        return term("parent", execution);
    }

    private static String labelTerm(String text) {
        return term("label", text);
    }

    private static String toolTerm(String text) {
        return term(TOOL, text);
    }

    /** Returns the term of all executions that re-run {@code of}. */
    static String rerunTerm(ExecutionId of) {
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
