package org.sallyport.rules;

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
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.PersonalKind;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;

/** Makes a policy of a document; docs/policies.md says what may be in one. */
public final class RuleReader {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final int MOST_RULES = 2_000;
    private static final Set<String> DOCUMENT = Set.of("rules", "labels", "otherwise", "hide", "costs", "budgets");
    private static final Set<String> RULE = Set.of(
            "name",
            "tools",
            "hints",
            "capability",
            "when",
            "after",
            "seen",
            "hours",
            "then",
            "reason",
            "value",
            "approvers",
            "patienceMillis",
            "atExpiry",
            "remind",
            "whenUnknown");

    private RuleReader() {}

    /** Reads it; the exception names the place of what is wrong with it. */
    public static Policy read(Json document) throws InvalidRulesException {
        Fields fields;
        try {
            fields = Fields.of("", JSON.readTree(document.text()));
        } catch (JsonProcessingException e) {
            throw new InvalidRulesException("", "is not JSON");
        }
        fields.allow(DOCUMENT);
        Map<String, Grants> labels = labels(fields);
        List<Rule> rules = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Place.Numbers places = new Place.Numbers();
        for (Fields each : fields.objects("rules", MOST_RULES)) {
            Rule rule = rule(each, labels, places);
            if (!names.add(rule.then().rule())) {
                throw each.fault("name", "is the name of an earlier rule");
            }
            rules.add(rule);
        }
        return new RuledPolicy(rules, otherwise(fields), hidden(fields), Price.prices(fields), Price.budgets(fields));
    }

    private static Set<PersonalKind> hidden(Fields fields) throws InvalidRulesException {
        Set<PersonalKind> kinds = EnumSet.noneOf(PersonalKind.class);
        for (String word : fields.texts("hide")) {
            kinds.add(PersonalKind.of(word)
                    .orElseThrow(() -> fields.fault(
                            "hide",
                            "must name some of "
                                    + Arrays.stream(PersonalKind.values())
                                            .map(PersonalKind::word)
                                            .collect(Collectors.joining(", ")))));
        }
        return kinds;
    }

    private static Policy otherwise(Fields fields) throws InvalidRulesException {
        String otherwise = fields.text("otherwise").orElse("standard");
        return switch (otherwise) {
            case "standard" -> Policy.standard();
            case "allow" -> (tool, arguments, situation) -> new Decision.Allow(Policies.DEFAULT_ALLOW);
            case "deny" ->
                (tool, arguments, situation) -> new Decision.Deny("otherwise", "no rule allows '" + tool.name() + "'");
            default -> throw fields.fault("otherwise", "must be standard, allow or deny");
        };
    }

    private static Map<String, Grants> labels(Fields fields) throws InvalidRulesException {
        Map<String, Grants> labels = new HashMap<>();
        Optional<Fields> given = fields.object("labels");
        if (given.isPresent()) {
            for (String label : given.get().names()) {
                labels.put(label, new Grants(given.get().texts(label)));
            }
        }
        return labels;
    }

    private static Rule rule(Fields fields, Map<String, Grants> labels, Place.Numbers places)
            throws InvalidRulesException {
        fields.allow(RULE);
        List<String> tools = fields.texts("tools");
        if (tools.isEmpty()) {
            throw fields.fault("tools", "is missing: globs of the tools that the rule speaks of, such as [\"mail.*\"]");
        }
        List<String> capability = fields.texts("capability");
        if (capability.isEmpty() && fields.value("capability").isPresent()) {
            throw fields.fault("capability", "must have globs of capabilities, such as [\"shop.*\"]");
        }
        List<ArgumentTest> when = new ArrayList<>();
        for (Fields each : fields.objects("when", 100)) {
            when.add(Conditions.argument(each, places));
        }
        List<Grants> seen = new ArrayList<>();
        for (String label : fields.texts("seen")) {
            Grants group = labels.get(label);
            if (group == null) {
                throw fields.fault("seen", "names '" + label + "', which is none of the document's labels");
            }
            seen.add(group);
        }
        Optional<Fields> hours = fields.object("hours");
        Optional<Fields> hints = fields.object("hints");
        return new Rule(
                new Grants(tools),
                hints.isPresent() ? Conditions.hints(hints.get()) : Rule.HintTest.ANY,
                capability,
                when,
                (int) fields.whole("after", 0, 1_000_000).orElse(0),
                seen,
                hours.isPresent() ? Optional.of(Conditions.hours(hours.get())) : Optional.empty(),
                Decisions.of(fields));
    }

    /** The JSON of a value in a document, as the script is to hear it. */
    static Json json(JsonNode value) {
        return new Json(value.toString());
    }
}
