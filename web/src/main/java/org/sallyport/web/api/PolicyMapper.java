package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sallyport.bridge.PolicyBacktest;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.PolicyDecision;

/** Maps policy decisions to JSON. */
final class PolicyMapper {
    private PolicyMapper() {}

    static ObjectNode decision(PolicyDecision decision) {
        ObjectNode json = ExecutionMapper.object();
        json.put("rule", decision.rule());
        json.put("decision", PolicyBacktest.decisionName(decision));
        if (decision instanceof PolicyDecision.DenyDecision deny) {
            json.put("reason", deny.reason());
        } else if (decision instanceof PolicyDecision.AskDecision ask) {
            ApprovalTerms terms = ask.terms();
            json.put("reason", terms.reason());
            json.put("approvers", terms.requiredApprovals());
            json.put("timeoutMillis", terms.timeout().toMillis());
            addAtExpiry(json, terms.expiryAction());
        } else if (decision instanceof PolicyDecision.MockDecision mock) {
            json.set("value", ExecutionMapper.raw(mock.value()));
        }
        return json;
    }

    /** Adds what happens when an approval expires undecided. */
    static void addAtExpiry(ObjectNode json, ApprovalTerms.ExpiryAction atExpiry) {
        json.put("atExpiry", atExpiry.kind().name().toLowerCase(Locale.ROOT));
        atExpiry.value().ifPresent(value -> json.set("valueAtExpiry", ExecutionMapper.raw(value)));
    }

    static ObjectNode backtest(PolicyBacktest.BacktestResult result) {
        ObjectNode json = ExecutionMapper.object();
        json.put("executions", result.executions());
        json.put("calls", result.calls());
        json.put("complete", result.complete());
        var changed = json.putArray("changed");
        result.changed()
                .forEach(change -> changed.addObject()
                        .put("execution", change.execution().toString())
                        .put("call", change.call())
                        .put("tool", change.tool().toString())
                        .put("current", change.currentDecision())
                        .put("proposed", change.proposedDecision())
                        .put("rule", change.proposedRule()));
        return json;
    }
}
