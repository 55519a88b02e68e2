package org.sallyport.rules;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Grants;

/**
 * What calls of some tools cost.
 *
 * @param tools which
 * @param cost how much, or how much for each
 * @param times where in the arguments it says how many
 */
record Price(Grants tools, BigDecimal cost, Optional<JsonPointer> times) {
    private static final int MOST_PRICES = 500;
    private static final int MOST_BUDGETS = 50;
    private static final int LONGEST_NAME = 100;

    /** @param arguments of the call */
    Optional<Cost> of(Reading arguments) {
        if (times.isEmpty()) {
            return Optional.of(Cost.of(cost));
        }
        JsonNode read = arguments.all();
        return read.isMissingNode()
                ? Optional.empty()
                : Optional.of(Cost.of(cost.multiply(many(read.at(times.get())))));
    }

    /** What says nothing of how many is one: nothing that a script leaves out makes a call free, or cheaper than none. */
    private static BigDecimal many(JsonNode value) {
        if (value.isNumber() && value.decimalValue().signum() >= 0) {
            return value.decimalValue();
        } else if (value.isArray()) {
            return BigDecimal.valueOf(value.size());
        }
        return value.isTextual() ? BigDecimal.valueOf(value.textValue().length()) : BigDecimal.ONE;
    }

    static List<Price> prices(Fields document) throws InvalidRulesException {
        List<Price> prices = new ArrayList<>();
        for (Fields each : document.objects("costs", MOST_PRICES)) {
            each.allow(Set.of("tools", "cost", "times"));
            List<String> tools = each.texts("tools");
            if (tools.isEmpty()) {
                throw each.fault("tools", "is missing: globs of the tools that cost this, such as [\"ai.*\"]");
            }
            prices.add(new Price(
                    new Grants(tools),
                    cost(each),
                    each.text("times").isPresent()
                            ? Optional.of(Conditions.pointer(each, "times"))
                            : Optional.empty()));
        }
        return prices;
    }

    private static BigDecimal cost(Fields fields) throws InvalidRulesException {
        BigDecimal cost = fields.number("cost");
        if (cost.signum() < 0
                || cost.compareTo(Cost.MOST.amount()) > 0
                || Cost.of(cost).amount().compareTo(cost) != 0) {
            throw fields.fault("cost", "must be a number from 0 to " + Cost.MOST + " with at most six decimal places");
        }
        return Cost.of(cost).amount();
    }

    static List<Budget> budgets(Fields document) throws InvalidRulesException {
        List<Budget> budgets = new ArrayList<>();
        for (Fields each : document.objects("budgets", MOST_BUDGETS)) {
            each.allow(Set.of("name", "of", "per", "cost", "keys", "then"));
            String name = each.text("name").orElse("");
            if (name.isBlank() || name.length() > LONGEST_NAME || name.equals(Budget.OF_SUBMISSION)) {
                throw each.fault("name", "must be 1 to " + LONGEST_NAME + " characters: refusals tell it");
            } else if (budgets.stream().anyMatch(budget -> budget.name().equals(name))) {
                throw each.fault("name", "is the name of an earlier budget");
            }
            Budget.Of of = of(each);
            List<String> keys = each.texts("keys");
            if (!keys.isEmpty() && of != Budget.Of.KEY) {
                throw each.fault("keys", "is only for budgets of a key");
            }
            budgets.add(new Budget(name, of, period(each, of), Cost.of(cost(each)), Set.copyOf(keys), asks(each)));
        }
        return budgets;
    }

    private static Budget.Of of(Fields fields) throws InvalidRulesException {
        return switch (fields.text("of").orElse("")) {
            case "tenant" -> Budget.Of.TENANT;
            case "key" -> Budget.Of.KEY;
            case "execution" -> Budget.Of.EXECUTION;
            default -> throw fields.fault("of", "must be tenant, key or execution");
        };
    }

    private static Optional<Budget.Period> period(Fields fields, Budget.Of of) throws InvalidRulesException {
        Optional<String> per = fields.text("per");
        if (of == Budget.Of.EXECUTION) {
            if (per.isPresent()) {
                throw fields.fault("per", "is not for budgets of an execution");
            }
            return Optional.empty();
        }
        return Optional.of(
                switch (per.orElse("")) {
                    case "day" -> Budget.Period.DAY;
                    case "month" -> Budget.Period.MONTH;
                    default -> throw fields.fault("per", "must be day or month");
                });
    }

    private static boolean asks(Fields fields) throws InvalidRulesException {
        return switch (fields.text("then").orElse("refuse")) {
            case "refuse" -> false;
            case "ask" -> true;
            default -> throw fields.fault("then", "must be refuse or ask");
        };
    }
}
