package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.modelcontextprotocol.spec.McpSchema;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonRpcReaderTest {
    private static JsonRpcReader.JsonRpcMessage read(String json) {
        return JsonRpcReader.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {                                                              | -32700
            {"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}       | -32700
            ``                                                             | -32600
            []                                                             | -32600
            [{"jsonrpc":"2.0","id":1,"method":"ping"}]                     | -32600
            "ping"                                                         | -32600
            {"id":1,"method":"ping"}                                       | -32600
            {"jsonrpc":"1.0","id":1,"method":"ping"}                       | -32600
            {"jsonrpc":"2.0","id":null,"method":"ping"}                    | -32600
            {"jsonrpc":"2.0","id":1.5,"method":"ping"}                     | -32600
            {"jsonrpc":"2.0","id":{},"method":"ping"}                      | -32600
            {"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}    | -32600
            {"jsonrpc":"2.0","id":1}                                       | -32600
            {"jsonrpc":"2.0","id":1,"method":7}                            | -32600
            {"jsonrpc":"2.0","id":1,"method":""}                           | -32600
            {"jsonrpc":"2.0","id":1,"method":"a\\nb"}                      | -32600
            {"jsonrpc":"2.0","id":1,"method":"ping","params":[]}           | -32600
            {"jsonrpc":"2.0","result":{}}                                  | -32600
            {"jsonrpc":"2.0","id":1,"result":{},"error":{}}                | -32600
            {"jsonrpc":"2.0","id":1,"error":null}                          | -32600
            {"jsonrpc":"2.0","id":null,"result":{}}                        | -32600
            {"jsonrpc":"2.0","id":null,"method":"tools/call"}              | -32600
            {"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}    | -32600
            {"jsonrpc":"2.0","id":1,"error":{"code":1}}                    | -32600
            """)
    void invalidMessageGetsItsErrorCode(String json, int code) {
        JsonRpcException exception = catchThrowableOfType(JsonRpcException.class, () -> read(json));
        assertThat(exception).isNotNull();
        assertThat(exception.code()).isEqualTo(code);
        assertThat(exception.httpStatus()).isEqualTo(400);
        assertThat(new String(JsonRpcWriter.error(exception), StandardCharsets.UTF_8))
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":")
                .contains("\"code\":" + code)
                .doesNotContain("Exception", "org.sallyport", "com.fasterxml");
    }

    @Test
    void requestsNotificationsAndResponsesAreDistinguished() {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}"))
                .isInstanceOfSatisfying(JsonRpcReader.JsonRpcRequest.class, request -> {
                    assertThat(request.id()).isEqualTo("a");
                    assertThat(request.params()).isEmpty();
                });
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":1}}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcRequest.class,
                        request -> assertThat(request.toSdkRequest().id()).isEqualTo(7));
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":70000000000,\"method\":\"ping\"}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcRequest.class,
                        request -> assertThat(request.id()).isEqualTo(70_000_000_000L));
        assertThat(read("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"))
                .isInstanceOf(JsonRpcReader.JsonRpcNotification.class);
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":\"s-0\",\"result\":{\"action\":\"accept\"}}"))
                .isInstanceOf(JsonRpcReader.JsonRpcReply.class);
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":\"s-0\",\"error\":{\"code\":-1,\"message\":\"no\"}}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcReply.class,
                        response -> assertThat(response.sdkResponse().error().code())
                                .isEqualTo(-1));
    }

    private static McpSchema.InitializeRequest initialization(String params) {
        return JsonRpcReader.toInitializeRequest((JsonRpcReader.JsonRpcRequest)
                read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":" + params + "}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}
            {"protocolVersion":1,"capabilities":{},"clientInfo":{"name":"n","version":"1"}}
            {"protocolVersion":"2025-11-25","clientInfo":{"name":"n","version":"1"}}
            {"protocolVersion":"2025-11-25","capabilities":[],"clientInfo":{"name":"n","version":"1"}}
            {"protocolVersion":"2025-11-25","capabilities":{}}
            {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n"}}
            {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n\\r\\nERROR forged","version":"1"}}
            """)
    void incompleteInitializationIsRefused(String params) {
        JsonRpcException exception = catchThrowableOfType(JsonRpcException.class, () -> initialization(params));
        assertThat(exception.code()).isEqualTo(-32602);
        assertThat(exception.httpStatus()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                  | false
            {"elicitation":{}}                  | true
            {"elicitation":{"form":{}}}         | true
            {"elicitation":{"url":{}}}          | false
            {"elicitation":{"form":null}}       | true
            {"elicitation":null}                | false
            {"elicitation":true}                | false
            {"sampling":{},"roots":{"x":[1]}}   | false
            """)
    void onlyTheElicitationCapabilityIsRead(String capabilities, boolean canAsk) {
        McpSchema.InitializeRequest read = initialization("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                + capabilities + ",\"clientInfo\":{\"name\":\"n\",\"version\":\"1\",\"title\":\"t\"}}");
        assertThat(read.capabilities().elicitation() != null).isEqualTo(canAsk);
        assertThat(read.capabilities().sampling()).isNull();
        assertThat(read.clientInfo().name()).isEqualTo("n");
    }

    @Test
    void nullParamsAreAbsent() {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcRequest.class,
                        request -> assertThat(request.params()).isEmpty());
        assertThat(read("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":null}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcNotification.class,
                        notification -> assertThat(notification.params()).isEmpty());
    }

    @Test
    void notificationMayHaveTheIdNull() {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"notifications/cancelled\","
                        + "\"params\":{\"requestId\":4,\"reason\":null}}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcNotification.class,
                        notification -> assertThat(JsonRpcReader.cancelledRequestId(notification))
                                .isEqualTo(4));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"name":"t","arguments":null}                         | {"name":"t"}
            {"name":"t","_meta":null}                             | {"name":"t"}
            {"name":"t","_meta":{"progressToken":null,"a":1}}     | {"name":"t","_meta":{"a":1}}
            {"name":"t","arguments":{"a":null,"b":{"c":null}}}    | {"name":"t","arguments":{"a":null,"b":{"c":null}}}
            """)
    void nullMembersOfAToolCallAreAbsent(String params, String expected) {
        JsonRpcReader.JsonRpcRequest request = (JsonRpcReader.JsonRpcRequest)
                read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + params + "}");

        assertThat(JsonRpcReader.toolName(request)).isEqualTo("t");
        assertThat(request.params()).hasToString(expected);
    }

    /** The SDK may log it. */
    @Test
    void messageOfAnErrorIsAbbreviated() {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"" + "x".repeat(10_000)
                        + "\"}}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcReply.class,
                        reply -> assertThat(reply.sdkResponse().error().message())
                                .hasSizeLessThan(100));
    }

    /** The SDK keeps the parameters until the answer, which may come much later. */
    @Test
    void sdkGetsTheNameAndTheProgressTokenOfAToolCallOnly() {
        JsonRpcReader.JsonRpcRequest request = (JsonRpcReader.JsonRpcRequest)
                read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\","
                        + "\"arguments\":{\"code\":\"1\"},\"_meta\":{\"progressToken\":7,\"other\":1},\"other\":1}}");

        assertThat(request.toSdkRequest().params()).hasToString("{\"name\":\"t\",\"_meta\":{\"progressToken\":7}}");
    }

    @Test
    void nullBesideTheResultOrErrorOfAReplyIsAbsent() {
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\"},\"error\":null}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcReply.class,
                        reply -> assertThat(reply.sdkResponse().error()).isNull());
        assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null,\"result\":null,"
                        + "\"error\":{\"code\":-1,\"message\":\"no\"}}"))
                .isInstanceOfSatisfying(
                        JsonRpcReader.JsonRpcReply.class,
                        reply -> assertThat(reply.sdkResponse().error().code()).isEqualTo(-1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}
            {"name":1}
            {"name":"run_script","arguments":[]}
            {"name":"run_script","_meta":"x"}
            {"name":"run_script","_meta":{"progressToken":1.5}}
            {"name":"run_script","_meta":{"progressToken":{}}}
            """)
    void malformedToolCallIsRefused(String params) {
        JsonRpcReader.JsonRpcRequest request = (JsonRpcReader.JsonRpcRequest)
                read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + params + "}");
        assertThat(catchThrowableOfType(JsonRpcException.class, () -> JsonRpcReader.toolName(request))
                        .code())
                .isEqualTo(-32602);
    }
}
