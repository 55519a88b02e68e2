package org.sallyport.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.execution.Cost;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Decision;
import org.sallyport.policy.PersonalKind;
import org.sallyport.policy.Policy;
import org.sallyport.policy.Situation;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** The first rule that holds decides; what none speaks of is for another policy. Thread-safe. */
final class RuledPolicy implements Policy {
    /** More tools than any catalog has; past it the rules are looked through each time. */
    private static final int REMEMBERED = 10_000;

    private final List<Rule> rules;
    private final Policy otherwise;
    private final Set<PersonalKind> hidden;
    private final List<Price> prices;
    private final List<Budget> budgets;
    private final Map<ToolSpec, List<Rule>> byTool = new ConcurrentHashMap<>();

    RuledPolicy(
            List<Rule> rules, Policy otherwise, Set<PersonalKind> hidden, List<Price> prices, List<Budget> budgets) {
        this.prices = List.copyOf(prices);
        this.budgets = List.copyOf(budgets);
        this.rules = List.copyOf(rules);
        this.otherwise = otherwise;
        this.hidden = Set.copyOf(hidden);
    }

    @Override
    public Set<PersonalKind> hidden() {
        return hidden;
    }

    @Override
    public List<Budget> budgets() {
        return budgets;
    }

    @Override
    public Optional<Cost> cost(ToolSpec tool, Json arguments) {
        for (Price price : prices) {
            if (price.tools().allows(tool.name())) {
                return price.of(new Reading(arguments));
            }
        }
        return Optional.of(Cost.ZERO);
    }

    @Override
    public Decision decide(ToolSpec tool, Json arguments, Situation situation) {
        Reading read = new Reading(arguments);
        for (Rule rule : about(tool)) {
            if (rule.holds(read, situation)) {
                return rule.then();
            }
        }
        return otherwise.decide(tool, arguments, situation);
    }

    private List<Rule> about(ToolSpec tool) {
        List<Rule> known = byTool.get(tool);
        if (known != null) {
            return known;
        }
        List<Rule> about = rules.stream().filter(rule -> rule.speaksOf(tool)).toList();
        if (byTool.size() < REMEMBERED) {
            byTool.put(tool, about);
        }
        return about;
    }
}
