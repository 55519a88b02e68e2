package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection.BackendRequest;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Answers of servers, read through the SDK. The calls must not be repeated, so that a lost answer would be unknown. */
class McpConnectionTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static McpConnection connect(ScriptedTransport transport) {
        McpConnection.McpConnectionListener listener = new McpConnection.McpConnectionListener() {
            @Override
            public void onToolsChanged() {}

            @Override
            public void onCredentialsRefused(McpConnection refused, String why) {
                throw new AssertionError(why);
            }

            @Override
            public void onCredentialsAccepted(McpConnection accepted) {}

            @Override
            public void onBroken(McpConnection broken, String why) {
                throw new AssertionError(why);
            }
        };
        McpConnection connection = new McpConnection(transport, TIMEOUT, false, listener);
        await(connection.initialize());
        return connection;
    }

    private static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private static BackendRequest request(Json arguments) {
        return new BackendRequest(
                new CallId("e", 1), "work", arguments, false, "t", Instant.now().plusSeconds(60));
    }

    private static ToolResult call(McpConnection connection) {
        return await(connection.call(request(Json.EMPTY_OBJECT)));
    }

    private static ToolResult call(Function<JsonNode, String> answer) {
        return call(connect(new ScriptedTransport(request -> List.of(answer.apply(request)))));
    }

    private static ToolError error(Function<JsonNode, String> answer) {
        ToolResult result = call(answer);
        if (result instanceof ToolResult.ToolFailure failure) {
            return failure.error();
        }
        throw new AssertionError(result);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"content":[{"type":"text","text":"[1, 2"}]}                          | "[1, 2"
                    {"content":[{"type":"text","text":"0123"}]}                           | "0123"
                    {"content":[{"type":"text","text":""}]}                               | ""
                    {"content":[{"type":"text","text":null}]}                             | null
                    {"content":[{"type":"text","text":"x","_meta":{"k":1}}]}              | "x"
                    {"content":[{"type":"text","text":"x","annotations":null}]}           | "x"
                    {"isError":null,"content":[{"type":"text","text":"fine"}]}            | "fine"
                    {}                                                                    | []
                    null                                                                  | []
                    {"_meta":{"a":1},"isError":false}                                     | []
                    {"toolResult":{"a":1}}                                                | {"toolResult":{"a":1}}
                    {"content":null,"structuredContent":{"n":1}}                          | {"n":1}
                    {"content":[{"type":"text","text":"t"}],"structuredContent":null}     | "t"
                    """)
    void textOrStructuredContentIsTheValue(String result, String value) {
        assertThat(call(request -> ScriptedTransport.result(request, result)))
                .isEqualTo(ToolResult.success(new Json(value)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"n\":1}",
                "[1,{\"a\":[null]}]",
                "\"word\"",
                "0",
                "false",
                "{\"a\":{}}",
                "{\"at\":\"2025-05-03T14:30:00Z\",\"none\":null}"
            })
    void structuredContentIsTheValueBesideAText(String structured) {
        assertThat(call(request -> ScriptedTransport.result(
                        request,
                        "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":" + structured + "}")))
                .isEqualTo(ToolResult.success(new Json(structured)));
    }

    @Test
    void textWithTheAnnotationsOfTheProtocolIsTheValue() {
        String annotations = "{\"audience\":[\"user\",\"assistant\"],\"priority\":0.5,"
                + "\"lastModified\":\"2025-05-03T14:30:00Z\"}";
        assertThat(call(request -> ScriptedTransport.result(
                        request,
                        "{\"content\":[{\"type\":\"text\",\"text\":\"t\",\"annotations\":" + annotations + "}]}")))
                .isEqualTo(ToolResult.success(new Json("\"t\"")));
    }

    private static Stream<String> contents() {
        return """
            []
            [{"type":"text"}]
            [{"type":"text","text":5}]
            [{"type":"text","text":"x","annotations":{"audience":["system"],"priority":2,\
            "lastModified":"2025-05-03T14:30:00Z","color":"red"},"_meta":{"k":1},"extra":true}]
            [{"type":"text","text":"x","extra":null}]
            [{"type":"text","text":"x","annotations":{"color":"red"}}]
            [{"type":"text","text":"x","annotations":{"audience":[null]}}]
            [{"type":"text","text":"x","annotations":{"priority":1.5}}]
            [{"type":"text","text":"x","annotations":{"lastModified":7}}]
            [{"type":"text","text":"x","annotations":"red"}]
            [{"type":"text","text":"a"},{"type":"text","text":"b"}]
            [{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]
            [{"type":"text","text":"a"},{"type":"image","data":"AA==","annotations":{"priority":0.5,"color":"red"}}]
            [{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}]
            [{"type":"resource_link","uri":"file:///a","size":12,"icons":[{"src":"i","sizes":["48x48"]}],"_meta":{}}]
            [{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/markdown","text":"# a"}}]
            [{"type":"resource","resource":{"uri":"file:///a","blob":"AAEC"}}]
            [{"type":"text","text":"before"},{"type":"video","uri":"https://a.example/v.mp4"}]
            {"type":"text","text":"no list"}
            ["a",null,7]
            "a"
            """.lines();
    }

    @ParameterizedTest
    @MethodSource("contents")
    void otherContentsArriveAsTheyCame(String content) {
        assertThat(call(request -> ScriptedTransport.result(request, "{\"content\":" + content + "}")))
                .isEqualTo(ToolResult.success(new Json(content)));
    }

    @Test
    void resultThatDoesNotMatchTheDeclaredSchemaArrives() {
        String declared = "{\"type\":\"object\",\"required\":[\"n\"]}";
        McpConnection connection = connect(new ScriptedTransport(request -> List.of(ScriptedTransport.result(
                request,
                request.path("method").asText().equals("tools/list")
                        ? "{\"tools\":[{\"name\":\"work\",\"outputSchema\":" + declared + "}]}"
                        : "{\"content\":[],\"structuredContent\":{\"m\":\"x\"}}"))));
        assertThat(await(connection.listTools()).tools())
                .extracting(ToolDefinition::outputSchema)
                .containsExactly(Optional.of(new Json(declared)));
        assertThat(call(connection)).isEqualTo(ToolResult.success(new Json("{\"m\":\"x\"}")));
    }

    @Test
    void numbersAndNamesAreKept() {
        String value = "{\"id\":12345678901234567890,\"b\":1.0,\"c\":0.10,\"__proto__\":{\"x\":1},\"\":3,\"then\":4}";
        assertThat(call(request -> ScriptedTransport.result(request, "{\"structuredContent\":" + value + "}")))
                .isEqualTo(ToolResult.success(new Json(value)));
    }

    @Test
    void namesWithTheSameHashArrive() {
        Stream<String> names = Stream.of("");
        for (int i = 0; i < 9; i++) {
            names = names.flatMap(name -> Stream.of(name + "Ab", name + "BA")); // 33 * 'A' + 'b' = 33 * 'B' + 'A'
        }
        String value = names.map(name -> "\"" + name + "\":1").collect(Collectors.joining(",", "{", "}"));
        assertThat(call(request -> ScriptedTransport.result(request, "{\"structuredContent\":" + value + "}")))
                .isEqualTo(ToolResult.success(new Json(value)));
    }

    @Test
    void textIsKeptCharacterByCharacter() {
        String text = "\"a\\r\\nb\\u2028\\u0000\\ud83d\\ude00 {\\\"id\\\": 12345678901234567890}\"";
        assertThat(call(request ->
                        ScriptedTransport.result(request, "{\"content\":[{\"type\":\"text\",\"text\":" + text + "}]}")))
                .isEqualTo(ToolResult.success(
                        new Json("\"a\\r\\nb\u2028\\u0000\ud83d\ude00 {\\\"id\\\": 12345678901234567890}\"")));
        assertThat(call(request -> ScriptedTransport.result(
                        request, "{\"content\":[{\"type\":\"text\",\"text\":\"a\\ud83d z\"}]}")))
                .isEqualTo(ToolResult.success(new Json("\"a\ud83d z\"")));
    }

    @Test
    void deepAndWideResultsArrive() {
        String deep = "{\"a\":".repeat(70) + "1" + "}".repeat(70);
        String wide = IntStream.range(0, 20_000)
                .mapToObj(i -> "\"k" + i + "\":" + i)
                .collect(Collectors.joining(",", "{", "}"));
        for (String value : List.of(deep, wide)) {
            assertThat(call(request ->
                            ScriptedTransport.result(request, "{\"content\":[],\"structuredContent\":" + value + "}")))
                    .isEqualTo(ToolResult.success(new Json(value)));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", quoteCharacter = '^', textBlock = """
                    [{"type":"text","text":"first"},{"type":"text","text":"second"}] | - | first/second  | -
                    [{"type":"text","text":"{\\"retry\\":3}"}]                       | - | {"retry":3}   | -
                    [{"type":"text","text":"no"}]                                    | 7 | no            | 7
                    []                                                               | - | 'work' failed | -
                    null                                                             | - | 'work' failed | -
                    [{"type":"image","data":"AA=="}]                                 | - | 'work' failed | all members
                    [{"type":"text","text":"no"},{"type":"video"}]                   | 7 | no            | all members
                    [{"type":"text","text":"no","hint":"wait"}]                      | - | no            | all members
                    "plain"                                                          | - | plain         | all members
                    """)
    void failureOfAToolKeepsItsContents(
            String content, @Nullable String structured, String message, @Nullable String details) {
        String members = "\"content\":" + content + (structured == null ? "" : ",\"structuredContent\":" + structured);
        ToolError expected = new ToolError(
                ToolErrorCode.TOOL_FAILED,
                message.replace('/', '\n'),
                Optional.ofNullable(details)
                        .map(given -> given.equals("all members") ? "{" + members + "}" : given)
                        .map(Json::new));
        for (String isError : List.of("true", "\"true\"")) {
            assertThat(error(request ->
                            ScriptedTransport.result(request, "{\"isError\":" + isError + "," + members + "}")))
                    .isEqualTo(expected);
        }
    }

    @Test
    void resultThatIsNoObjectIsAFailure() {
        for (String result : List.of("\"word\"", "[1]", "7")) {
            assertThat(error(request -> ScriptedTransport.result(request, result)))
                    .isEqualTo(new ToolError(
                            ToolErrorCode.TOOL_FAILED,
                            "'work' was answered with a result that is no object",
                            Optional.of(new Json("{\"result\":" + result + "}"))));
        }
    }

    @Test
    void contentsOfAFailureAreKeptIfItsMessageIsCutOff() {
        String content = "[{\"type\":\"text\",\"text\":\"" + "x".repeat(5_000) + "\"}]";
        ToolError error =
                error(request -> ScriptedTransport.result(request, "{\"isError\":true,\"content\":" + content + "}"));
        assertThat(error.message()).hasSize(4_001);
        assertThat(error.details()).contains(new Json("{\"content\":" + content + "}"));

        // Structured content has one form, however long the text beside it is.
        ToolError structured = error(request -> ScriptedTransport.result(
                request, "{\"isError\":true,\"structuredContent\":{\"n\":1},\"content\":" + content + "}"));
        assertThat(structured.message()).isEqualTo(error.message());
        assertThat(structured.details()).contains(new Json("{\"n\":1}"));
    }

    @Test
    void messageIsNotCutOffWithinACharacter() {
        String content = "[{\"type\":\"text\",\"text\":\"" + "x".repeat(3_999) + "\ud83d\ude00 and more\"}]";
        assertThat(error(request -> ScriptedTransport.result(request, "{\"isError\":true,\"content\":" + content + "}"))
                        .message())
                .isEqualTo("x".repeat(3_999) + "…");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", quoteCharacter = '^', textBlock = """
                    {"code":-32000,"message":"quota used up"}  | tool-failed       | quota used up   | -32000
                    {"code":-32602,"message":"no such city"}   | invalid-arguments | no such city    | -32602
                    {"code":"E_QUOTA","message":"quota"}       | tool-failed       | quota           | "E_QUOTA"
                    {"code":99999999999,"message":"quota"}     | tool-failed       | quota           | 99999999999
                    {"code":-32000,"message":{"en":"quota"}}   | tool-failed       | {"en":"quota"}  | -32000
                    {"code":-32000}                            | tool-failed       | no reason given | -32000
                    {"message":"quota"}                        | tool-failed       | quota           | -
                    {}                                         | tool-failed       | no reason given | -
                    "quota"                                    | tool-failed       | quota           | -
                    7                                          | tool-failed       | 7               | -
                    """)
    void errorOfTheProtocolKeepsItsCode(String json, String code, String message, @Nullable String details) {
        assertThat(error(request -> ScriptedTransport.error(request, json)))
                .isEqualTo(new ToolError(
                        ToolErrorCode.of(code).orElseThrow(),
                        "'work' was refused by its server: " + message,
                        Optional.ofNullable(details).map(given -> new Json("{\"code\":" + given + "}"))));
    }

    @Test
    void errorOfTheProtocolKeepsItsData() {
        String code = "\"code\":-32042";
        String data = "\"data\":{\"elicitations\":[{\"url\":\"https://a.example\"}]}";
        ToolError error = error(
                request -> ScriptedTransport.error(request, "{" + code + ",\"message\":\"sign in\"," + data + "}"));
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.details()).contains(new Json("{" + code + "," + data + "}"));
    }

    @Test
    void responseWithErrorAndResultIsAnError() {
        assertThat(error(request -> "{\"result\":{},\"error\":{\"code\":1,\"message\":\"no\"},\"id\":"
                                + request.get("id") + "}")
                        .message())
                .isEqualTo("'work' was refused by its server: no");
        assertThat(call(request -> "{\"result\":{\"content\":[]},\"error\":null,\"id\":" + request.get("id") + "}"))
                .isEqualTo(ToolResult.success(new Json("[]")));
    }

    @Test
    void answerInABatchCounts() {
        assertThat(call(request -> "[7,{\"method\":\"notifications/message\",\"jsonrpc\":\"2.0\",\"params\":{}},"
                        + ScriptedTransport.result(request, "{\"content\":[]}") + "]"))
                .isEqualTo(ToolResult.success(new Json("[]")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"deep", "duplicate", "long number", "cut off"})
    void answerThatCannotBeReadFailsItsCall(String how) {
        ToolError error = error(request -> ScriptedTransport.result(
                request,
                switch (how) {
                    case "deep" -> "{\"structuredContent\":" + "[".repeat(500) + "]".repeat(500) + "}";
                    case "duplicate" -> "{\"structuredContent\":{\"paid\":false,\"paid\":true}}";
                    case "long number" -> "{\"structuredContent\":" + "1".repeat(2_000) + "}";
                    default -> "{\"content\":[{\"type\":\"text\",\"text\":\"a";
                }));
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).startsWith("'work' was answered with JSON that is not accepted: ");
    }

    @Test
    void callOnAClosedConnectionIsNotMade() {
        McpConnection connection = connect(new ScriptedTransport(request -> {
            throw new AssertionError(request);
        }));
        connection.close();
        assertThat(call(connection))
                .isEqualTo(ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE, "'work' could not be sent: the connection is closed"));
    }

    @Test
    void openCallOfAClosedConnectionMayHaveHadItsEffect() {
        McpConnection connection = connect(new ScriptedTransport(request -> List.of()));
        CompletionStage<ToolResult> open = connection.call(request(Json.EMPTY_OBJECT));
        connection.close();
        assertThat(await(open))
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        lost -> assertThat(lost.error().code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN));
    }

    @Test
    void argumentsThatCannotBeSentLeaveNoOpenCall() {
        McpConnection connection = connect(new ScriptedTransport(request -> List.of()));
        assertThatThrownBy(() -> connection.call(request(new Json("[1]"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(connection.hasOpenCalls()).isFalse();
    }

    @Test
    void refusedPingIsAnswered() {
        McpConnection connection = connect(new ScriptedTransport(request ->
                List.of(ScriptedTransport.error(request, "{\"code\":-32601,\"message\":\"Method not found\"}"))));
        await(connection.ping());
    }

    private static McpToolList list(Function<JsonNode, String> page) {
        return await(connect(new ScriptedTransport(
                        request -> List.of(ScriptedTransport.result(request, page.apply(request)))))
                .listTools());
    }

    private static List<String> names(McpToolList list) {
        return list.tools().stream().map(ToolDefinition::originalName).toList();
    }

    private static ToolDefinition tool(McpToolList list, String name) {
        return list.tools().stream()
                .filter(tool -> tool.originalName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String page(int first, String more) {
        return IntStream.range(first, first + 8)
                .mapToObj(i -> "{\"name\":\"t" + i + "\",\"inputSchema\":{\"type\":\"object\"}}")
                .collect(Collectors.joining(",", "{\"tools\":[", "]" + more + "}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"nextCursor\":\"\"", ",\"nextCursor\":null"})
    void pagesAreReadToTheLast(String end) {
        McpToolList list = list(request -> switch (request.at("/params/cursor").asText("")) {
            case "" -> page(0, ",\"nextCursor\":\"@8\"");
            case "@8" -> page(8, ",\"nextCursor\":16");
            default -> page(16, end);
        });
        assertThat(names(list))
                .isEqualTo(IntStream.range(0, 24).mapToObj(i -> "t" + i).toList());
        assertThat(list.note()).isEmpty();
    }

    @Test
    void onePageMayHaveHundredsOfDescribedTools() {
        McpToolList list = list(request -> IntStream.range(0, 600)
                .mapToObj(i -> "{\"name\":\"t" + i + "\",\"description\":\"" + "z".repeat(300)
                        + "\",\"inputSchema\":{\"properties\":{\"q\":{\"description\":\"" + "y".repeat(200) + "\"}}}}")
                .collect(Collectors.joining(",", "{\"tools\":[", "]}")));
        assertThat(list.tools()).hasSize(600);
        assertThat(list.note()).isEmpty();
    }

    @Test
    void cursorOfAnEarlierPageEndsTheList() {
        McpToolList stuck = list(request -> page(0, ",\"nextCursor\":\"offset=8\""));
        assertThat(names(stuck)).hasSize(8);
        assertThat(stuck.note())
                .contains("page 2 of its tool list has the cursor of an earlier page: the list was ended there");

        McpToolList cycle =
                list(request -> request.at("/params/cursor").asText("").equals("b")
                        ? page(8, ",\"nextCursor\":\"a\"")
                        : page(0, ",\"nextCursor\":\"b\""));
        assertThat(names(cycle)).hasSize(16);
        assertThat(cycle.note().orElseThrow()).startsWith("page 3 of its tool list has the cursor");
    }

    @Test
    void endlessListsAreRefused() {
        assertThatThrownBy(() -> list(request -> {
                    int number = request.at("/params/cursor").asInt() + 1;
                    return "{\"tools\":[],\"nextCursor\":\"" + number + "\"}";
                }))
                .hasMessageContaining("more than 100 pages");
        assertThatThrownBy(() -> list(request -> {
                    int first = request.at("/params/cursor").asInt();
                    return IntStream.range(first, first + 500)
                            .mapToObj(i -> "{\"name\":\"t" + i + "\"}")
                            .collect(Collectors.joining(
                                    ",", "{\"tools\":[", "],\"nextCursor\":\"" + (first + 500) + "\"}"));
                }))
                .hasMessageContaining("more than 2000 tools");
        assertThatThrownBy(() -> list(request -> "{\"tools\":{}}")).hasMessageContaining("without a list of tools");
    }

    @Test
    void oneToolThatCannotBeReadAffectsNoOther() {
        McpToolList list = list(request -> """
                        {"tools": [
                          {"name": "good", "title": "Good", "icons": "x", "annotations": {"readOnlyHint": true}},
                          {"name": "yes", "inputSchema": true, "annotations": {"readOnlyHint": "yes", "title": 5}},
                          {"name": "word", "inputSchema": "object", "description": 7},
                          {"name": "no", "inputSchema": false, "outputSchema": "object"},
                          {"name": "list", "inputSchema": [], "annotations": "none"},
                          {"name": "none", "inputSchema": null}, {"name": "empty", "inputSchema": {}},
                          {"name": "plain", "execution": {"taskSupport": "forbidden"}},
                          {"name": "maybe", "execution": {"taskSupport": "optional"}},
                          {"name": "long", "execution": {"taskSupport": "required"}},
                          {"name": "odd", "execution": "now", "_meta": 1},
                          {"name": "good", "title": "Bad"}, {"name": "odd"},
                          {"name": 5}, {"title": "nameless"}, {"name": ""}, null, "tool"
                        ]}""");

        assertThat(names(list))
                .containsExactly("good", "yes", "word", "no", "list", "none", "empty", "plain", "maybe", "long", "odd");
        assertThat(tool(list, "good").hints().readOnly()).isTrue();
        assertThat(tool(list, "good").description()).isEqualTo("Good");
        assertThat(tool(list, "yes").hints().readOnly()).isFalse();
        assertThat(tool(list, "no").outputSchema()).contains(new Json("\"object\""));
        Map<String, String> unusable = list.tools().stream()
                .filter(tool -> tool.unusable().isPresent())
                .collect(Collectors.toMap(
                        ToolDefinition::originalName, tool -> tool.unusable().orElseThrow()));
        assertThat(unusable).containsOnlyKeys("word", "no").containsEntry("word", "its input schema is no JSON object");
        assertThat(list.note())
                .contains("entries of its tool list without a name, which cannot be called: 5; it declares 'good' more"
                        + " than once; the first declaration is used");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    {"list":{},"requests":{"tools":{"call":{}}}} | true
                    {"list":{},"requests":{"tools":{}}}          | false
                    {"requests":[]}                              | false
                    null                                         | false
                    """)
    void toolThatRequiresTasksIsUnusableIfItsServerHasThem(String tasks, boolean unusable) {
        McpConnection connection = connect(new ScriptedTransport(
                request -> List.of(ScriptedTransport.result(
                        request, "{\"tools\":[{\"name\":\"long\",\"execution\":{\"taskSupport\":\"required\"}}]}")),
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{},\"tasks\":" + tasks + "}}"));
        assertThat(tool(await(connection.listTools()), "long").unusable())
                .isEqualTo(
                        unusable
                                ? Optional.of(
                                        "it can only be called as a task (execution.taskSupport is 'required'), and"
                                                + " the service calls tools without tasks")
                                : Optional.empty());
    }

    @Test
    void unusualSchemasAndLongTextsAreKept() {
        String big = IntStream.range(0, 5_000)
                .mapToObj(i -> "\"country-" + i + "\"")
                .collect(Collectors.joining(",", "{\"type\":\"object\",\"properties\":{\"c\":{\"enum\":[", "]}}}"));
        String description = "x ".repeat(20_000);
        McpToolList list = list(request -> "{\"tools\":[{\"name\":\"big\",\"description\":\"" + description
                + "\",\"inputSchema\":" + big + ",\"outputSchema\":{\"type\":\"objekt\",\"$schema\":\"x:y\"}}]}");
        assertThat(list.tools()).singleElement().satisfies(tool -> {
            assertThat(tool.description()).isEqualTo(description);
            assertThat(tool.inputSchema()).isEqualTo(new Json(big));
            assertThat(tool.outputSchema()).contains(new Json("{\"type\":\"objekt\",\"$schema\":\"x:y\"}"));
            assertThat(tool.unusable()).isEmpty();
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    "protocolVersion":"2099-01-01"   | 2099-01-01
                    "protocolVersion":20250618       | none
                    "capabilities":{"tools":{}}      | none
                    """)
    void versionThatIsNotSupportedIsNamed(String handshake, String version) {
        assertThatThrownBy(() -> connect(new ScriptedTransport(request -> List.of(), "{" + handshake + "}")))
                .satisfies(failure -> assertThat(FailureMessages.of(Objects.requireNonNull(failure.getCause())))
                        .isEqualTo("Unsupported protocol version from the server: " + version));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    {"tools":{"listChanged":"yes"},"logging":[],"experimental":true,"tasks":{"list":{}}} | 8
                    {"tools":[]}                                                                         | 8
                    {"tools":true}                                                                       | 8
                    {"tools":false}                                                                      | 0
                    {"tools":null}                                                                       | 0
                    []                                                                                   | 0
                    null                                                                                 | 0
                    """)
    void unusualMembersOfTheHandshakeAffectNothing(String capabilities, int tools) {
        McpConnection connection = connect(new ScriptedTransport(
                request -> List.of(ScriptedTransport.result(request, page(0, ""))),
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":" + capabilities
                        + ",\"serverInfo\":\"text\",\"instructions\":[5],\"_meta\":1}"));
        assertThat(names(await(connection.listTools()))).hasSize(tools);
    }
}
