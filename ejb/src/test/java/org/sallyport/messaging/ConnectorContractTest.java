package org.sallyport.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** The messages that the service sends conform to the published connector contract. */
class ConnectorContractTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final CallId CALL = new CallId("0190163d-8694-739b-aea5-966c26f8ad90", 7);

    private static Schema schema(String kind) {
        try {
            String all = Files.readString(DOCS.resolve("connector-contract.schema.json"));
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(all.replaceFirst("\\{", "{\"\\$ref\": \"#/\\$defs/" + kind + "\","), InputFormat.JSON);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertFits(String kind, String body) {
        assertThat(schema(kind).validate(body, InputFormat.JSON)).as(body).isEmpty();
    }

    @Test
    void requestsMatchTheSchema() {
        ToolCall call = new ToolCall(
                CALL, "t", new ToolName("be", "to.ol"), new Json("{\"a\":\"\\u0000\"}"), Instant.ofEpochMilli(5));
        assertFits("request", new ToolRequestMessage(call, Instant.ofEpochMilli(4)).encode());
    }

    @Test
    void withdrawalsMatchTheSchema() {
        assertFits("withdrawal", new ControlMessage.ToolCallCancelRequest(CALL).encode());
    }

    static Stream<ToolResult> results() {
        return Stream.concat(
                Stream.of(
                        ToolResult.success(Json.NULL),
                        new ToolResult.ToolFailure(
                                new ToolError(ToolErrorCode.TOOL_FAILED, "m", Optional.of(new Json("{}"))))),
                replyCodes()
                        .map(code -> ToolResult.failure(ToolErrorCode.of(code).orElseThrow(), "m")));
    }

    /** Error codes that a connector may send. The bridge produces further codes itself. */
    private static Stream<String> replyCodes() {
        try {
            return StreamSupport.stream(
                            new ObjectMapper()
                                    .readTree(Files.readString(DOCS.resolve("connector-contract.schema.json")))
                                    .at("/$defs/reply/properties/error/properties/code/enum")
                                    .spliterator(),
                            false)
                    .map(JsonNode::textValue);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void documentationListsEachErrorCodeAndWhetherToRetry() throws IOException {
        String page = Files.readString(DOCS.resolve("connector-contract.md"));
        assertThat(replyCodes())
                .isNotEmpty()
                .allSatisfy(code -> assertThat(page)
                        .containsPattern("\\| `" + code + "` \\| .* \\| "
                                + (ToolErrorCode.of(code).orElseThrow().isRetryable() ? "yes" : "no") + " \\|"));
    }

    @ParameterizedTest
    @MethodSource("results")
    void repliesMatchTheSchema(ToolResult result) {
        assertFits("reply", new ToolReplyMessage(new ToolReply(result, 1, 2)).encode());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "request    | {\"v\":2}",
                "request    | "
                        + "{\"v\":1,\"call\":\"x\",\"tenant\":\"t\",\"backend\":\"b\",\"tool\":\"t\","
                        + "\"arguments\":\"{}\",\"deadline\":1,\"sentAt\":1}",
                "reply      | {\"v\":1,\"queueMillis\":1,\"backendMillis\":1}",
                "reply      | {\"v\":1,\"queueMillis\":1,\"backendMillis\":1,\"result\":{}}",
                "reply      | {\"v\":1,\"result\":\"1\",\"error\":{\"code\":\"timeout\",\"message\":\"m\"}}",
                "withdrawal | {\"v\":1,\"withdraw\":7}",
            })
    void invalidMessagesDoNotMatchTheSchema(String kind, String body) {
        assertThat(schema(kind).validate(body, InputFormat.JSON)).isNotEmpty();
    }

    @Test
    void examplesOfTheDocumentationMatchTheSchema() throws IOException {
        var examples = Pattern.compile("```json\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(DOCS.resolve("connector-contract.md")))
                .results()
                .map(found -> found.group(1).strip())
                .toList();
        assertThat(examples).hasSize(9);
        for (String status : List.of(examples.get(0), examples.get(2), examples.get(4))) {
            assertFits("status", status);
            assertThat(ConnectorStatusMessage.decode(status).instance()).isEqualTo("7d3f0c52");
        }
        assertFits("command", examples.get(1));
        assertFits("command", examples.get(3));
        assertFits("request", examples.get(5));
        assertThat(ToolRequestMessage.decode(examples.get(5)).call().id()).isEqualTo(CALL);
        for (String reply : examples.subList(6, 8)) {
            assertFits("reply", reply);
            assertThat(ToolReplyMessage.decode(reply).reply().queueMillis()).isZero();
        }
        assertFits("withdrawal", examples.get(8));
        assertFits("command", examples.get(8));
        assertThat(ControlMessage.decode(examples.get(8))).isEqualTo(new ControlMessage.ToolCallCancelRequest(CALL));
    }

    @Test
    void commandsMatchTheSchema() {
        for (ConnectorCommand command : List.of(
                new ConnectorCommand.CancelCallCommand(CALL),
                new ConnectorCommand.RegisterCommand(),
                new ConnectorCommand.RegistrationRefusedCommand("i", "tools must be a list"))) {
            assertFits("command", command.encode());
        }
    }

    /** The decoder accepts a message exactly if the schema accepts it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | {'v':1,'register':{'instance':'i','tools':[]}}",
                "true  | "
                        + "{'v':1,'register':{'instance':'i','revision':'2:a','tools':[{'name':'a.b-c_D'}],'more':1},"
                        + "'more':{}}",
                "true  | {'v':1,'alive':{'instance':'i'}}",
                "true  | {'v':1,'leave':{'instance':'0190163d-8694-739b-aea5-966c26f8ad90'}}",
                "false | {'v':1}",
                "false | {'v':2,'alive':{'instance':'i'}}",
                "false | {'v':1,'alive':{}}",
                "false | {'v':1,'alive':'i'}",
                "false | {'v':1,'alive':{'instance':''}}",
                "false | {'v':1,'alive':{'instance':'../../x'}}",
                "false | {'v':1,'alive':{'instance':7}}",
                "false | {'v':1,'leave':true}",
                "false | {'v':1,'register':true}",
                "false | {'v':1,'register':{'instance':'i'}}",
                "false | {'v':1,'register':{'instance':'i','revision':1,'tools':[]}}",
                "false | {'v':1,'register':{'tools':[]}}",
                "false | {'v':1,'register':{'instance':'i','tools':{}}}",
                "false | {'v':1,'register':{'instance':'i','tools':['a']}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':'a b'}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':'a\\nb'}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':1}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':'a','description':{}}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':'a','inputSchema':'x'}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':'a','outputSchema':[]}]}}",
                "false | {'v':1,'register':{'instance':'i','tools':[{'name':'a','readOnly':'yes'}]}}",
                "false | []",
                "false | 7",
                "false | null",
            })
    void decoderAcceptsExactlyTheStatusMessagesOfTheSchema(boolean fits, String quoted) {
        String body = quoted.replace('\'', '"');
        assertThat(schema("status").validate(body, InputFormat.JSON).isEmpty()).isEqualTo(fits);
        boolean taken;
        try {
            ConnectorStatusMessage.decode(body);
            taken = true;
        } catch (MalformedMessageException | RegistrationRefusedException e) {
            taken = false;
        }
        assertThat(taken).isEqualTo(fits);
    }

    @Test
    void invalidRegistrationIsRefusedWithItsReasonAndInstance() {
        String twice = "{\"v\":1,\"register\":{\"instance\":\"i\",\"tools\":[{\"name\":\"a\"},{\"name\":\"a\"}]}}";
        assertThatThrownBy(() -> ConnectorStatusMessage.decode(twice))
                .isInstanceOfSatisfying(
                        RegistrationRefusedException.class,
                        refused -> assertThat(refused.instance()).isEqualTo("i"))
                .hasMessage("tools[1].name occurs twice: a");
        String many = "{\"v\":1,\"register\":{\"instance\":\"i\",\"tools\":["
                + String.join(",", Collections.nCopies(501, "{\"name\":\"a\"}")) + "]}}";
        assertThatThrownBy(() -> ConnectorStatusMessage.decode(many)).hasMessage("tools must be a list of at most 500");
        assertThat(schema("status").validate(many, InputFormat.JSON)).isNotEmpty();
    }
}
