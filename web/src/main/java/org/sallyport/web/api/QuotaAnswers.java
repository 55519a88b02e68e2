package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.sallyport.execution.Census;
import org.sallyport.quota.Quota;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.Quotas;

/** Quotas as JSON, with what is used of them. */
final class QuotaAnswers {
    private QuotaAnswers() {}

    static ObjectNode of(String tenant, QuotaStore store, Quotas quotas, Census census) {
        Map<Quota, Long> own = store.of(tenant);
        ObjectNode answer = Representation.object();
        answer.put("tenant", tenant);
        ObjectNode all = answer.putObject("quotas");
        for (Quota quota : Quota.values()) {
            ObjectNode one = all.putObject(quota.word());
            one.put("limit", own.getOrDefault(quota, quotas.standard(quota)));
            one.put("own", own.containsKey(quota));
            one.put("used", used(tenant, quota, store, census));
        }
        return answer;
    }

    private static long used(String tenant, Quota quota, QuotaStore store, Census census) {
        return switch (quota) {
            case QUEUED -> census.pending(tenant);
            case LIVE -> census.live(tenant);
            case TOOL_CALLS -> store.calls(tenant);
            case STORED_BYTES -> store.storedBytes(tenant);
        };
    }
}
