package org.sallyport.policyengine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * A policy of many rules decides like its rules one by one: the first rule that holds decides, regardless of cached
 * values.
 */
class RuleOrderEquivalenceTest {
    private static final PolicyContext SITUATION =
            new PolicyContext("t", () -> List.of(new ToolName("a", "x")), Instant.parse("2026-11-25T12:00:00Z"));
    private static final List<String> VALUES =
            List.of("\"x\"", "\"/etc/a\"", "\"\"", "1", "1.0", "2.50", "true", "null", "[]", "[1,\"x\"]", "{\"a\":1}");

    private final Random random = new Random(11);

    @Test
    void firstMatchingRuleDecides() throws InvalidPolicyException {
        List<String> rules = new ArrayList<>();
        List<Policy> alone = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            String rule = "{\"name\":\"r%d\",\"tools\":[%s],\"when\":[%s],%s\"decision\":\"deny\"}"
                    .formatted(
                            i, one("\"a.*\"", "\"b.*\"", "\"*.x\",\"b.y\"", "\"*\""), tests(), one("", "\"after\":1,"));
            rules.add(rule);
            alone.add(policy(List.of(rule)));
        }
        Policy together = policy(rules);
        TreeSet<Integer> deciding = new TreeSet<>();
        for (int i = 0; i < 1_500; i++) {
            ToolSpec tool = tool(one("a.x", "a.y", "b.x", "b.y", "c.x", "c.z"));
            Json arguments = new Json(arguments());
            int first = IntStream.range(0, alone.size())
                    .filter(rule -> decides(alone.get(rule), tool, arguments))
                    .findFirst()
                    .orElse(-1);
            deciding.add(first);
            assertThat(together.decide(tool, arguments, SITUATION).rule())
                    .as("%s(%s)", tool.name(), arguments)
                    .isEqualTo(first < 0 ? "default/allow" : "r" + first);
        }
        assertThat(deciding).hasSizeGreaterThan(20);
    }

    /** The rules test more argument paths than usual, and the first rule tests the last path. */
    @Test
    void everyArgumentPathIsCheckedSeparately() throws InvalidPolicyException {
        List<String> rules = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rules.add(("{\"name\":\"r%d\",\"tools\":[\"%s\"],\"when\":[{\"at\":\"/n%d\",\"is\":\"yes\"}],"
                            + "\"decision\":\"deny\"}")
                    .formatted(i, i == 0 ? "a.never" : "a.x", i == 0 ? 99 : i - 1));
        }
        Policy policy = policy(rules);
        for (int i = 98; i >= 0; i--) {
            Json arguments = new Json("{\"n%d\":\"yes\",\"other\":\"yes\"}".formatted(i));
            assertThat(policy.decide(tool("a.x"), arguments, SITUATION).rule()).isEqualTo("r" + (i + 1));
        }
        assertThat(policy.decide(tool("a.x"), new Json("{\"n99\":\"yes\"}"), SITUATION)
                        .rule())
                .isEqualTo("default/allow");
    }

    private boolean decides(Policy rule, ToolSpec tool, Json arguments) {
        return !rule.decide(tool, arguments, SITUATION).rule().equals("default/allow");
    }

    private static Policy policy(List<String> rules) throws InvalidPolicyException {
        return PolicyParser.parse(new Json("{\"otherwise\":\"allow\",\"rules\":[" + String.join(",", rules) + "]}"));
    }

    private static ToolSpec tool(String name) {
        return new ToolSpec(ToolName.parse(name), "", new Json("{}"), ToolHints.EFFECT);
    }

    private String tests() {
        List<String> tests = new ArrayList<>();
        for (int i = 3 + random.nextInt(3); i > 0; i--) {
            String test = one(
                    "\"is\":" + value(),
                    "\"in\":[" + value() + "," + value() + "]",
                    "\"above\":1",
                    "\"below\":2",
                    "\"longerThan\":1",
                    "\"contains\":\"x\"",
                    "\"matches\":\"^/etc/\"",
                    "\"matches\":\"x$\"",
                    "\"exists\":" + one("true", "false"));
            tests.add("{\"at\":\"" + place() + "\"," + one("", "", "", "\"not\":true,") + test + "}");
        }
        return String.join(",", tests);
    }

    private String arguments() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            if (random.nextBoolean()) {
                members.add("\"n" + i + "\":" + value());
            }
        }
        return "{" + String.join(",", members) + "}";
    }

    private String place() {
        return one("", "/n" + random.nextInt(12), "/n" + random.nextInt(12), "/n1/0", "/n2/a");
    }

    private String value() {
        return VALUES.get(random.nextInt(VALUES.size()));
    }

    private String one(String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
