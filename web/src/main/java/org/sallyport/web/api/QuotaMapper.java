package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaType;
import org.sallyport.quota.StoredBytesCounter;

/** Maps quotas and their usage to JSON. */
final class QuotaMapper {
    private QuotaMapper() {}

    static ObjectNode toJson(
            String tenant,
            QuotaStore store,
            StoredBytesCounter storedBytes,
            QuotaLimits quotas,
            ExecutionCounts census) {
        Map<QuotaType, Long> own = store.findOverrides(tenant);
        ObjectNode answer = ExecutionMapper.object();
        answer.put("tenant", tenant);
        ObjectNode all = answer.putObject("quotas");
        for (QuotaType quota : QuotaType.values()) {
            ObjectNode one = all.putObject(quota.label());
            one.put("limit", own.getOrDefault(quota, quotas.defaultLimit(quota)));
            one.put("overridden", own.containsKey(quota));
            one.put("used", used(tenant, quota, store, storedBytes, census));
        }
        return answer;
    }

    private static long used(
            String tenant, QuotaType quota, QuotaStore store, StoredBytesCounter storedBytes, ExecutionCounts census) {
        return switch (quota) {
            case QUEUED -> census.countPending(tenant);
            case LIVE -> census.countUnfinished(tenant);
            case TOOL_CALLS -> store.callsToday(tenant);
            case STORED_BYTES -> storedBytes.countBytes(tenant);
        };
    }
}
