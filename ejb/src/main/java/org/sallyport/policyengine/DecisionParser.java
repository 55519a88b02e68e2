package org.sallyport.policyengine;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.ReminderSchedule;
import org.sallyport.tool.Json;

/** Parses the decisions of rules from JSON. */
final class DecisionParser {
    private static final Set<String> ASK_MEMBERS = Set.of("approvers", "timeoutMillis", "atExpiry", "remind");

    /** People would ignore more reminders. */
    private static final int MAX_REMINDERS = 10;

    private static final long MIN_REMINDER_MILLIS = 1_000;

    /** Each approval stores and shows a copy of the value. */
    private static final int MAX_VALUE_LENGTH = 65_536;

    private DecisionParser() {}

    static PolicyDecision parse(DocumentReader fields) throws InvalidPolicyException {
        String name = fields.text("name").orElse("");
        if (name.isEmpty()) {
            throw fields.invalid("name", "is missing: traces and error messages show it");
        }
        String decision = fields.text("decision").orElse("");
        String reason = fields.text("reason").orElse("");
        boolean personKnows = parseApproverCanConfirm(fields, decision);
        allowOnlyFor(fields, "mock", decision, Set.of("value"));
        allowOnlyFor(fields, "ask", decision, ASK_MEMBERS);
        return switch (decision) {
            case "allow" -> new PolicyDecision.AllowDecision(name, personKnows);
            case "deny" ->
                new PolicyDecision.DenyDecision(
                        name, reason.isEmpty() ? "the policy does not allow this call" : reason);
            case "ask" ->
                new PolicyDecision.AskDecision(
                        name,
                        parseTerms(fields, reason.isEmpty() ? "the policy requires an approval for this call" : reason),
                        personKnows);
            case "mock" ->
                new PolicyDecision.MockDecision(
                        name,
                        fields.value("value")
                                .map(PolicyParser::toJson)
                                .orElseThrow(() -> fields.invalid("value", "is missing: the result of the call")));
            default -> throw fields.invalid("decision", "must be allow, deny, ask or mock");
        };
    }

    private static ApprovalTerms parseTerms(DocumentReader fields, String reason) throws InvalidPolicyException {
        long timeoutMillis = fields.integer(
                        "timeoutMillis", 1_000, Duration.ofDays(365).toMillis())
                .orElse(ApprovalTerms.DEFAULT_TIMEOUT.toMillis());
        return new ApprovalTerms(
                (int) fields.integer("approvers", 1, 20).orElse(1),
                Duration.ofMillis(timeoutMillis),
                parseExpiryAction(fields),
                reason,
                parseReminders(fields, timeoutMillis));
    }

    private static ReminderSchedule parseReminders(DocumentReader fields, long timeoutMillis)
            throws InvalidPolicyException {
        Optional<DocumentReader> given = fields.object("remind");
        if (given.isEmpty()) {
            return ReminderSchedule.NONE;
        }
        DocumentReader remind = given.get();
        remind.allowOnly(Set.of("beforeMillis", "everyMillis", "times"));
        int times = (int) remind.integer("times", 1, MAX_REMINDERS).orElse(1);
        long before = remind.integer("beforeMillis", MIN_REMINDER_MILLIS, Math.max(MIN_REMINDER_MILLIS, timeoutMillis))
                .orElseThrow(() -> remind.invalid("beforeMillis", "is missing: how long before the deadline"));
        if (before >= timeoutMillis) {
            throw remind.invalid("beforeMillis", "must be less than timeoutMillis, which is " + timeoutMillis);
        }
        long maxIntervalMillis = times == 1 ? before : (before - 1) / (times - 1);
        long every = remind.integer(
                        "everyMillis", MIN_REMINDER_MILLIS, Math.max(MIN_REMINDER_MILLIS, maxIntervalMillis))
                .orElse(times == 1 ? MIN_REMINDER_MILLIS : -1);
        if (every < 0) {
            throw remind.invalid("everyMillis", "is missing: how long after each reminder the next one comes");
        } else if (times > 1 && every > maxIntervalMillis) {
            throw remind.invalid("times", "puts the last reminder after the deadline");
        }
        return new ReminderSchedule(Duration.ofMillis(before), Duration.ofMillis(every), times);
    }

    private static void allowOnlyFor(DocumentReader fields, String requiredDecision, String decision, Set<String> names)
            throws InvalidPolicyException {
        for (String name : names) {
            if (!decision.equals(requiredDecision) && fields.value(name).isPresent()) {
                throw fields.invalid(name, "is only for rules whose 'decision' is " + requiredDecision);
            }
        }
    }

    private static boolean parseApproverCanConfirm(DocumentReader fields, String decision)
            throws InvalidPolicyException {
        String whenUnknown = fields.text("whenUnknown").orElse("tell");
        if (!Set.of("tell", "ask").contains(whenUnknown)) {
            throw fields.invalid("whenUnknown", "must be tell (the script) or ask (a person)");
        }
        if (whenUnknown.equals("ask") && !Set.of("allow", "ask").contains(decision)) {
            throw fields.invalid("whenUnknown", "is only for rules whose 'decision' is allow or ask");
        }
        return whenUnknown.equals("ask");
    }

    private static Json parseExpiryValue(DocumentReader atExpiry) throws InvalidPolicyException {
        atExpiry.allowOnly(Set.of("value"));
        Json value = atExpiry.value("value")
                .map(PolicyParser::toJson)
                .orElseThrow(() -> atExpiry.invalid(
                        "value", "is missing: the value that the call returns when its approval expires"));
        if (value.text().length() > MAX_VALUE_LENGTH) {
            throw atExpiry.invalid("value", "must have at most " + MAX_VALUE_LENGTH + " characters of JSON");
        }
        return value;
    }

    private static ApprovalTerms.ExpiryAction parseExpiryAction(DocumentReader fields) throws InvalidPolicyException {
        Optional<JsonNode> given = fields.value("atExpiry").filter(value -> !value.isNull());
        if (given.isEmpty()) {
            return ApprovalTerms.ExpiryAction.DENY;
        } else if (given.get().isObject()) {
            return ApprovalTerms.ExpiryAction.value(
                    parseExpiryValue(fields.object("atExpiry").orElseThrow()));
        }
        return switch (given.get().asText()) {
            case "deny" -> ApprovalTerms.ExpiryAction.DENY;
            case "approve" -> ApprovalTerms.ExpiryAction.APPROVE;
            default ->
                throw fields.invalid(
                        "atExpiry",
                        "must be deny, approve, or {\"value\": …}, the result of the call, which is then not made");
        };
    }
}
