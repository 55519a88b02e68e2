package org.sallyport.store;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.FurtherLimit;
import org.sallyport.tool.Json;

/** Limits that were asked for besides those that each execution has, as a column: empty for most. */
final class FurtherLimitsColumn {
    private FurtherLimitsColumn() {}

    static @Nullable Json of(Map<FurtherLimit, Integer> limits) {
        if (limits.isEmpty()) {
            return null;
        }
        Map<String, String> column = new TreeMap<>();
        limits.forEach((limit, value) -> column.put(limit.member(), Integer.toString(value)));
        return JsonColumns.ofMap(column);
    }

    static Map<FurtherLimit, Integer> limits(@Nullable Json column) {
        Map<FurtherLimit, Integer> limits = new EnumMap<>(FurtherLimit.class);
        if (column != null) {
            // What another version of the service knew besides is passed over.
            JsonColumns.map(column)
                    .forEach((member, value) ->
                            FurtherLimit.of(member).ifPresent(limit -> limits.put(limit, Integer.parseInt(value))));
        }
        return limits;
    }
}
