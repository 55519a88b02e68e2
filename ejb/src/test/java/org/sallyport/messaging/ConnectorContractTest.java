package org.sallyport.messaging;

import static org.assertj.core.api.Assertions.assertThat;

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

/** What the service sends is what its public page says. */
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

    private static void fits(String kind, String body) {
        assertThat(schema(kind).validate(body, InputFormat.JSON)).as(body).isEmpty();
    }

    @Test
    void requestsFit() {
        ToolCall call = new ToolCall(
                CALL, "t", new ToolName("be", "to.ol"), new Json("{\"a\":\"\\u0000\"}"), Instant.ofEpochMilli(5));
        fits("request", new ToolRequestMessage(call, Instant.ofEpochMilli(4)).encode());
    }

    @Test
    void withdrawalsFit() {
        fits("withdrawal", new ControlMessage.Withdraw(CALL).encode());
    }

    static Stream<ToolResult> results() {
        return Stream.concat(
                Stream.of(
                        ToolResult.success(Json.NULL),
                        new ToolResult.Failure(
                                new ToolError(ToolErrorCode.TOOL_FAILED, "m", Optional.of(new Json("{}"))))),
                codes().map(code -> ToolResult.failure(ToolErrorCode.of(code).orElseThrow(), "m")));
    }

    /** What a connector may say; the bridge has more to say by itself. */
    private static Stream<String> codes() {
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
    void thePageNamesTheCodesOfTheSchemaAndWhetherToTryAgain() throws IOException {
        String page = Files.readString(DOCS.resolve("connector-contract.md"));
        assertThat(codes())
                .isNotEmpty()
                .allSatisfy(code -> assertThat(page)
                        .containsPattern("\\| `" + code + "` \\| .* \\| "
                                + (ToolErrorCode.of(code).orElseThrow().retryable() ? "yes" : "no") + " \\|"));
    }

    @ParameterizedTest
    @MethodSource("results")
    void repliesFit(ToolResult result) {
        fits("reply", new ToolReplyMessage(new ToolReply(result, 1, 2)).encode());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "request    | {\"v\":2}",
                "request    | {\"v\":1,\"call\":\"x\",\"tenant\":\"t\",\"backend\":\"b\",\"tool\":\"t\",\"arguments\":\"{}\",\"deadline\":1,\"sentAt\":1}",
                "reply      | {\"v\":1,\"queueMillis\":1,\"backendMillis\":1}",
                "reply      | {\"v\":1,\"queueMillis\":1,\"backendMillis\":1,\"result\":{}}",
                "withdrawal | {\"v\":1,\"withdraw\":7}",
            })
    void theSchemaTellsWhatIsNoSuchMessage(String kind, String body) {
        assertThat(schema(kind).validate(body, InputFormat.JSON)).isNotEmpty();
    }

    @Test
    void theExamplesOfThePageFitAndCanBeRead() throws IOException {
        var examples = Pattern.compile("```json\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(DOCS.resolve("connector-contract.md")))
                .results()
                .map(found -> found.group(1).strip())
                .toList();
        assertThat(examples).hasSize(4);
        fits("request", examples.get(0));
        assertThat(ToolRequestMessage.decode(examples.get(0)).call().id()).isEqualTo(CALL);
        for (String reply : examples.subList(1, 3)) {
            fits("reply", reply);
            assertThat(ToolReplyMessage.decode(reply).reply().backendMillis()).isEqualTo(14);
        }
        fits("withdrawal", examples.get(3));
        assertThat(ControlMessage.decode(examples.get(3))).isEqualTo(new ControlMessage.Withdraw(CALL));
    }
}
