package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionState;

/**
 * Reads one page of a list by scanning an index from the newest execution on. Filters that no index covers are checked
 * on the scanned rows. A scan ends after a limited number of rows, whether or not they match; the next page continues
 * from there.
 */
final class ExecutionSearch {
    private static final UUID MAX_ID = new UUID(-1, -1);

    private final EntityManager session;
    private final String tenant;
    private final ExecutionFilter filter;
    private final int limit;

    ExecutionSearch(EntityManager session, String tenant, ExecutionFilter filter, int limit) {
        this.session = session;
        this.tenant = tenant;
        this.filter = filter;
        this.limit = limit;
    }

    ExecutionPage page(Optional<ExecutionId> before) {
        UUID end = before.map(ExecutionId::value).orElse(MAX_ID);
        SearchQueryBuilder statement = new SearchQueryBuilder(tenant, filter);
        if (!statement.followsStates() || filter.states().isEmpty()) {
            return page(List.of(scan(statement, null, end)));
        }
        return page(filter.states().stream()
                .map(state -> scan(statement, state, end))
                .toList());
    }

    /**
     * The result of one index scan.
     *
     * @param found the matching executions, newest first
     * @param continueAfter the last execution that was scanned; empty if none follow it
     */
    private record IndexScanResult(List<ExecutionEntity> found, Optional<ExecutionId> continueAfter) {}

    private IndexScanResult scan(SearchQueryBuilder statement, @Nullable ExecutionState state, UUID end) {
        if (statement.filtersOnlyByState()) {
            return scan(ExecutionQueries.page(session, tenant, state, end, limit + 1)
                    .toList());
        }
        List<UUID> ids = statement.findIds(session, state, end, limit + 1);
        // Computed from the ids, so that a row deleted meanwhile does not make the scan appear complete.
        Optional<ExecutionId> edge = ids.size() > limit
                ? Optional.of(new ExecutionId(ids.get(limit - 1)))
                : statement.findWindowEnd(session, state, end).map(ExecutionId::new);
        return new IndexScanResult(
                ExecutionQueries.findByIds(session, ids.subList(0, Math.min(limit, ids.size()))), edge);
    }

    private IndexScanResult scan(List<ExecutionEntity> rows) {
        boolean more = rows.size() > limit;
        return new IndexScanResult(
                more ? rows.subList(0, limit) : rows,
                more ? Optional.of(new ExecutionId(rows.get(limit - 1).id)) : Optional.empty());
    }

    /**
     * Merges the scans. Drops executions beyond the point where the first scan stopped, because the merge is incomplete
     * there.
     */
    private ExecutionPage page(List<IndexScanResult> walks) {
        Optional<ExecutionId> edge =
                walks.stream().flatMap(walk -> walk.continueAfter().stream()).max(ExecutionId::compareTo);
        List<ExecutionEntity> rows = new ArrayList<>(walks.stream()
                .flatMap(walk -> walk.found().stream())
                .filter(row -> edge.isEmpty() || new ExecutionId(row.id).compareTo(edge.get()) >= 0)
                .sorted((one, other) -> new ExecutionId(other.id).compareTo(new ExecutionId(one.id)))
                .toList());
        boolean cut = rows.size() > limit;
        List<ExecutionEntity> shown = cut ? rows.subList(0, limit) : rows;
        return new ExecutionPage(
                shown.stream().map(ExecutionEntityMapper::toSummary).toList(),
                cut ? Optional.of(new ExecutionId(shown.get(limit - 1).id)) : edge);
    }
}
