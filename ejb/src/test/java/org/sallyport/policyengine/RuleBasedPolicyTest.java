package org.sallyport.policyengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.Cost;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.ReminderSchedule;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class RuleBasedPolicyTest {
    /** A Wednesday. */
    private static final Instant NOON = Instant.parse("2026-11-25T12:00:00Z");

    private static ToolSpec tool(String name, ToolHints hints) {
        return new ToolSpec(ToolName.parse(name), "", new Json("{}"), hints);
    }

    private static PolicyDecision decide(Policy policy, String tool, String arguments, String... before) {
        return policy.decide(
                tool(tool, ToolHints.EFFECT),
                new Json(arguments),
                new PolicyContext(
                        "t", () -> List.of(before).stream().map(ToolName::parse).toList(), NOON));
    }

    private static Policy read(String document) throws InvalidPolicyException {
        return PolicyParser.parse(new Json(document));
    }

    private static Policy rule(String members) throws InvalidPolicyException {
        return read("{\"otherwise\":\"allow\",\"rules\":[{\"name\":\"r\",\"tools\":[\"b.*\"],\"decision\":\"deny\","
                + members + "}]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.x|{}|2",
                "ai.ask|{\"n\":3}|1.5",
                "ai.ask|{\"n\":0}|0",
                "ai.ask|{\"n\":-3}|0.5",
                "ai.ask|{}|0.5",
                "ai.ask|{\"n\":null}|0.5",
                "ai.ask|{\"n\":[1,2]}|1",
                "ai.ask|{\"n\":\"four\"}|2",
                "ai.ask|{\"n\":1e999999999}|1000000000000",
                "ai.ask|{\"n\":1e-999999999}|0.000001",
                "ai.ask|[]|0.5",
                "ai.other|{}|0",
                "free.x|{}|0"
            })
    void firstMatchingPriceDecides(String tool, String arguments, String cost) throws InvalidPolicyException {
        Policy policy = read("""
                {"rules":[],"costs":[{"tools":["a.*"],"cost":2},{"tools":["*.ask"],"cost":0.5,"multiplierPointer":"/n"},
                  {"tools":["a.x"],"cost":9}]}""");
        assertThat(policy.cost(tool(tool, ToolHints.EFFECT), new Json(arguments)))
                .contains(Cost.of(cost));
    }

    @Test
    void unreadableArgumentsHaveNoPrice() throws InvalidPolicyException {
        Policy policy = read("{\"rules\":[],\"costs\":[{\"tools\":[\"*\"],\"cost\":1,\"multiplierPointer\":\"/n\"}]}");
        String deep = "{\"n\":2,\"m\":" + "[".repeat(5_000) + "]".repeat(5_000) + "}";
        assertThat(policy.cost(tool("a.b", ToolHints.EFFECT), new Json(deep))).isEmpty();
    }

    @Test
    void budgetsAreParsed() throws InvalidPolicyException {
        assertThat(read("""
                {"rules":[],"budgets":[{"name":"a","scope":"tenant","period":"month","cost":100},
                  {"name":"b","scope":"key","period":"day","cost":0.5,"keys":["k"],"onExceeded":"ask"},{"name":"c",\
                "scope":"execution","cost":1}]}""").budgets())
                .containsExactly(
                        new Budget(
                                "a",
                                Budget.BudgetScope.TENANT,
                                Optional.of(Budget.BudgetPeriod.MONTH),
                                Cost.of("100"),
                                Set.of(),
                                false),
                        new Budget(
                                "b",
                                Budget.BudgetScope.KEY,
                                Optional.of(Budget.BudgetPeriod.DAY),
                                Cost.of("0.5"),
                                Set.of("k"),
                                true),
                        new Budget("c", Budget.BudgetScope.EXECUTION, Optional.empty(), Cost.of("1"), Set.of(), false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"costs\":[{\"tools\":[\"a.*\"],\"cost\":-1}]}|costs[0].cost",
                "{\"costs\":[{\"cost\":1}]}|costs[0].tools",
                "{\"costs\":[{\"tools\":[\"a.*\"],\"cost\":0.0000001}]}|costs[0].cost",
                "{\"costs\":[{\"tools\":[\"a.*\"]}]}|costs[0].cost",
                "{\"costs\":[{\"tools\":[\"a.*\"],\"cost\":1e99}]}|costs[0].cost",
                "{\"costs\":[{\"tools\":[\"a.*\"],\"cost\":1,\"multiplierPointer\":\"n\"}]}|costs[0].multiplierPointer",
                "{\"budgets\":[{\"scope\":\"key\",\"period\":\"day\",\"cost\":1}]}|budgets[0].name",
                "{\"budgets\":[{\"name\":\"limits.cost\",\"scope\":\"execution\",\"cost\":1}]}|budgets[0].name",
                "{\"budgets\":[{\"name\":\"a\",\"scope\":\"all\",\"cost\":1}]}|budgets[0].scope",
                "{\"budgets\":[{\"name\":\"a\",\"scope\":\"key\",\"cost\":1}]}|budgets[0].period",
                "{\"budgets\":[{\"name\":\"a\",\"scope\":\"execution\",\"period\":\"day\",\"cost\":1}]}"
                        + "|budgets[0].period",
                "{\"budgets\":[{\"name\":\"a\",\"scope\":\"tenant\",\"period\":\"day\",\"cost\":1,"
                        + "\"keys\":[\"k\"]}]}|budgets[0].keys",
                "{\"budgets\":[{\"name\":\"a\",\"scope\":\"key\",\"period\":\"day\",\"cost\":1,"
                        + "\"onExceeded\":\"allow\"}]}|budgets[0].onExceeded"
            })
    void invalidCostsAndBudgetsAreRefusedWithTheirPath(String document, String place) {
        assertThatThrownBy(() -> read(document))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining(place);
    }

    @Test
    void askRuleConfiguresReminders() throws InvalidPolicyException {
        Policy policy = read("""
                {"rules":[
                  {"name":"once","tools":["a.once"],"decision":"ask","remind":{"beforeMillis":3600000}},
                  {"name":"often","tools":["a.often"],"decision":"ask","timeoutMillis":86400000,
                   "remind":{"beforeMillis":3600000,"everyMillis":600000,"times":6}},
                  {"name":"never","tools":["a.never"],"decision":"ask"}
                ]}""");
        assertThat(reminders(policy, "a.once"))
                .isEqualTo(new ReminderSchedule(Duration.ofHours(1), Duration.ofSeconds(1), 1));
        assertThat(reminders(policy, "a.often"))
                .isEqualTo(new ReminderSchedule(Duration.ofHours(1), Duration.ofMinutes(10), 6));
        assertThat(reminders(policy, "a.never")).isEqualTo(ReminderSchedule.NONE);
    }

    private static ReminderSchedule reminders(Policy policy, String tool) {
        return ((PolicyDecision.AskDecision) decide(policy, tool, "{}")).terms().reminders();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            {}                                                        | remind.beforeMillis
            {"beforeMillis":999}                                      | remind.beforeMillis
            {"beforeMillis":60000}                                    | remind.beforeMillis
            {"beforeMillis":90000}                                    | remind.beforeMillis
            {"beforeMillis":9000,"times":0}                           | remind.times
            {"beforeMillis":9000,"times":11,"everyMillis":1000}       | remind.times
            {"beforeMillis":9000,"times":10,"everyMillis":1000}       | remind.times
            {"beforeMillis":9000,"times":2}                           | remind.everyMillis
            {"beforeMillis":9000,"times":2,"everyMillis":9000}        | remind.everyMillis
            {"beforeMillis":9000,"times":2,"everyMillis":999}         | remind.everyMillis
            {"beforeMillis":9000,"often":true}                        | remind.often
            []                                                        | remind
            """)
    void invalidRemindersAreRefusedWithTheirPath(String remind, String place) {
        assertThatThrownBy(() -> read(
                        "{\"rules\":[{\"name\":\"r\",\"tools\":[\"b.*\"],\"decision\":\"ask\",\"timeoutMillis\":60000,"
                                + "\"remind\":" + remind + "}]}"))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("rules[0]." + place);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            {"value":{"sent":false,"n":1.25}}  | {"sent":false,"n":1.25}
            {"value":null}                     | null
            {"value":"deny"}                   | "deny"
            {"value":[]}                       | []
            """)
    void askRuleMayConfigureAFallbackValueAtExpiry(String atExpiry, String value) throws InvalidPolicyException {
        assertThat(atExpiry(atExpiry)).isEqualTo(ApprovalTerms.ExpiryAction.value(new Json(value)));
    }

    @Test
    void expiryDeniesByDefault() throws InvalidPolicyException {
        assertThat(atExpiry("null")).isEqualTo(ApprovalTerms.ExpiryAction.DENY);
        assertThat(atExpiry("\"deny\"")).isEqualTo(ApprovalTerms.ExpiryAction.DENY);
        assertThat(atExpiry("\"approve\"")).isEqualTo(ApprovalTerms.ExpiryAction.APPROVE);
    }

    private static ApprovalTerms.ExpiryAction atExpiry(String json) throws InvalidPolicyException {
        Policy policy = read(
                "{\"rules\":[{\"name\":\"r\",\"tools\":[\"b.*\"],\"decision\":\"ask\",\"atExpiry\":" + json + "}]}");
        return ((PolicyDecision.AskDecision) decide(policy, "b.x", "{}"))
                .terms()
                .expiryAction();
    }

    @Test
    void fallbackValueAtExpiryIsLimitedInSize() throws InvalidPolicyException {
        String longest = "\"" + "x".repeat(65_534) + "\"";
        assertThat(atExpiry("{\"value\":" + longest + "}"))
                .isEqualTo(ApprovalTerms.ExpiryAction.value(new Json(longest)));
        assertThatThrownBy(() -> atExpiry("{\"value\":\"x" + longest.substring(1) + "}"))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessage("'rules[0].atExpiry.value' must have at most 65536 characters of JSON");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            "answer"               | 'rules[0].atExpiry' must be deny, approve, or {"value": …}
            ""                     | 'rules[0].atExpiry' must be deny, approve, or
            "DENY"                 | 'rules[0].atExpiry' must be deny, approve, or
            7                      | 'rules[0].atExpiry' must be deny, approve, or
            true                   | 'rules[0].atExpiry' must be deny, approve, or
            ["deny"]               | 'rules[0].atExpiry' must be deny, approve, or
            {}                     | 'rules[0].atExpiry.value' is missing: the value that the call returns
            {"valu":1}             | 'rules[0].atExpiry.valu' is unknown; known are value
            {"value":1,"then":"x"} | 'rules[0].atExpiry.then' is unknown; known are value
            """)
    void invalidExpiryActionIsRefusedWithItsPath(String atExpiry, String message) {
        assertThatThrownBy(() -> atExpiry(atExpiry))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "shop.refund@1.2.0, deny",
        "shop.refund, deny",
        "shop.buy@1.0.0, deny",
        "shop.buy@2.0.0, allow",
        "shop.buy, allow",
        "other.refund@1.0.0, allow",
        ", allow"
    })
    void ruleMayApplyToCapabilitiesOnly(String capability, String decision) throws InvalidPolicyException {
        Policy policy = rule("\"capability\":[\"shop.refund\",\"*.buy@1.*\"]");
        PolicyContext situation =
                new PolicyContext("t", List::of, NOON).withCapability(Optional.ofNullable(capability));
        assertThat(policy.decide(tool("b.x", ToolHints.EFFECT), new Json("{}"), situation))
                .isInstanceOf(
                        decision.equals("deny")
                                ? PolicyDecision.DenyDecision.class
                                : PolicyDecision.AllowDecision.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "\"shop.*\"", "null", "[1]", "[\"\"]"})
    void ruleWithoutAnyCapabilityIsRefused(String capability) {
        assertThatThrownBy(() -> rule("\"capability\":" + capability))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("rules[0].capability");
    }

    @Test
    void firstMatchingRuleDecides() throws InvalidPolicyException {
        Policy policy = read("""
                {"rules":[
                  {"name":"no-drop","tools":["db.drop*"],"decision":"deny","reason":"tables stay"},
                  {"name":"db","tools":["db.*"],"decision":"allow","whenUnknown":"ask"},
                  {"name":"mail","tools":["mail.*"],"decision":"ask","approvers":2,"timeoutMillis":60000,\
                "atExpiry":"approve"},
                  {"name":"web","tools":["web.*"],"decision":"mock","value":{"ok":true}}
                ],"otherwise":"deny"}""");
        assertThat(decide(policy, "db.drop_table", "{}"))
                .isEqualTo(new PolicyDecision.DenyDecision("no-drop", "tables stay"));
        assertThat(decide(policy, "db.insert", "{}")).isEqualTo(new PolicyDecision.AllowDecision("db", true));
        assertThat(decide(policy, "mail.send", "{}"))
                .isEqualTo(new PolicyDecision.AskDecision(
                        "mail",
                        new ApprovalTerms(
                                2,
                                Duration.ofMinutes(1),
                                ApprovalTerms.ExpiryAction.APPROVE,
                                "the policy requires an approval for this call"),
                        false));
        assertThat(decide(policy, "web.get", "{}"))
                .isEqualTo(new PolicyDecision.MockDecision("web", new Json("{\"ok\":true}")));
        assertThat(decide(policy, "other.x", "{}")).isInstanceOf(PolicyDecision.DenyDecision.class);
    }

    @Test
    void defaultRulesApplyWhenNoRuleMatches() throws InvalidPolicyException {
        Policy policy = read("{\"rules\":[]}");
        PolicyContext now = new PolicyContext("t", List::of, NOON);
        assertThat(policy.decide(tool("a.b", ToolHints.DESTRUCTIVE), Json.EMPTY_OBJECT, now))
                .isInstanceOf(PolicyDecision.AskDecision.class);
        assertThat(policy.decide(tool("a.b", ToolHints.EFFECT), Json.EMPTY_OBJECT, now))
                .isInstanceOf(PolicyDecision.AllowDecision.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            {"at":"/to","is":"a"}                     | {"to":"a"}          | true
            {"at":"/to","is":"a"}                     | {"to":"b"}          | false
            {"at":"/to","is":"a","not":true}          | {"to":"b"}          | true
            {"at":"/to","is":"a"}                     | {}                  | false
            {"at":"/n","is":10}                       | {"n":1e1}           | true
            {"at":"/n","in":[1,2,"x"]}                | {"n":2.0}           | true
            {"at":"/n","above":100}                   | {"n":100}           | false
            {"at":"/n","above":100}                   | {"n":100.000000000000000000001} | true
            {"at":"/n","above":100}                   | {"n":"200"}         | false
            {"at":"/n","below":0.5}                   | {"n":-9e99}         | true
            {"at":"/to","matches":"@evil\\\\.org$"}   | {"to":"x@evil.org"} | true
            {"at":"/to","matches":"@evil\\\\.org$"}   | {"to":["a","x@evil.org"]} | true
            {"at":"/to","matches":"(a+)+$"}           | \
            {"to":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"} | false
            {"at":"/text","contains":"secret"}        | {"text":"a secret"} | true
            {"at":"/text","longerThan":3}             | {"text":"abcd"}     | true
            {"at":"/list","longerThan":1}             | {"list":[1]}        | false
            {"at":"/items/0/price","above":9}         | {"items":[{"price":10}]} | true
            {"at":"/x","exists":true}                 | {"x":null}          | true
            {"at":"/x","exists":false}                | {"x":null}          | false
            {"at":"/x","exists":false}                | {}                  | true
            {"at":"","is":{"a":1}}                    | {"a":1}             | true
            """)
    void ruleMatchesArguments(String test, String arguments, boolean holds) throws InvalidPolicyException {
        PolicyDecision decision = decide(rule("\"when\":[" + test + "]"), "b.x", arguments);
        assertThat(decision instanceof PolicyDecision.DenyDecision).isEqualTo(holds);
    }

    /** A rule that took them for missing would not hold, and the call would be allowed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "1},\"state\":\"COMPLETED\"",
                "{\"to\":\"a\"} {}",
                "{\"to\":\"b\",\"to\":\"a\"}",
                "{\"to\":\"b\",\"more\":{\"n\":1,\"n\":2}}"
            })
    void unreadableArgumentsAreDenied(String arguments) throws InvalidPolicyException {
        Policy policy = rule("\"when\":[{\"at\":\"/to\",\"is\":\"a\"}]");
        assertThat(decide(policy, "b.x", arguments))
                .isInstanceOfSatisfying(
                        PolicyDecision.DenyDecision.class,
                        deny -> assertThat(deny.rule()).isEqualTo("default/unreadable-arguments"));
        assertThat(decide(policy, "other.x", arguments)).isInstanceOf(PolicyDecision.AllowDecision.class);
    }

    @Test
    void longNamesHideNoOtherArgument() throws InvalidPolicyException {
        Policy policy = rule("\"when\":[{\"at\":\"/to\",\"is\":\"a\"}]");
        String name = "n".repeat(100_000);
        assertThat(decide(policy, "b.x", "{\"" + name + "\":1,\"to\":\"a\"}").rule())
                .isEqualTo("r");
        assertThat(decide(policy, "b.x", "{\"" + name + "\":1,\"to\":\"b\"}"))
                .isInstanceOf(PolicyDecision.AllowDecision.class);
    }

    @Test
    void ruleCountsEarlierCalls() throws InvalidPolicyException {
        Policy policy = rule("\"after\":2");
        assertThat(decide(policy, "b.x", "{}", "b.y", "c.z")).isInstanceOf(PolicyDecision.AllowDecision.class);
        assertThat(decide(policy, "b.x", "{}", "b.y", "c.z", "b.x")).isInstanceOf(PolicyDecision.DenyDecision.class);
    }

    @Test
    void ruleMatchesLabelsOfEarlierCalls() throws InvalidPolicyException {
        Policy policy = read("""
                {"labels":{"private":["crm.*"],"untrusted":["web.*"]},"otherwise":"allow","rules":[
                  {"name":"leak","tools":["mail.*"],"seen":["private","untrusted"],"decision":"deny"}]}""");
        assertThat(decide(policy, "mail.send", "{}", "crm.read")).isInstanceOf(PolicyDecision.AllowDecision.class);
        assertThat(decide(policy, "mail.send", "{}", "crm.read", "web.get"))
                .isInstanceOf(PolicyDecision.DenyDecision.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            {"from":"08:00","until":"17:00"}                          | true
            {"from":"12:00","until":"12:01"}                          | true
            {"from":"11:00","until":"12:00"}                          | false
            {"from":"08:00","until":"17:00","days":["sat","sun"]}     | false
            {"from":"08:00","until":"17:00","days":["wed"]}           | true
            {"from":"22:00","until":"13:00","days":["tue"]}           | true
            {"from":"22:00","until":"13:00","days":["wed"]}           | false
            {"from":"20:00","until":"22:00","zone":"Asia/Tokyo"}      | true
            """)
    void ruleMatchesHours(String hours, boolean holds) throws InvalidPolicyException {
        PolicyDecision decision = decide(rule("\"hours\":" + hours), "b.x", "{}");
        assertThat(decision instanceof PolicyDecision.DenyDecision).isEqualTo(holds);
    }

    @Test
    void ruleMatchesHints() throws InvalidPolicyException {
        Policy policy = rule("\"hints\":{\"readOnly\":false}");
        PolicyContext now = new PolicyContext("t", List::of, NOON);
        assertThat(policy.decide(tool("b.x", ToolHints.READ_ONLY), Json.EMPTY_OBJECT, now))
                .isInstanceOf(PolicyDecision.AllowDecision.class);
        assertThat(policy.decide(tool("b.x", ToolHints.EFFECT), Json.EMPTY_OBJECT, now))
                .isInstanceOf(PolicyDecision.DenyDecision.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            []                                                                    | '' must be an object
            {"rulez":[]}                                                          | 'rulez' is unknown
            {"rules":[{"name":"a","tools":["*"],"decision":"maybe"}]}                 | 'rules[0].decision' must be
            {"rules":[{"tools":["*"],"decision":"deny"}]}                             | 'rules[0].name' is missing
            {"rules":[{"name":"a","decision":"deny"}]}                                | 'rules[0].tools' is missing
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","value":1}]}        | 'rules[0].value' is only for
            {"rules":[{"name":"a","tools":["*"],"decision":"mock"}]}                  | 'rules[0].value' is missing
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","approvers":2}]}    | 'rules[0].approvers' is only for
            {"rules":[{"name":"a","tools":["*"],"decision":"mock","value":1,"atExpiry":{"value":2}}]} | \
            'rules[0].atExpiry' is only for
            {"rules":[{"name":"a","tools":["*"],"decision":"ask","approvers":0}]}     | 'rules[0].approvers' must be
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","seen":["x"]}]}     | 'rules[0].seen' names 'x'
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","when":[{"at":"x","is":1}]}]} | \
            'rules[0].when[0].at' is \
            no
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","when":[{"at":"/x"}]}]} | \
            'rules[0].when[0]' must \
            have
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","when":[{"at":"/x","matches":"("}]}]} | \
            a valid regular
            {"rules":[{"name":"a","tools":["*"],"decision":"deny","hours":{"from":"8"}}]} | \
            'rules[0].hours' must have
            {"rules":[{"name":"a","tools":["*"],"decision":"deny"},{"name":"a","tools":["*"],"decision":"deny"}]} | \
            an earlier \
            rule
            {"otherwise":"perhaps"}                                               | 'otherwise' must be
            {"hide":["mail"]}                                                     | 'hide' must name some of email,
            {"hide":"email"}                                                      | 'hide' must be an array
            {                                                                     | is not JSON
            """)
    void invalidPolicyIsRefusedWithItsPath(String document, String message) {
        assertThatThrownBy(() -> read(document))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining(message);
    }

    @Test
    void thousandRulesAreDecidedQuickly() throws InvalidPolicyException {
        StringBuilder document = new StringBuilder("{\"otherwise\":\"allow\",\"rules\":[");
        for (int i = 0; i < 1_000; i++) {
            document.append(i == 0 ? "" : ",")
                    .append("{\"name\":\"r" + i + "\",\"tools\":[\"b" + (i % 50)
                            + ".*\"],\"when\":[{\"at\":\"/to\",\"is\":\"x" + i + "\"}],\"decision\":\"deny\"}");
        }
        Policy policy = read(document.append("]}").toString());
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            long start = System.nanoTime();
            assertThat(decide(policy, "b7.x", "{\"to\":\"nobody\"}")).isInstanceOf(PolicyDecision.AllowDecision.class);
            nanos.add(System.nanoTime() - start);
        }
        nanos.sort(null);
        // The goal is 20 µs (performance.md). The limit is ten times as high, for a busy machine.
        assertThat(nanos.get(nanos.size() / 2)).isLessThan(200_000L);
        System.getLogger("rules").log(System.Logger.Level.INFO, "median {0} ns", nanos.get(nanos.size() / 2));
    }
}
