package org.sallyport.policyengine;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.execution.Cost;
import org.sallyport.policy.Budget;
import org.sallyport.policy.PersonalDataType;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/**
 * Decides by the first rule that holds. Delegates to another policy when no rule holds. Denies a call if a rule needs
 * its arguments and they cannot be read. Thread-safe.
 */
final class RuleBasedPolicy implements Policy {
    /** More tools than any catalog has. Beyond it, the rules of a tool are searched for each call. */
    private static final int MAX_CACHED_TOOLS = 10_000;

    private static final PolicyDecision UNREADABLE_ARGUMENTS = new PolicyDecision.DenyDecision(
            "default/unreadable-arguments", "the arguments of the call are not JSON that can be read safely");

    private final List<PolicyRule> rules;
    private final Policy fallbackPolicy;
    private final Set<PersonalDataType> hiddenDataTypes;
    private final List<CostRule> costRules;
    private final List<Budget> budgets;
    private final Map<ToolSpec, List<PolicyRule>> rulesByTool = new ConcurrentHashMap<>();

    RuleBasedPolicy(
            List<PolicyRule> rules,
            Policy otherwise,
            Set<PersonalDataType> hidden,
            List<CostRule> prices,
            List<Budget> budgets) {
        this.costRules = List.copyOf(prices);
        this.budgets = List.copyOf(budgets);
        this.rules = List.copyOf(rules);
        this.fallbackPolicy = otherwise;
        this.hiddenDataTypes = Set.copyOf(hidden);
    }

    @Override
    public Set<PersonalDataType> hiddenDataTypes() {
        return hiddenDataTypes;
    }

    @Override
    public List<Budget> budgets() {
        return budgets;
    }

    @Override
    public Optional<Cost> cost(ToolSpec tool, Json arguments) {
        for (CostRule price : costRules) {
            if (price.tools().allows(tool.name())) {
                return price.of(new LazyArguments(arguments));
            }
        }
        return Optional.of(Cost.ZERO);
    }

    @Override
    public PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
        LazyArguments read = new LazyArguments(arguments);
        try {
            for (PolicyRule rule : rulesFor(tool)) {
                if (rule.holds(read, situation)) {
                    return rule.decision();
                }
            }
        } catch (UnreadableArgumentsException unreadable) {
            return UNREADABLE_ARGUMENTS;
        }
        return fallbackPolicy.decide(tool, arguments, situation);
    }

    private List<PolicyRule> rulesFor(ToolSpec tool) {
        List<PolicyRule> known = rulesByTool.get(tool);
        if (known != null) {
            return known;
        }
        List<PolicyRule> about =
                rules.stream().filter(rule -> rule.appliesTo(tool)).toList();
        if (rulesByTool.size() < MAX_CACHED_TOOLS) {
            rulesByTool.put(tool, about);
        }
        return about;
    }
}
