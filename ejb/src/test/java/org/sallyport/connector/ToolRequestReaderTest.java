package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

class ToolRequestReaderTest {
    private static final int MAX_BYTES = 100_000;

    private final MemoryBudget budget = new MemoryBudget("calls", MAX_BYTES);
    private final List<OutgoingMessage> sent = new ArrayList<>();
    private InstantSource clock = InstantSource.fixed(Instant.EPOCH);
    private final PendingConnector connector = new PendingConnector();
    private final ConnectorDispatcher dispatcher = new ConnectorDispatcher(
            List.of(connector),
            new MessageSender() {
                @Override
                public void send(OutgoingMessage message) {
                    sent.add(message);
                }

                @Override
                public int countWaiting(String queue, int maxCount) {
                    return 0;
                }

                @Override
                public void ping() {}
            },
            () -> clock.instant(),
            1_000,
            "node-7",
            budget);

    /** A connector whose calls are answered when the test wants it. */
    private static final class PendingConnector implements Connector {
        private static final ToolName TOOL = new ToolName("slow", "read");
        private final List<CompletableFuture<ToolResult>> calls = new ArrayList<>();

        @Override
        public String backendName() {
            return TOOL.backend();
        }

        @Override
        public List<ToolSpec> tools() {
            return List.of(new ToolSpec(TOOL, "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY));
        }

        @Override
        public CompletionStage<ToolResult> call(ToolCall call) {
            CompletableFuture<ToolResult> result = new CompletableFuture<>();
            calls.add(result);
            return result;
        }
    }

    private static String request(int argumentChars) {
        ToolCall call = new ToolCall(
                new CallId("e", 1),
                "t",
                PendingConnector.TOOL,
                new Json("\"" + "x".repeat(argumentChars) + "\""),
                Instant.EPOCH.plusSeconds(60));
        return new ToolRequestMessage(call, Instant.EPOCH).encode();
    }

    private void receive(String body, boolean redelivered) throws JMSException {
        Queue replies = (Queue) Proxy.newProxyInstance(
                Queue.class.getClassLoader(), new Class<?>[] {Queue.class}, (proxy, called, given) -> "replies");
        Message message = (Message) Proxy.newProxyInstance(
                Message.class.getClassLoader(),
                new Class<?>[] {Message.class},
                (proxy, called, given) -> switch (called.getName()) {
                    case "getJMSCorrelationID" -> "c";
                    case "getJMSReplyTo" -> replies;
                    case "getJMSRedelivered" -> redelivered;
                    case "getStringProperty" -> OutgoingMessage.TENANT_PROPERTY.equals(given[0]) ? "t" : null;
                    case "getBody" -> body;
                    default -> throw new UnsupportedOperationException(called.toString());
                });
        ToolRequestReader.readAndDispatch(message, dispatcher);
    }

    @Test
    void callHoldsItsMemoryUntilItIsAnswered() throws JMSException {
        String body = request(1_000);
        receive(body, false);

        assertThat(budget.usedBytes("t")).isEqualTo(4L * body.length());
        connector.calls.get(0).complete(ToolResult.success(Json.NULL));

        assertThat(sent).hasSize(1);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void callWithoutMemoryIsHandedBack() throws JMSException {
        MemoryBudget.MemoryReservation other =
                budget.tryReserve("t", budget.maxBytesPerOwner()).orElseThrow();
        receive(request(1_000), false);

        assertThat(connector.calls).isEmpty();
        assertThat(sent).singleElement().satisfies(message -> {
            assertThat(message.body()).isEqualTo(ToolReplyMessage.HANDED_BACK_WITHOUT_MEMORY);
            assertThat(message.destination()).isEqualTo("replies");
            assertThat(message.correlationId()).isEqualTo("c");
        });
        other.close();
        receive(request(1_000), false);
        assertThat(connector.calls).hasSize(1);
    }

    @Test
    void redeliveredCallNeedsNoFreeMemory() throws JMSException {
        assertThat(budget.tryReserve("t", budget.maxBytesPerOwner())).isPresent();

        receive(request(1_000), true);

        assertThat(connector.calls).hasSize(1);
    }

    @Test
    void largestCallOfATenantNeedsTheShareOfTheTenant() throws JMSException {
        receive(request(MAX_BYTES), false);

        assertThat(connector.calls).hasSize(1);
        assertThat(budget.usedBytes()).isEqualTo(budget.maxBytesPerOwner());
    }

    private ToolReply singleReply() {
        assertThat(sent).singleElement().satisfies(message -> {
            assertThat(message.destination()).isEqualTo("replies");
            assertThat(message.correlationId()).isEqualTo("c");
        });
        return ToolReplyMessage.decode(sent.get(0).body()).reply();
    }

    private static ToolErrorCode code(ToolReply reply) {
        return ((ToolResult.ToolFailure) reply.result()).error().code();
    }

    @Test
    void invalidMessageIsAnsweredAndHoldsNoMemory() {
        assertThatThrownBy(() -> receive("{}", false)).isInstanceOf(MalformedMessageException.class);

        assertThat(code(singleReply())).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(singleReply().attempts()).isZero();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void outcomeOfARedeliveredInvalidMessageIsUnknown() {
        assertThatThrownBy(() -> receive("{}", true)).isInstanceOf(MalformedMessageException.class);

        assertThat(code(singleReply())).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void callWhoseDispatchFailsIsAnsweredAndHoldsNoMemory() throws JMSException {
        clock = () -> {
            throw new IllegalStateException("no time, as the test says");
        };

        receive(request(1_000), false);

        assertThat(code(singleReply())).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(singleReply().attempts()).isZero();
        assertThat(connector.calls).isEmpty();
        assertThat(budget.usedBytes()).isZero();
    }
}
