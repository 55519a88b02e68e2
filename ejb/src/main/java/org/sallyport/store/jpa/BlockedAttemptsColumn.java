package org.sallyport.store.jpa;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptCount;
import org.sallyport.execution.BlockedAttempts.BlockedAttemptKind;
import org.sallyport.tool.Json;

/**
 * Converts blocked attempts to and from their column: a list with kind, name and count of each. The column is null for
 * most executions.
 */
final class BlockedAttemptsColumn {
    private static final int MEMBERS = 3;

    private BlockedAttemptsColumn() {}

    static String of(BlockedAttempts attempts) {
        List<String> column = new ArrayList<>();
        for (BlockedAttemptCount each : attempts.counts()) {
            column.addAll(List.of(each.kind().text(), each.name(), Long.toString(each.count())));
        }
        return JsonColumnCodec.ofList(column).text();
    }

    static BlockedAttempts toAttempts(@Nullable String column) {
        if (column == null) {
            return BlockedAttempts.NONE;
        }
        List<String> members = JsonColumnCodec.parseList(new Json(column));
        List<BlockedAttemptCount> counts = new ArrayList<>();
        for (int i = 0; i + MEMBERS <= members.size(); i += MEMBERS) {
            String name = members.get(i + 1);
            long count = Long.parseLong(members.get(i + 2));
            // Ignore kinds that only another version of the service knows.
            BlockedAttemptKind.of(members.get(i))
                    .ifPresent(kind -> counts.add(new BlockedAttemptCount(kind, name, count)));
        }
        return new BlockedAttempts(counts);
    }
}
