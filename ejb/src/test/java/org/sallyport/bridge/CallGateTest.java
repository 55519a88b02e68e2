package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.bridge.CallGate.Verdict;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.Catalog;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Situation;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class CallGateTest {
    private static final ToolName MAIL = new ToolName("b", "mail");
    private static final Json SCHEMA = new Json("{\"type\":\"object\",\"required\":[\"to\"],\"properties\":{"
            + "\"to\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"a/b~c\":{\"type\":\"number\"}}}");
    private static final Situation SITUATION = new Situation("t", List::of, Instant.EPOCH);

    private final Catalog catalog = new Catalog();

    CallGateTest() {
        catalog.put(new Backend("b", "java", "q"), List.of(new ToolSpec(MAIL, "", SCHEMA, ToolHints.EFFECT)));
    }

    private ToolError refusal(String grant, Decision decision, String arguments) {
        CallGate gate = new CallGate(catalog, tenant -> (tool, given, situation) -> decision);
        Verdict verdict = gate.judge(new Grants(List.of(grant)), MAIL, new Json(arguments), SITUATION);
        assertThat(verdict).isInstanceOf(Verdict.Refuse.class);
        return ((Verdict.Refuse) verdict).error();
    }

    @Test
    void aDenialTellsProgramsItsRule() {
        ToolError denied = refusal("b.*", new Decision.Deny("no \"mail\"", "not today"), "{\"to\":[]}");
        assertThat(denied.code()).isEqualTo(ToolErrorCode.DENIED);
        assertThat(denied.message()).isEqualTo("not today (rule no \"mail\")");
        assertThat(denied.details()).contains(new Json("{\"rule\":\"no \\\"mail\\\"\"}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"to\":[\"x\",7]}          | /to/1",
                "{\"to\":7}                  | /to",
                "{}                          | ``",
                "{\"to\":[],\"a/b~c\":true}  | /a~1b~0c",
            })
    void argumentsThatTheSchemaRefusesTellProgramsWhere(String arguments, String pointer) {
        ToolError invalid = refusal("b.*", new Decision.Allow(Policies.DEFAULT_ALLOW), arguments);
        assertThat(invalid.code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
        assertThat(invalid.message()).startsWith("'b.mail' was called with invalid arguments" + pointer + ": ");
        assertThat(invalid.details()).contains(new Json("{\"path\":\"" + pointer + "\"}"));
    }

    @Test
    void whatARuleIsCalledStaysJson() {
        ToolError denied = refusal("b.*", new Decision.Deny("a\nb\\\u0001", ""), "{\"to\":[]}");
        assertThat(denied.details()).contains(new Json("{\"rule\":\"a\\u000ab\\\\\\u0001\"}"));
    }

    @Test
    void whatIsNotGrantedTellsNoRuleAndNoPath() {
        ToolError refused = refusal("c.*", new Decision.Deny("secret-rule", "secret"), "{}");
        assertThat(refused.code()).isEqualTo(ToolErrorCode.NOT_GRANTED);
        assertThat(refused.message()).doesNotContain("secret");
        assertThat(refused.details()).isEqualTo(Optional.empty());
    }

    @Test
    void noPersonIsAskedAndNothingMadeUpForArgumentsThatTheSchemaRefuses() {
        assertThat(refusal("b.*", new Decision.Mock("pretend", Json.NULL), "{}").code())
                .isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
    }

    private Verdict judged(Optional<Grants> held, String grant, String tool, Decision decision) {
        CallGate gate = new CallGate(
                catalog,
                tenant -> (spec, given, situation) -> decision,
                (tenant, name) -> Optional.empty(),
                submitter -> submitter.equals("k1") ? held : Optional.of(new Grants(Grants.EVERY_TOOL)));
        return gate.judge("k1", new Grants(List.of(grant)), ToolName.parse(tool), new Json("{\"to\":[]}"), SITUATION);
    }

    private static ToolError refused(Verdict verdict, Optional<String> rule) {
        assertThat(verdict).isInstanceOf(Verdict.Refuse.class);
        assertThat(((Verdict.Refuse) verdict).rule()).isEqualTo(rule);
        return ((Verdict.Refuse) verdict).error();
    }

    @Test
    void whatTheKeyHoldsNoMoreIsDeniedBeforeRulesAreAsked() {
        Decision deny = new Decision.Deny("secret-rule", "secret");
        Verdict verdict = judged(Optional.of(new Grants(List.of("b.other"))), "b.*", "b.mail", deny);
        ToolError denied = refused(verdict, Optional.of("key-grants"));
        assertThat(denied.code()).isEqualTo(ToolErrorCode.DENIED);
        assertThat(denied.message())
                .isEqualTo("'b.mail' was taken from the key that submitted this execution (rule key-grants)");
        assertThat(denied.details()).contains(new Json("{\"rule\":\"key-grants\"}"));
    }

    @Test
    void nothingIsCalledInTheNameOfAKeyThatIsGone() {
        ToolError denied = refused(
                judged(Optional.empty(), "*", "b.mail", new Decision.Allow(Policies.DEFAULT_ALLOW)),
                Optional.of("key-deleted"));
        assertThat(denied.code()).isEqualTo(ToolErrorCode.DENIED);
        assertThat(denied.details()).contains(new Json("{\"rule\":\"key-deleted\"}"));
    }

    @Test
    void aKeyThatHoldsMoreGivesNoMoreThanTheExecutionWasGranted() {
        Decision allow = new Decision.Allow(Policies.DEFAULT_ALLOW);
        Optional<Grants> all = Optional.of(new Grants(Grants.EVERY_TOOL));
        assertThat(judged(all, "b.*", "b.mail", allow)).isInstanceOf(Verdict.Pass.class);
        assertThat(refused(judged(all, "c.*", "b.mail", allow), Optional.empty())
                        .code())
                .isEqualTo(ToolErrorCode.NOT_GRANTED);
        assertThat(refused(judged(Optional.empty(), "c.*", "b.mail", allow), Optional.empty())
                        .code())
                .isEqualTo(ToolErrorCode.NOT_GRANTED);
    }

    @Test
    void whatTheKeyHoldsNoMoreCannotBeExplored() {
        Decision allow = new Decision.Allow(Policies.DEFAULT_ALLOW);
        Optional<Grants> held = Optional.of(new Grants(List.of("c.*")));
        ToolError there = refused(judged(held, "*", "b.mail", allow), Optional.of("key-grants"));
        ToolError missing = refused(judged(held, "*", "b.mall", allow), Optional.of("key-grants"));
        assertThat(missing.message()).isEqualTo(there.message().replace("mail", "mall"));
    }

    @ParameterizedTest
    @CsvSource({
        "cap.there,*,*",
        "cap.none,*,*",
        "cap.there,b.*,*",
        "cap.there,*,b.*",
        "x.there,*,*",
        "x.none,*,*",
        "x.none,b.*,*",
    })
    void aCapabilityIsLookedUpOnceForACall(String tool, String granted, String held) {
        List<String> lookedUp = new ArrayList<>();
        CallGate gate = new CallGate(
                catalog,
                tenant -> (spec, given, situation) -> new Decision.Allow(Policies.DEFAULT_ALLOW),
                (tenant, name) -> {
                    lookedUp.add(name);
                    return name.endsWith("there") ? catalog.find(MAIL) : Optional.empty();
                },
                submitter -> Optional.of(new Grants(List.of(held))));
        gate.judge("k1", new Grants(List.of(granted)), ToolName.parse(tool), new Json("{\"to\":[]}"), SITUATION);
        assertThat(lookedUp).hasSize(1);
    }

    @Test
    void whatIsPublishedWhileACallIsJudgedDoesNotChangeWhichToolIsJudged() {
        List<String> lookedUp = new ArrayList<>();
        CallGate gate = new CallGate(
                catalog,
                tenant -> (spec, given, situation) -> new Decision.Allow(Policies.DEFAULT_ALLOW),
                (tenant, name) -> {
                    lookedUp.add(name);
                    return lookedUp.size() > 1 ? catalog.find(MAIL) : Optional.empty();
                },
                submitter -> Optional.of(new Grants(List.of("x.*"))));
        Verdict verdict = gate.judge(
                "k1", new Grants(List.of("x.*", "b.*")), new ToolName("x", "mail"), new Json("{\"to\":[]}"), SITUATION);
        assertThat(refused(verdict, Optional.empty()).code()).isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1    | c0.*",
                "20   | c18.*, c19.*",
                "21   | c18.*, c19.* … and 1 more",
                "1000 | c18.*, c19.* … and 980 more",
            })
    void notMoreThanTwentyGlobsAreSaid(int count, String end) {
        CallGate gate = new CallGate(catalog, tenant -> (spec, given, situation) -> new Decision.Mock("m", Json.NULL));
        List<String> globs =
                IntStream.range(0, count).mapToObj(i -> "c" + i + ".*").toList();
        Verdict there = gate.judge(new Grants(globs), MAIL, new Json("{}"), SITUATION);
        Verdict missing = gate.judge(new Grants(globs), new ToolName("b", "mall"), new Json("{}"), SITUATION);
        String message = refused(there, Optional.empty()).message();
        assertThat(message)
                .startsWith("'b.mail' is not granted to this execution; it may call: c0.*")
                .endsWith(end)
                .hasSizeLessThan(300);
        assertThat(refused(missing, Optional.empty()).message()).isEqualTo(message.replace("b.mail", "b.mall"));
    }

    @Test
    void whoMisspeltIsToldTheNearestToolsThatAreGrantedAndNoOther() {
        catalog.put(
                new Backend("d", "java", "q"),
                Stream.of("send1", "send2", "send3", "send4", "sending", "unlike")
                        .map(tool -> new ToolSpec(new ToolName("d", tool), "", Json.EMPTY_OBJECT, ToolHints.EFFECT))
                        .toList());
        CallGate gate = new CallGate(catalog, tenant -> (tool, given, situation) -> new Decision.Mock("m", Json.NULL));
        Verdict verdict = gate.judge(
                new Grants(List.of("d.sending", "d.send", "d.unlike")),
                new ToolName("d", "send"),
                Json.EMPTY_OBJECT,
                SITUATION);
        ToolError error = refused(verdict, Optional.empty());
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);
        assertThat(error.message()).isEqualTo("there is no tool 'd.send'; did you mean d.sending?");
    }
}
