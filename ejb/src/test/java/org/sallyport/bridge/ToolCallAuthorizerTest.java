package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.bridge.ToolCallAuthorizer.AuthorizationDecision;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.NamedTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.policy.SubmitterGrants;
import org.sallyport.policy.ToolGrants;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class ToolCallAuthorizerTest {
    private static final ToolName MAIL = new ToolName("b", "mail");
    private static final Json SCHEMA = new Json("{\"type\":\"object\",\"required\":[\"to\"],\"properties\":{"
            + "\"to\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"a/b~c\":{\"type\":\"number\"}}}");
    private static final PolicyContext SITUATION = new PolicyContext("t", List::of, Instant.EPOCH);

    private final ToolCatalog catalog = new ToolCatalog();

    ToolCallAuthorizerTest() {
        catalog.put(new CatalogBackend("b", "java", "q"), List.of(new ToolSpec(MAIL, "", SCHEMA, ToolHints.EFFECT)));
    }

    private ToolError denialOf(String grant, PolicyDecision decision, String arguments) {
        ToolCallAuthorizer gate = new ToolCallAuthorizer(catalog, tenant -> (tool, given, situation) -> decision);
        AuthorizationDecision verdict =
                gate.authorize(new ToolGrants(List.of(grant)), MAIL, new Json(arguments), SITUATION);
        assertThat(verdict).isInstanceOf(AuthorizationDecision.CallDenied.class);
        return ((AuthorizationDecision.CallDenied) verdict).error();
    }

    @Test
    void denialNamesItsRule() {
        ToolError denied = denialOf("b.*", new PolicyDecision.DenyDecision("no \"mail\"", "not today"), "{\"to\":[]}");
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
    void invalidArgumentsErrorNamesThePath(String arguments, String pointer) {
        ToolError invalid = denialOf("b.*", new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW), arguments);
        assertThat(invalid.code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
        assertThat(invalid.message()).startsWith("'b.mail' was called with invalid arguments" + pointer + ": ");
        assertThat(invalid.details()).contains(new Json("{\"path\":\"" + pointer + "\"}"));
    }

    @Test
    void callOfABackendThatThisNodeDoesNotHostIsUnavailable() {
        catalog.remove("b");
        assertThat(denialOf("b.*", new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW), "{}")
                        .code())
                .isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);

        catalog.putNotHosted(new CatalogBackend("b", "java", "q"), List.of());
        ToolError refused = denialOf("b.*", new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW), "{}");
        assertThat(refused.code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(refused.message())
                .isEqualTo("'b.mail' was not called: its backend is configured, but not hosted by this node");
        assertThat(denialOf("c.*", new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW), "{}")
                        .code())
                .isEqualTo(ToolErrorCode.NOT_GRANTED);

        catalog.put(new CatalogBackend("b", "java", "q"), List.of());
        assertThat(catalog.isNotHosted("b")).isFalse();
    }

    @Test
    void unusableToolIsRefusedWithItsReason() {
        catalog.putNamed(
                new CatalogBackend("b", "java", "q"),
                List.of(new NamedTool(
                        new ToolSpec(MAIL, "", SCHEMA, ToolHints.EFFECT),
                        "mail",
                        "mail",
                        Optional.of("its server needs tasks"))));
        PolicyDecision allow = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        ToolError refused = denialOf("b.*", allow, "{\"to\":[]}");
        assertThat(refused.code()).isEqualTo(ToolErrorCode.TOOL_UNUSABLE);
        assertThat(refused.message()).isEqualTo("'b.mail' cannot be used: its server needs tasks");
        assertThat(ToolErrorCode.NOT_EXECUTED).contains(ToolErrorCode.TOOL_UNUSABLE);
        assertThat(denialOf("c.*", allow, "{}").code()).isEqualTo(ToolErrorCode.NOT_GRANTED);
    }

    /** The text would call a tool of the backend as soon as that has declared its tools. */
    @Test
    void backendWithoutToolsHidesTheCapabilitiesOfItsIdentifier() {
        ToolCallAuthorizer authorizer = new ToolCallAuthorizer(
                catalog,
                tenant -> (tool, given, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW),
                (tenant, name) -> catalog.find(MAIL),
                SubmitterGrants.ALL_TOOLS);
        ToolName pay = new ToolName("my_shop", "pay");
        assertThat(authorizer.findTool(pay, "t")).isPresent();
        assertThat(authorizer.canonicalName(pay)).isEqualTo(new ToolName("capabilities", "my_shop.pay"));

        catalog.setConfiguredBackends(Map.of("my-shop", "my_shop"));
        assertThat(authorizer.findTool(pay, "t")).isEmpty();
        assertThat(authorizer.canonicalName(pay)).isEqualTo(pay);
        assertThat(authorizer.findTool(new ToolName("capabilities", "my_shop.pay"), "t"))
                .isPresent();
    }

    @Test
    void ruleNameIsEscapedInJson() {
        ToolError denied = denialOf("b.*", new PolicyDecision.DenyDecision("a\nb\\\u0001", ""), "{\"to\":[]}");
        assertThat(denied.details()).contains(new Json("{\"rule\":\"a\\u000ab\\\\\\u0001\"}"));
    }

    @Test
    void ungrantedCallRevealsNoRuleOrPath() {
        ToolError refused = denialOf("c.*", new PolicyDecision.DenyDecision("secret-rule", "secret"), "{}");
        assertThat(refused.code()).isEqualTo(ToolErrorCode.NOT_GRANTED);
        assertThat(refused.message()).doesNotContain("secret");
        assertThat(refused.details()).isEqualTo(Optional.empty());
    }

    @Test
    void invalidArgumentsAreRefusedBeforeAskingOrMocking() {
        assertThat(denialOf("b.*", new PolicyDecision.MockDecision("pretend", Json.NULL), "{}")
                        .code())
                .isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
    }

    private AuthorizationDecision authorized(
            Optional<ToolGrants> held, String grant, String tool, PolicyDecision decision) {
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog,
                tenant -> (spec, given, situation) -> decision,
                (tenant, name) -> Optional.empty(),
                submitter -> submitter.equals("k1") ? held : Optional.of(new ToolGrants(ToolGrants.EVERY_TOOL)));
        return gate.authorize(
                "k1", new ToolGrants(List.of(grant)), ToolName.parse(tool), new Json("{\"to\":[]}"), SITUATION);
    }

    private static ToolError denial(AuthorizationDecision verdict, Optional<String> rule) {
        assertThat(verdict).isInstanceOf(AuthorizationDecision.CallDenied.class);
        assertThat(((AuthorizationDecision.CallDenied) verdict).rule()).isEqualTo(rule);
        return ((AuthorizationDecision.CallDenied) verdict).error();
    }

    @Test
    void callThatTheKeyNoLongerGrantsIsDeniedBeforeTheRules() {
        PolicyDecision deny = new PolicyDecision.DenyDecision("secret-rule", "secret");
        AuthorizationDecision verdict =
                authorized(Optional.of(new ToolGrants(List.of("b.other"))), "b.*", "b.mail", deny);
        ToolError denied = denial(verdict, Optional.of("key-grants"));
        assertThat(denied.code()).isEqualTo(ToolErrorCode.DENIED);
        assertThat(denied.message())
                .isEqualTo("'b.mail' is no longer granted to the key that submitted this execution (rule key-grants)");
        assertThat(denied.details()).contains(new Json("{\"rule\":\"key-grants\"}"));
    }

    @Test
    void callOfADeletedKeyIsDenied() {
        ToolError denied = denial(
                authorized(
                        Optional.empty(),
                        "*",
                        "b.mail",
                        new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW)),
                Optional.of("key-deleted"));
        assertThat(denied.code()).isEqualTo(ToolErrorCode.DENIED);
        assertThat(denied.details()).contains(new Json("{\"rule\":\"key-deleted\"}"));
    }

    @Test
    void widerKeyGrantsDoNotExtendTheExecutionGrants() {
        PolicyDecision allow = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        Optional<ToolGrants> all = Optional.of(new ToolGrants(ToolGrants.EVERY_TOOL));
        assertThat(authorized(all, "b.*", "b.mail", allow)).isInstanceOf(AuthorizationDecision.CallAllowed.class);
        assertThat(denial(authorized(all, "c.*", "b.mail", allow), Optional.empty())
                        .code())
                .isEqualTo(ToolErrorCode.NOT_GRANTED);
        assertThat(denial(authorized(Optional.empty(), "c.*", "b.mail", allow), Optional.empty())
                        .code())
                .isEqualTo(ToolErrorCode.NOT_GRANTED);
    }

    @Test
    void denialDoesNotRevealWhichToolsExist() {
        PolicyDecision allow = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        Optional<ToolGrants> held = Optional.of(new ToolGrants(List.of("c.*")));
        ToolError there = denial(authorized(held, "*", "b.mail", allow), Optional.of("key-grants"));
        ToolError missing = denial(authorized(held, "*", "b.mall", allow), Optional.of("key-grants"));
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
    void capabilityIsLookedUpOncePerCall(String tool, String granted, String held) {
        List<String> lookedUp = new ArrayList<>();
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog,
                tenant -> (spec, given, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW),
                (tenant, name) -> {
                    lookedUp.add(name);
                    return name.endsWith("there") ? catalog.find(MAIL) : Optional.empty();
                },
                submitter -> Optional.of(new ToolGrants(List.of(held))));
        gate.authorize(
                "k1", new ToolGrants(List.of(granted)), ToolName.parse(tool), new Json("{\"to\":[]}"), SITUATION);
        assertThat(lookedUp).hasSize(1);
    }

    @Test
    void publishDuringAuthorizationDoesNotChangeTheCheckedTool() {
        List<String> lookedUp = new ArrayList<>();
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog,
                tenant -> (spec, given, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW),
                (tenant, name) -> {
                    lookedUp.add(name);
                    return lookedUp.size() > 1 ? catalog.find(MAIL) : Optional.empty();
                },
                submitter -> Optional.of(new ToolGrants(List.of("x.*"))));
        AuthorizationDecision verdict = gate.authorize(
                "k1",
                new ToolGrants(List.of("x.*", "b.*")),
                new ToolName("x", "mail"),
                new Json("{\"to\":[]}"),
                SITUATION);
        assertThat(denial(verdict, Optional.empty()).code()).isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);
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
    void errorListsAtMostTwentyGrants(int count, String end) {
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog, tenant -> (spec, given, situation) -> new PolicyDecision.MockDecision("m", Json.NULL));
        List<String> globs =
                IntStream.range(0, count).mapToObj(i -> "c" + i + ".*").toList();
        AuthorizationDecision there = gate.authorize(new ToolGrants(globs), MAIL, new Json("{}"), SITUATION);
        AuthorizationDecision missing =
                gate.authorize(new ToolGrants(globs), new ToolName("b", "mall"), new Json("{}"), SITUATION);
        String message = denial(there, Optional.empty()).message();
        assertThat(message)
                .startsWith("'b.mail' is not granted to this execution; it may call: c0.*")
                .endsWith(end)
                .hasSizeLessThan(300);
        assertThat(denial(missing, Optional.empty()).message()).isEqualTo(message.replace("b.mail", "b.mall"));
    }

    @Test
    void misspelledToolSuggestsOnlyTheNearestGrantedTools() {
        catalog.put(
                new CatalogBackend("d", "java", "q"),
                Stream.of("send1", "send2", "send3", "send4", "sending", "unlike")
                        .map(tool -> new ToolSpec(new ToolName("d", tool), "", Json.EMPTY_OBJECT, ToolHints.EFFECT))
                        .toList());
        ToolCallAuthorizer gate = new ToolCallAuthorizer(
                catalog, tenant -> (tool, given, situation) -> new PolicyDecision.MockDecision("m", Json.NULL));
        AuthorizationDecision verdict = gate.authorize(
                new ToolGrants(List.of("d.sending", "d.send", "d.unlike")),
                new ToolName("d", "send"),
                Json.EMPTY_OBJECT,
                SITUATION);
        ToolError error = denial(verdict, Optional.empty());
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_NOT_FOUND);
        assertThat(error.message()).isEqualTo("there is no tool 'd.send'; did you mean d.sending?");
    }
}
