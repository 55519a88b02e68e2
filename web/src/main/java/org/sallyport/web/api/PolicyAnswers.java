package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sallyport.bridge.PolicyTrial;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Terms;

/** Decisions of policies as JSON. */
final class PolicyAnswers {
    private PolicyAnswers() {}

    static ObjectNode decision(Decision decision) {
        ObjectNode json = Representation.object();
        json.put("rule", decision.rule());
        json.put("decision", PolicyTrial.name(decision));
        if (decision instanceof Decision.Deny deny) {
            json.put("reason", deny.reason());
        } else if (decision instanceof Decision.Ask ask) {
            Terms terms = ask.terms();
            json.put("reason", terms.reason());
            json.put("approvers", terms.approvers());
            json.put("patienceMillis", terms.patience().toMillis());
            atExpiry(json, terms.atExpiry());
        } else if (decision instanceof Decision.Mock mock) {
            json.set("value", Representation.raw(mock.value()));
        }
        return json;
    }

    /** What happens when nobody decides in time. */
    static void atExpiry(ObjectNode json, Terms.AtExpiry atExpiry) {
        json.put("atExpiry", atExpiry.kind().name().toLowerCase(Locale.ROOT));
        atExpiry.value().ifPresent(value -> json.set("valueAtExpiry", Representation.raw(value)));
    }

    static ObjectNode trial(PolicyTrial.Result result) {
        ObjectNode json = Representation.object();
        json.put("executions", result.executions());
        json.put("calls", result.calls());
        json.put("complete", result.complete());
        var changed = json.putArray("changed");
        result.changed()
                .forEach(change -> changed.addObject()
                        .put("execution", change.execution().toString())
                        .put("call", change.call())
                        .put("tool", change.tool().toString())
                        .put("now", change.now())
                        .put("then", change.then())
                        .put("rule", change.rule()));
        return json;
    }
}
