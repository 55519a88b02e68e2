package org.sallyport.store.jpa;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.tool.Json;

/**
 * Converts the limits that a client requested in addition to those of every execution to and from their column. The
 * column is null for most executions.
 */
final class FurtherLimitsColumn {
    private FurtherLimitsColumn() {}

    static @Nullable Json of(Map<AdditionalLimit, Integer> limits) {
        if (limits.isEmpty()) {
            return null;
        }
        Map<String, String> column = new TreeMap<>();
        limits.forEach((limit, value) -> column.put(limit.member(), Integer.toString(value)));
        return JsonColumnCodec.ofMap(column);
    }

    static Map<AdditionalLimit, Integer> limits(@Nullable Json column) {
        Map<AdditionalLimit, Integer> limits = new EnumMap<>(AdditionalLimit.class);
        if (column != null) {
            // Ignore limits that only another version of the service knows.
            JsonColumnCodec.parseMap(column)
                    .forEach((member, value) ->
                            AdditionalLimit.of(member).ifPresent(limit -> limits.put(limit, Integer.parseInt(value))));
        }
        return limits;
    }
}
