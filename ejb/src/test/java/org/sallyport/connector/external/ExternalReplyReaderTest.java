package org.sallyport.connector.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

class ExternalReplyReaderTest {
    @Test
    void resultIsReadUnchanged() {
        assertThat(ExternalReplyReader.read("{\"v\":1,\"result\":\"{\\\"a\\\": [1, null]}\"}", false))
                .isEqualTo(ToolResult.success(new Json("{\"a\": [1, null]}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "{",
                "{\"v\":1}",
                "{\"v\":2,\"result\":\"1\"}",
                "{\"v\":1,\"result\":1}",
                "{\"v\":1,\"result\":\"\"}",
                "{\"v\":1,\"result\":\" \"}",
                "{\"v\":1,\"result\":\"{\"}",
                "{\"v\":1,\"result\":\"1 2\"}",
                "{\"v\":1,\"result\":\"NaN\"}",
                "{\"v\":1,\"result\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}",
                "{\"v\":1,\"result\":\"1\",\"result\":\"2\"}",
                "{\"v\":1,\"result\":\"1\",\"error\":{\"code\":\"timeout\",\"message\":\"m\"}}",
                "{\"v\":1,\"result\":\"1\",\"queueMillis\":\"x\"}",
                "{\"v\":1,\"error\":{}}",
                "{\"v\":1,\"error\":\"timeout\"}",
                "{\"v\":1,\"error\":{\"code\":\"timeout\",\"message\":\"m\",\"details\":\"{\"}}",
            })
    void invalidReplyIsRefused(String body) {
        assertThatThrownBy(() -> ExternalReplyReader.read(body, false)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void tooDeepResultIsRefused() {
        String deep = "[".repeat(200) + "]".repeat(200);
        assertThatThrownBy(() -> ExternalReplyReader.read("{\"v\":1,\"result\":\"" + deep + "\"}", false))
                .isInstanceOf(MalformedMessageException.class);
    }

    private static ToolError error(ToolErrorCode code, boolean repeatable) {
        String body = "{\"v\":1,\"error\":{\"code\":\"" + code.code() + "\",\"message\":\"" + "m".repeat(10_000)
                + "\",\"details\":\"{}\"}}";
        return ((ToolResult.ToolFailure) ExternalReplyReader.read(body, repeatable)).error();
    }

    @Test
    void timeoutOfACallThatMustNotBeRepeatedIsUnknown() {
        assertThat(error(ToolErrorCode.TIMEOUT, false).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(error(ToolErrorCode.TIMEOUT, false).details()).contains(Json.EMPTY_OBJECT);
        assertThat(error(ToolErrorCode.BACKEND_UNAVAILABLE, false).code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
    }

    @Test
    void errorIsLimitedToCodesThatAConnectorMayUse() {
        for (ToolErrorCode code : ToolErrorCode.values()) {
            ToolError error = error(code, true);
            switch (code) {
                case NOT_GRANTED,
                        DENIED,
                        CALL_LIMIT,
                        JOURNAL_LIMIT,
                        BUDGET_EXCEEDED,
                        QUOTA_EXCEEDED,
                        NOT_RECORDED,
                        CAPABILITY_FAILED,
                        CAPABILITY_CYCLE,
                        VARIABLES_NOT_SET,
                        TOOLS_MISSING,
                        SANDBOX_NOT_ALLOWED -> assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
                default -> assertThat(error.code()).isEqualTo(code);
            }
            assertThat(error.message()).hasSizeLessThan(4_010);
            assertThat(error.details()).contains(Json.EMPTY_OBJECT);
        }
    }
}
