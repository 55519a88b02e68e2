package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sallyport.callback.Callback;

/** Maps callbacks to JSON. */
final class CallbackMapper {
    private CallbackMapper() {}

    static ObjectNode callback(Callback callback) {
        ObjectNode json = ExecutionMapper.object()
                .put("execution", callback.execution().toString())
                .put("url", callback.url())
                .put("state", callback.state().name().toLowerCase(Locale.ROOT))
                .put("attempts", callback.attempts());
        callback.nextAttemptAt().ifPresent(at -> json.put("nextAt", at.toString()));
        callback.lastStatus().ifPresent(status -> json.put("status", status));
        callback.lastFailure().ifPresent(failure -> json.put("failure", failure));
        callback.finishedAt().ifPresent(at -> json.put("finishedAt", at.toString()));
        String self = "/api/v1/executions/" + callback.execution() + "/callback";
        json.putObject("links").put("self", self).put("redeliver", self + "/redeliver");
        return json;
    }
}
