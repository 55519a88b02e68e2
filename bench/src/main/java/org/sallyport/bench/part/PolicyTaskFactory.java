package org.sallyport.bench.part;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policyengine.InvalidPolicyException;
import org.sallyport.policyengine.PolicyParser;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/**
 * Creates the microbenchmarks of policy decisions. Each decides a call with
 * {@link SampleCall#ARGUMENTS small arguments} by the last of many rules.
 */
final class PolicyTaskFactory {
    static final int RULES = 1_000;

    private static final int BACKENDS = 100;
    private static final String LAST_RULE = "last";
    private static final PolicyContext CONTEXT =
            new PolicyContext("bench", List::of, Instant.parse("2026-01-05T09:00:00Z"));

    private PolicyTaskFactory() {}

    /**
     * Returns a policy of a thousand rules that all match the tool. Each rule tests the arguments, in one of eight
     * ways.
     */
    static Policy rulesForOneTool() {
        List<String> tools = List.of("\"files.*\"", "\"*.write\"", "\"mail.*\", \"files.wr*\"", "\"*\"");
        List<String> rules = new ArrayList<>();
        for (int i = 1; i < RULES; i++) {
            rules.add(rule("r" + i, tools.get(i % tools.size()), condition(i), "deny"));
        }
        rules.add(rule(LAST_RULE, "\"files.*\"", "{\"at\": \"/path\", \"matches\": \"^/data/\"}", "allow"));
        return policy(rules);
    }

    /** Returns a policy of a thousand rules for a hundred backends, as a large installation may have. */
    static Policy rulesForManyBackends() {
        List<String> rules = new ArrayList<>();
        for (int i = 1; i < RULES; i++) {
            String backend = i % BACKENDS == 0 ? "files" : "backend" + i % BACKENDS;
            rules.add(rule("r" + i, "\"" + backend + ".*\"", condition(i / BACKENDS), "deny"));
        }
        rules.add(rule(LAST_RULE, "\"files.write\"", "{\"at\": \"/size\", \"below\": 10000}", "allow"));
        return policy(rules);
    }

    /** Returns a condition that does not hold for the arguments. */
    private static String condition(int i) {
        return switch (i % 8) {
            case 0 -> "{\"at\": \"/path\", \"is\": \"/data/private/%d\"}".formatted(i);
            case 1 -> "{\"at\": \"/mode\", \"in\": [\"append%d\", \"create%d\"]}".formatted(i, i);
            case 2 -> "{\"at\": \"/size\", \"above\": %d}".formatted(100_000 + i);
            case 3 -> "{\"at\": \"/size\", \"below\": %d}".formatted(i % 100);
            case 4 -> "{\"at\": \"/path\", \"matches\": \"^/etc/.*\\\\.conf%d$\"}".formatted(i);
            case 5 -> "{\"at\": \"/path\", \"contains\": \"secret%d/\"}".formatted(i);
            case 6 -> "{\"at\": \"/tags\", \"longerThan\": %d}".formatted(100 + i);
            default -> "{\"at\": \"/owner%d/name\", \"exists\": true}".formatted(i % 40);
        };
    }

    private static String rule(String name, String tools, String when, String then) {
        return "{\"name\": \"%s\", \"tools\": [%s], \"when\": [%s], \"decision\": \"%s\"}"
                .formatted(name, tools, when, then);
    }

    private static Policy policy(List<String> rules) {
        try {
            return PolicyParser.parse(
                    new Json("{\"otherwise\": \"deny\", \"rules\": [" + String.join(",", rules) + "]}"));
        } catch (InvalidPolicyException e) {
            throw new IllegalStateException(e);
        }
    }

    static PolicyDecision decide(Policy policy, ToolSpec tool, Json arguments) {
        return policy.decide(tool, arguments, CONTEXT);
    }

    static MicrobenchmarkTask decisionTask(Policy policy) {
        return () -> {
            PolicyDecision decision = decide(policy, SampleCall.TOOL, SampleCall.ARGUMENTS);
            if (!decision.rule().equals(LAST_RULE)) {
                throw new WrongResultException(
                        "the policy decided by rule " + decision.rule() + " instead of " + LAST_RULE);
            }
            return decision;
        };
    }
}
