package org.sallyport.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Reminders;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;

/** What rules decide, read from their JSON. */
final class Decisions {
    private static final Set<String> OF_ASKING = Set.of("approvers", "patienceMillis", "atExpiry", "remind");

    /** More of them would be read by nobody. */
    private static final int MOST_REMINDERS = 10;

    private static final long LEAST_REMINDER = 1_000;

    /** Each approval has a copy of it, and shows it. */
    private static final int LONGEST_VALUE = 65_536;

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
                        terms(fields, reason.isEmpty() ? "the policy asks a person before this call" : reason),
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

    private static Terms terms(Fields fields, String reason) throws InvalidRulesException {
        long patience = fields.whole(
                        "patienceMillis", 1_000, Duration.ofDays(365).toMillis())
                .orElse(Terms.PATIENCE.toMillis());
        return new Terms(
                (int) fields.whole("approvers", 1, 20).orElse(1),
                Duration.ofMillis(patience),
                atExpiry(fields),
                reason,
                reminders(fields, patience));
    }

    private static Reminders reminders(Fields fields, long patience) throws InvalidRulesException {
        Optional<Fields> given = fields.object("remind");
        if (given.isEmpty()) {
            return Reminders.NONE;
        }
        Fields remind = given.get();
        remind.allow(Set.of("beforeMillis", "everyMillis", "times"));
        int times = (int) remind.whole("times", 1, MOST_REMINDERS).orElse(1);
        long before = remind.whole("beforeMillis", LEAST_REMINDER, Math.max(LEAST_REMINDER, patience))
                .orElseThrow(() -> remind.fault("beforeMillis", "is missing: how long before the deadline"));
        if (before >= patience) {
            throw remind.fault("beforeMillis", "must be less than patienceMillis, which is " + patience);
        }
        long most = times == 1 ? before : (before - 1) / (times - 1);
        long every = remind.whole("everyMillis", LEAST_REMINDER, Math.max(LEAST_REMINDER, most))
                .orElse(times == 1 ? LEAST_REMINDER : -1);
        if (every < 0) {
            throw remind.fault("everyMillis", "is missing: how long after each reminder the next one comes");
        } else if (times > 1 && every > most) {
            throw remind.fault("times", "has the last one come after the deadline");
        }
        return new Reminders(Duration.ofMillis(before), Duration.ofMillis(every), times);
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

    private static Json answer(Fields atExpiry) throws InvalidRulesException {
        atExpiry.allow(Set.of("value"));
        Json value = atExpiry.value("value")
                .map(RuleReader::json)
                .orElseThrow(() ->
                        atExpiry.fault("value", "is missing: what the call is answered when nobody decides in time"));
        if (value.text().length() > LONGEST_VALUE) {
            throw atExpiry.fault("value", "must have at most " + LONGEST_VALUE + " characters of JSON");
        }
        return value;
    }

    private static Terms.AtExpiry atExpiry(Fields fields) throws InvalidRulesException {
        Optional<JsonNode> given = fields.value("atExpiry").filter(value -> !value.isNull());
        if (given.isEmpty()) {
            return Terms.AtExpiry.DENY;
        } else if (given.get().isObject()) {
            return Terms.AtExpiry.value(answer(fields.object("atExpiry").orElseThrow()));
        }
        return switch (given.get().asText()) {
            case "deny" -> Terms.AtExpiry.DENY;
            case "approve" -> Terms.AtExpiry.APPROVE;
            default ->
                throw fields.fault(
                        "atExpiry",
                        "must be deny, approve, or {\"value\": …}: what the call is answered without being made");
        };
    }
}
