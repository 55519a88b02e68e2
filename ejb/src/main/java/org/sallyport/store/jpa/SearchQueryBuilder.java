package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionState;

/**
 * Builds the SQL statements of one scan for a filter. A scan follows one index, reads a window of executions along it,
 * and applies the remaining conditions of the filter to each row of the window.
 */
final class SearchQueryBuilder {
    /** Number of executions that one scan reads where no index tells which of them match. */
    static final int SCAN_WINDOW = 2_000;

    /**
     * Maximum assumed difference between the clocks of nodes, which generate ids, and the database's clock, which sets
     * the time of acceptance.
     */
    private static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(10);

    /**
     * Expressions that a text search compares. They use scalar subqueries, because for a join or an {@code exists} a
     * database may read a whole table.
     */
    private static final List<String> SEARCHED_COLUMNS = List.of(
            "e.code_preview",
            "e.labels",
            "e.capability",
            "e.error_code",
            "(select i.intent from execution_input i where i.execution_id = e.id)",
            "(select o.error_message from execution_outcome o where o.execution_id = e.id)");

    private final String tenant;
    private final ExecutionFilter filter;
    private final List<String> terms;
    private final Optional<CapabilityRef> version;
    private final Optional<IdPrefix> prefix;

    SearchQueryBuilder(String tenant, ExecutionFilter filter) {
        this.tenant = LosslessText.encode(tenant);
        this.filter = filter;
        this.terms = SearchTerms.termsOf(filter);
        this.version = filter.capability().flatMap(CapabilityRef::parse);
        this.prefix = filter.text().flatMap(IdPrefix::of);
    }

    /** Whether the filter restricts nothing but states. */
    boolean filtersOnlyByState() {
        return followsStates()
                && !filter.outsideBatches()
                && filter.since().isEmpty()
                && filter.finishedWithin().isEmpty()
                && filter.text().isEmpty();
    }

    /** Whether the scan follows the index of a state; otherwise states are conditions on the rows. */
    boolean followsStates() {
        return !usesLookupTable() && filter.submitter().isEmpty();
    }

    /** Whether the scan follows search terms or capabilities. */
    boolean usesLookupTable() {
        return !terms.isEmpty() || filter.capability().isPresent();
    }

    /**
     * Returns the ids of the matching executions, newest first; empty if none match.
     *
     * @param state the state whose index the scan follows, if it {@linkplain #followsStates() follows states}
     * @param end exclusive upper bound of the ids
     * @param limit maximum number of ids
     */
    List<UUID> findIds(EntityManager session, @Nullable ExecutionState state, UUID end, int limit) {
        return buildQuery(state, end, limit).selectIds(session);
    }

    SqlBuilder buildQuery(@Nullable ExecutionState state, UUID end, int limit) {
        SqlBuilder sql = new SqlBuilder();
        sql.add(usesLookupTable() ? "select w.execution_id from (" : "select e.id from (");
        appendScan(sql, usesLookupTable() ? "execution_id" : "*", state, end);
        sql.add(" limit ?", hasNoRowConditions() ? limit : SCAN_WINDOW);
        sql.add(usesLookupTable() ? ") w" : ") e");
        if (usesLookupTable() && !hasNoRowConditions()) {
            // A scalar subquery instead of a join: for a join a database may read all executions.
            sql.add(" where (select 1 from execution e where e.id = w.execution_id and ");
            appendConditions(sql);
            sql.add(") = 1");
        } else if (!hasNoRowConditions()) {
            sql.add(" where ");
            appendConditions(sql);
        }
        sql.add(usesLookupTable() ? " order by w.execution_id desc" : " order by e.id desc");
        return sql.add(" limit ?", limit);
    }

    /** Returns the last execution of the window if more executions may follow; otherwise empty. */
    Optional<UUID> findWindowEnd(EntityManager session, @Nullable ExecutionState state, UUID end) {
        if (hasNoRowConditions()) {
            return Optional.empty();
        }
        SqlBuilder sql = new SqlBuilder();
        appendScan(sql, usesLookupTable() ? "execution_id" : "id", state, end);
        return sql.add(" limit 1 offset ?", SCAN_WINDOW - 1).selectIds(session).stream()
                .findFirst();
    }

    private boolean hasNoRowConditions() {
        SqlBuilder none = new SqlBuilder();
        appendConditions(none);
        return none.isEmpty();
    }

