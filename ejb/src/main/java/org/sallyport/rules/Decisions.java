package org.sallyport.rules;

import java.time.Duration;
import java.util.Set;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Terms;

/** What rules decide, read from their JSON. */
final class Decisions {
    private static final Set<String> OF_ASKING = Set.of("approvers", "patienceMillis", "atExpiry");

    private Decisions() {}

    static Decision of(Fields fields) throws InvalidRulesException {
        String name = fields.text("name").orElse("");
        if (name.isEmpty()) {
            throw fields.fault("name", "is missing: traces and refusals tell it");
        }
        String then = fields.text("then").orElse("");
        String reason = fields.text("reason").orElse("");
        boolean personKnows = personKnows(fields, then);
        only(fields, "mock", then, Set.of("value"));
        only(fields, "ask", then, OF_ASKING);
        return switch (then) {
            case "allow" -> new Decision.Allow(name, personKnows);
            case "deny" -> new Decision.Deny(name, reason.isEmpty() ? "the policy does not allow this call" : reason);
            case "ask" ->
                new Decision.Ask(
                        name,
                        new Terms(
                                (int) fields.whole("approvers", 1, 20).orElse(1),
                                Duration.ofMillis(fields.whole(
                                                "patienceMillis",
                                                1_000,
                                                Duration.ofDays(365).toMillis())
                                        .orElse(Terms.PATIENCE.toMillis())),
                                atExpiry(fields),
                                reason.isEmpty() ? "the policy asks a person before this call" : reason),
                        personKnows);
            case "mock" ->
                new Decision.Mock(
                        name,
                        fields.value("value")
                                .map(RuleReader::json)
                                .orElseThrow(() -> fields.fault("value", "is missing: what the call is answered")));
            default -> throw fields.fault("then", "must be allow, deny, ask or mock");
        };
    }

    private static void only(Fields fields, String decision, String then, Set<String> names)
            throws InvalidRulesException {
        for (String name : names) {
            if (!then.equals(decision) && fields.value(name).isPresent()) {
                throw fields.fault(name, "is only for rules whose 'then' is " + decision);
            }
        }
    }

    private static boolean personKnows(Fields fields, String then) throws InvalidRulesException {
        String whenUnknown = fields.text("whenUnknown").orElse("tell");
        if (!Set.of("tell", "ask").contains(whenUnknown)) {
            throw fields.fault("whenUnknown", "must be tell (the script) or ask (a person)");
        }
        if (whenUnknown.equals("ask") && !Set.of("allow", "ask").contains(then)) {
            throw fields.fault("whenUnknown", "is only for calls that may be made");
        }
        return whenUnknown.equals("ask");
    }

    private static Terms.AtExpiry atExpiry(Fields fields) throws InvalidRulesException {
        String atExpiry = fields.text("atExpiry").orElse("deny");
        return switch (atExpiry) {
            case "deny" -> Terms.AtExpiry.DENY;
            case "approve" -> Terms.AtExpiry.APPROVE;
            default -> throw fields.fault("atExpiry", "must be deny or approve");
        };
    }
}
