package org.sallyport.policyengine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.policy.PersonalDataType;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.policy.ToolGrants;
import org.sallyport.tool.Json;

/** Parses policy documents; docs/policies.md describes the format. */
public final class PolicyParser {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final int MAX_RULES = 2_000;
    private static final Set<String> DOCUMENT_MEMBERS =
            Set.of("rules", "labels", "otherwise", "hide", "costs", "budgets");
    private static final Set<String> RULE_MEMBERS = Set.of(
            "name",
            "tools",
            "hints",
            "capability",
            "when",
            "after",
            "seen",
            "hours",
            "decision",
            "reason",
            "value",
            "approvers",
            "timeoutMillis",
            "atExpiry",
            "remind",
            "whenUnknown");

    private PolicyParser() {}

    /** Parses a document. The exception names the location of the error. */
    public static Policy parse(Json document) throws InvalidPolicyException {
        DocumentReader fields;
        try {
            fields = DocumentReader.of("", JSON.readTree(document.text()));
        } catch (JsonProcessingException e) {
            throw new InvalidPolicyException("", "is not JSON");
        }
        fields.allowOnly(DOCUMENT_MEMBERS);
        Map<String, ToolGrants> labels = parseLabels(fields);
        List<PolicyRule> rules = new ArrayList<>();
        Set<String> names = new HashSet<>();
        ArgumentLocation.ArgumentLocationRegistry places = new ArgumentLocation.ArgumentLocationRegistry();
        for (DocumentReader each : fields.objectList("rules", MAX_RULES)) {
            PolicyRule rule = parseRule(each, labels, places);
            if (!names.add(rule.decision().rule())) {
                throw each.invalid("name", "is the name of an earlier rule");
            }
            rules.add(rule);
        }
        return new RuleBasedPolicy(
                rules,
                parseFallbackPolicy(fields),
                parseHiddenDataTypes(fields),
                CostRule.parseCostRules(fields),
                CostRule.parseBudgets(fields));
    }

    private static Set<PersonalDataType> parseHiddenDataTypes(DocumentReader fields) throws InvalidPolicyException {
        Set<PersonalDataType> kinds = EnumSet.noneOf(PersonalDataType.class);
        for (String word : fields.textList("hide")) {
            kinds.add(PersonalDataType.of(word)
                    .orElseThrow(() -> fields.invalid(
                            "hide",
                            "must name some of "
                                    + Arrays.stream(PersonalDataType.values())
                                            .map(PersonalDataType::label)
                                            .collect(Collectors.joining(", ")))));
        }
        return kinds;
    }

    private static Policy parseFallbackPolicy(DocumentReader fields) throws InvalidPolicyException {
        String otherwise = fields.text("otherwise").orElse("standard");
        return switch (otherwise) {
            case "standard" -> Policy.defaultPolicy();
            case "allow" ->
                (tool, arguments, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
            case "deny" ->
                (tool, arguments, situation) ->
                        new PolicyDecision.DenyDecision("otherwise", "no rule allows '" + tool.name() + "'");
            default -> throw fields.invalid("otherwise", "must be standard, allow or deny");
        };
    }

    private static Map<String, ToolGrants> parseLabels(DocumentReader fields) throws InvalidPolicyException {
        Map<String, ToolGrants> labels = new HashMap<>();
        Optional<DocumentReader> given = fields.object("labels");
        if (given.isPresent()) {
            for (String label : given.get().memberNames()) {
                labels.put(label, new ToolGrants(given.get().textList(label)));
            }
        }
        return labels;
    }

    private static PolicyRule parseRule(
            DocumentReader fields, Map<String, ToolGrants> labels, ArgumentLocation.ArgumentLocationRegistry places)
            throws InvalidPolicyException {
        fields.allowOnly(RULE_MEMBERS);
        List<String> tools = fields.textList("tools");
        if (tools.isEmpty()) {
            throw fields.invalid(
                    "tools", "is missing: globs of the tools that the rule applies to, such as [\"mail.*\"]");
        }
        List<String> capability = fields.textList("capability");
        if (capability.isEmpty() && fields.value("capability").isPresent()) {
            throw fields.invalid("capability", "must have globs of capabilities, such as [\"shop.*\"]");
        }
        List<ArgumentCondition> when = new ArrayList<>();
        for (DocumentReader each : fields.objectList("when", 100)) {
            when.add(ConditionParser.parseArgumentCondition(each, places));
        }
        List<ToolGrants> seen = new ArrayList<>();
        for (String label : fields.textList("seen")) {
            ToolGrants group = labels.get(label);
            if (group == null) {
                throw fields.invalid("seen", "names '" + label + "', which is not a label of the document");
            }
            seen.add(group);
        }
        Optional<DocumentReader> hours = fields.object("hours");
        Optional<DocumentReader> hints = fields.object("hints");
        return new PolicyRule(
                new ToolGrants(tools),
                hints.isPresent() ? ConditionParser.parseHints(hints.get()) : PolicyRule.HintCondition.ANY,
                capability,
                when,
                (int) fields.integer("after", 0, 1_000_000).orElse(0),
                seen,
                hours.isPresent() ? Optional.of(ConditionParser.parseTimeWindow(hours.get())) : Optional.empty(),
                DecisionParser.parse(fields));
    }

    /** Returns a value of a document as the JSON that the script receives. */
    static Json toJson(JsonNode value) {
        return new Json(value.toString());
    }
}