    private void appendScan(SqlBuilder sql, String columns, @Nullable ExecutionState state, UUID end) {
        String id = usesLookupTable() ? "execution_id" : "id";
        String along = state == null ? "tenant, " : "tenant, state, ";
        sql.add("select " + columns + " from ");
        if (!terms.isEmpty()) {
            along = "tenant, term, ";
            sql.add("execution_term where tenant = ?", tenant).add(" and term = ?", terms.get(0));
        } else if (filter.capability().isPresent()) {
            along = "tenant, name, ";
            sql.add("capability_run where tenant = ?", tenant).add(" and name = ?", capability());
        } else {
            sql.add("execution where tenant = ?", tenant);
            if (filter.submitter().isPresent()) {
                along = "tenant, submitter, ";
                sql.add(" and submitter = ?", submitter());
            }
        }
        if (state != null) {
            sql.add(" and state = ?", state.name());
        }
        sql.add(" and " + id + " < ?", end);
        filter.since().ifPresent(since -> sql.add(" and " + id + " >= ?", minIdSince(since)));
        prefix.ifPresent(idPrefix ->
                sql.add(" and " + id + " >= ?", idPrefix.first()).add(" and " + id + " <= ?", idPrefix.last()));
        sql.add(" order by " + along + id + " desc");
    }

    private String submitter() {
        return LosslessText.encode(filter.submitter().orElse(""));
    }

    private String capability() {
        return LosslessText.encode(
                version.map(CapabilityRef::name).or(filter::capability).orElse(""));
    }

    /** Returns the smallest id that an execution accepted at {@code since} may have. */
    private static UUID minIdSince(Instant since) {
        return new UUID(Math.max(0, since.minus(MAX_CLOCK_SKEW).toEpochMilli()) << 16, 0);
    }

    /** Appends the conditions that each row of the window must meet. */
    private void appendConditions(SqlBuilder sql) {
        terms.stream()
                .skip(1)
                .forEach(term -> sql.and(
                        "(select 1 from execution_term m where m.tenant = e.tenant and m.execution_id = e.id and "
                                + "m.term = ?) = 1",
                        term));
        if (!terms.isEmpty() && filter.capability().isPresent() && version.isEmpty()) {
            sql.and("e.capability like ? escape '!'", SqlBuilder.escapeLike(capability()) + "@%");
        }
        if (filter.outsideBatches()) {
            sql.and("e.batch_id is null");
        }
        version.ifPresent(ref -> sql.and("e.capability = ?", LosslessText.encode(ref.toString())));
        if (usesLookupTable() && filter.submitter().isPresent()) {
            sql.and("e.submitter = ?", submitter());
        }
        if (!followsStates()) {
            appendStates(sql, filter.states());
        }
        filter.since()
                .ifPresent(since -> sql.and(
                        "e.created_at >= timestamp with time zone '1970-01-01 00:00:00+00:00'"
                                + " + cast(? as bigint) * interval '0.000001' second",
                        ChronoUnit.MICROS.between(Instant.EPOCH, since)));
        filter.finishedWithin()
                .ifPresent(time -> sql.and(
                        (filter.includesUnfinished() ? "(e.finished_at is null or " : "(")
                                + "e.finished_at >= current_timestamp - cast(? as bigint) * interval '0.001' second)",
                        time.toMillis()));
        filter.text().filter(text -> prefix.isEmpty()).ifPresent(text -> appendText(sql, text));
    }

    private static void appendStates(SqlBuilder sql, Set<ExecutionState> states) {
        if (!states.isEmpty()) {
            sql.and("e.state in ('"
                    + String.join("', '", states.stream().map(Enum::name).toList()) + "')");
        }
    }

    private static void appendText(SqlBuilder sql, String text) {
        String pattern = "%" + SqlBuilder.escapeLike(LosslessText.encode(text)) + "%";
        sql.and("(");
        for (int i = 0; i < SEARCHED_COLUMNS.size(); i++) {
            sql.add(
                    (i == 0 ? "" : " or ") + "lower(" + SEARCHED_COLUMNS.get(i)
                            + ") like lower(cast(? as varchar)) escape '!'",
                    pattern);
        }
        sql.add(")");
    }

    /** An SQL statement under construction, with its parameter values. Not thread-safe. */
    static final class SqlBuilder {
        private final StringBuilder text = new StringBuilder();
        private final List<Object> values = new ArrayList<>();
        private boolean hasConditions;

        /** Escapes {@code text} so that {@code like ... escape '!'} matches it literally. */
        static String escapeLike(String text) {
            return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
        }

        boolean isEmpty() {
            return text.isEmpty();
        }

        SqlBuilder add(String part) {
            text.append(part);
            return this;
        }

        /** Appends {@code part}, which contains exactly one question mark, and binds {@code value} to it. */
        SqlBuilder add(String part, Object value) {
            values.add(value);
            return add(part.replace("?", "?" + values.size()));
        }

        void and(String condition) {
            add((hasConditions ? " and " : "") + condition);
            hasConditions = true;
        }

        void and(String condition, Object value) {
            add((hasConditions ? " and " : "") + condition, value);
            hasConditions = true;
        }

        @SuppressWarnings("unchecked")
        List<UUID> selectIds(EntityManager session) {
            return query(session, "").getResultList();
        }

        Query query(EntityManager session, String before) {
            Query query = session.createNativeQuery(before + text);
            for (int i = 0; i < values.size(); i++) {
                query.setParameter(i + 1, values.get(i));
            }
            return query;
        }
    }
}
