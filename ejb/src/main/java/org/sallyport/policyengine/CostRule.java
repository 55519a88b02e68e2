package org.sallyport.policyengine;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;
import org.sallyport.policy.Budget;
import org.sallyport.policy.ToolGrants;

/**
 * Cost of the calls of some tools.
 *
 * @param tools the tools
 * @param unitCost cost per call, or per unit with a multiplier
 * @param multiplierPointer location of the number of units in the arguments
 */
record CostRule(ToolGrants tools, BigDecimal unitCost, Optional<JsonPointer> multiplierPointer) {
    private static final int MAX_COST_RULES = 500;
    private static final int MAX_BUDGETS = 50;
    private static final int MAX_NAME_LENGTH = 100;

    /**
     * Returns the cost of a call; empty when its arguments cannot be read.
     *
     * @param arguments arguments of the call
     */
    Optional<Cost> of(LazyArguments arguments) {
        if (multiplierPointer.isEmpty()) {
            return Optional.of(Cost.of(unitCost));
        }
        try {
            BigDecimal units = multiplier(arguments.root().at(multiplierPointer.get()));
            return Optional.of(Cost.of(unitCost.multiply(units)));
        } catch (UnreadableArgumentsException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * A missing or negative number counts as one, so that a script cannot make a call free, or its cost negative, by
     * leaving it out.
     */
    private static BigDecimal multiplier(JsonNode value) {
        if (value.isNumber() && value.decimalValue().signum() >= 0) {
            return value.decimalValue();
        } else if (value.isArray()) {
            return BigDecimal.valueOf(value.size());
        }
        return value.isTextual() ? BigDecimal.valueOf(value.textValue().length()) : BigDecimal.ONE;
    }

    static List<CostRule> parseCostRules(DocumentReader document) throws InvalidPolicyException {
        List<CostRule> prices = new ArrayList<>();
        for (DocumentReader each : document.objectList("costs", MAX_COST_RULES)) {
            each.allowOnly(Set.of("tools", "cost", "multiplierPointer"));
            List<String> tools = each.textList("tools");
            if (tools.isEmpty()) {
                throw each.invalid("tools", "is missing: globs of the tools that have this cost, such as [\"ai.*\"]");
            }
            prices.add(new CostRule(
                    new ToolGrants(tools),
                    cost(each),
                    each.text("multiplierPointer").isPresent()
                            ? Optional.of(ConditionParser.parsePointer(each, "multiplierPointer"))
                            : Optional.empty()));
        }
        return prices;
    }

    private static BigDecimal cost(DocumentReader fields) throws InvalidPolicyException {
        BigDecimal cost = fields.number("cost");
        if (cost.signum() < 0
                || cost.compareTo(Cost.MAX_VALUE.amount()) > 0
                || Cost.of(cost).amount().compareTo(cost) != 0) {
            throw fields.invalid(
                    "cost", "must be a number from 0 to " + Cost.MAX_VALUE + " with at most six decimal places");
        }
        return Cost.of(cost).amount();
    }

    static List<Budget> parseBudgets(DocumentReader document) throws InvalidPolicyException {
        List<Budget> budgets = new ArrayList<>();
        for (DocumentReader each : document.objectList("budgets", MAX_BUDGETS)) {
            each.allowOnly(Set.of("name", "scope", "period", "cost", "keys", "onExceeded"));
            String name = each.text("name").orElse("");
            if (name.isBlank() || name.length() > MAX_NAME_LENGTH || name.equals(Budget.SUBMISSION_BUDGET_NAME)) {
                throw each.invalid("name", "must be 1 to " + MAX_NAME_LENGTH + " characters: error messages show it");
            } else if (budgets.stream().anyMatch(budget -> budget.name().equals(name))) {
                throw each.invalid("name", "is the name of an earlier budget");
            }
            Budget.BudgetScope scope = parseScope(each);
            List<String> keys = each.textList("keys");
            if (!keys.isEmpty() && scope != Budget.BudgetScope.KEY) {
                throw each.invalid("keys", "is only for budgets of a key");
            }
            budgets.add(new Budget(
                    name,
                    scope,
                    parsePeriod(each, scope),
                    Cost.of(cost(each)),
                    Set.copyOf(keys),
                    parseAsksWhenExceeded(each)));
        }
        return budgets;
    }

    private static Budget.BudgetScope parseScope(DocumentReader fields) throws InvalidPolicyException {
        return switch (fields.text("scope").orElse("")) {
            case "tenant" -> Budget.BudgetScope.TENANT;
            case "key" -> Budget.BudgetScope.KEY;
            case "execution" -> Budget.BudgetScope.EXECUTION;
            default -> throw fields.invalid("scope", "must be tenant, key or execution");
        };
    }

    private static Optional<Budget.BudgetPeriod> parsePeriod(DocumentReader fields, Budget.BudgetScope scope)
            throws InvalidPolicyException {
        Optional<String> period = fields.text("period");
        if (scope == Budget.BudgetScope.EXECUTION) {
            if (period.isPresent()) {
                throw fields.invalid("period", "is not for budgets of an execution");
            }
            return Optional.empty();
        }
        return Optional.of(
                switch (period.orElse("")) {
                    case "day" -> Budget.BudgetPeriod.DAY;
                    case "month" -> Budget.BudgetPeriod.MONTH;
                    default -> throw fields.invalid("period", "must be day or month");
                });
    }

    private static boolean parseAsksWhenExceeded(DocumentReader fields) throws InvalidPolicyException {
        return switch (fields.text("onExceeded").orElse("refuse")) {
            case "refuse" -> false;
            case "ask" -> true;
            default -> throw fields.invalid("onExceeded", "must be refuse or ask");
        };
    }
}
