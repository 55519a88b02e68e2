package org.sallyport.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class MessageCodecTest {
    private static final ExecutionId ID = new ExecutionId(UUID.fromString("0190163d-8694-739b-aea5-966c26f8ad90"));

    @Test
    void jobRoundTripsAndIsSmall() {
        JobMessage job = new JobMessage(new ExecutionJob(ID, "tenant", 9, 3));
        assertThat(JobMessage.decode(job.encode())).isEqualTo(job);
        assertThat(job.encode().length()).isLessThan(1024);
    }

    @Test
    void controlMessagesRoundTrip() {
        ControlMessage order = new ControlMessage.ExecutionCancelRequest(ID);
        assertThat(ControlMessage.decode(order.encode())).isEqualTo(order);
        ControlMessage withdrawn = new ControlMessage.ToolCallCancelRequest(new CallId(ID.toString(), 3));
        assertThat(ControlMessage.decode(withdrawn.encode())).isEqualTo(withdrawn);
        ControlMessage word = new ControlMessage.EventStored("a tenant", "an \"event\"");
        assertThat(ControlMessage.decode(word.encode())).isEqualTo(word);
    }

    @Test
    void callKeepsTheExactTextOfItsArguments() {
        Json arguments = new Json("{ \"a\" : 1.0, \"b\":\"\\u0000\\ud800\",\n\"__proto__\":{} }");
        ToolCall call = new ToolCall(
                new CallId(ID.toString(), 7), "t", new ToolName("be", "to.ol"), arguments, Instant.ofEpochMilli(5));
        ToolRequestMessage request = new ToolRequestMessage(call, Instant.ofEpochMilli(4));
        assertThat(ToolRequestMessage.decode(request.encode())).isEqualTo(request);
        assertThat(request.encode()).as("a request without a lease").doesNotContain("lease");

        ToolRequestMessage leased = new ToolRequestMessage(call, Instant.ofEpochMilli(4), 9_000);
        assertThat(ToolRequestMessage.decode(leased.encode())).isEqualTo(leased);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "7",
                "{}",
                "\"\"",
                "\"a b\"",
                "\"a\\nb\"",
                "\"<b>\"",
                "\"-----------------------------------------\""
            })
    void invalidNodeNameIsIgnored(String node) {
        ToolReply reply = ToolReplyMessage.decode(
                        "{\"v\":1,\"result\":\"1\",\"queueMillis\":2,\"backendMillis\":3," + "\"node\":" + node + "}")
                .reply();
        assertThat(reply).isEqualTo(new ToolReply(ToolResult.success(new Json("1")), 2, 3));
    }

    /** Nodes of two versions exchange messages. */
    @Test
    void unknownAndMissingMembersAreTolerated() {
        assertThat(ToolReplyMessage.decode(
                                "{\"v\":1,\"result\":\"1\",\"queueMillis\":2,\"backendMillis\":3,\"later\":{}}")
                        .reply())
                .isEqualTo(new ToolReply(ToolResult.success(new Json("1")), 2, 3));
    }

    @Test
    void repliesRoundTrip() {
        ToolReplyMessage success = new ToolReplyMessage(new ToolReply(ToolResult.success(new Json("[1, 2]")), 3, 4));
        assertThat(ToolReplyMessage.decode(success.encode())).isEqualTo(success);
        ToolReplyMessage failure = new ToolReplyMessage(new ToolReply(
                new ToolResult.ToolFailure(new ToolError(ToolErrorCode.TIMEOUT, "late", Optional.of(new Json("{}")))),
                0,
                1));
        assertThat(ToolReplyMessage.decode(failure.encode())).isEqualTo(failure);
        for (int attempts : new int[] {0, 1, 7}) {
            ToolReplyMessage counted =
                    new ToolReplyMessage(new ToolReply(ToolResult.success(Json.NULL), 0, 1, attempts));
            assertThat(ToolReplyMessage.decode(counted.encode())).isEqualTo(counted);
        }
        ToolReplyMessage named =
                new ToolReplyMessage(new ToolReply(ToolResult.success(Json.NULL), 0, 1).withNode("Node-1"));
        assertThat(ToolReplyMessage.decode(named.encode())).isEqualTo(named);
        assertThat(ToolReplyMessage.decode("{\"v\":1,\"result\":\"1\",\"attempts\":-7}")
                        .reply()
                        .attempts())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"v\":2}",
                "{\"v\":1}",
                "{\"v\":1,\"id\":5}",
                "{\"v\":1,\"v\":1}",
                "\u0000",
                "{"
            })
    void foreignMessageIsRefused(String text) {
        assertThatThrownBy(() -> JobMessage.decode(text)).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> ControlMessage.decode(text)).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> ToolRequestMessage.decode(text)).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> ToolReplyMessage.decode(text)).isInstanceOf(MalformedMessageException.class);
    }
}
