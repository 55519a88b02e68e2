package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FilteringTransportTest {
    private final List<JSONRPCMessage> handled = new ArrayList<>();
    private boolean failing;
    private final ScriptedTransport server = new ScriptedTransport(request -> {
        if (failing) {
            throw new IllegalStateException("the server does not read its input");
        }
        return List.of();
    });
    private final FilteringTransport transport =
            new FilteringTransport(server, new FilteringTransport.ServerMessageListener() {
                @Override
                public void onToolsChanged() {}

                @Override
                public void onProgress(String token, String said) {}

                @Override
                public void onFlood(String how) {
                    throw new AssertionError(how);
                }
            });

    private void send(String id) {
        transport.sendMessage(new JSONRPCRequest("tools/list", id)).block();
    }

    private void receive(String id) {
        server.deliver("{\"id\":\"" + id + "\",\"result\":{}}");
    }

    @Test
    void onlyResponsesToOpenRequestsArePassed() {
        transport.connect(message -> message.doOnNext(handled::add)).block();
        send("a-1");
        receive("a-1");
        assertThat(handled).hasSize(1);
        assertThat(transport.unknownId()).isEmpty();
        receive("a-1");
        receive("other");
        assertThat(handled).hasSize(1);
        assertThat(transport.unknownId()).contains("a-1");
    }

    @Test
    void cancelledCallIsAnsweredOnceForTheSession() {
        transport.connect(message -> message.doOnNext(handled::add)).block();
        transport
                .sendMessage(new JSONRPCRequest(
                        "tools/call",
                        "a-1",
                        new CallToolRequest("work", Map.of(), FilteringTransport.meta("token", Optional.empty()))))
                .block();
        for (int i = 0; i < 2; i++) {
            transport.cancelRequest("token", failure -> {
                throw new AssertionError(failure);
            });
            receive("a-1");
        }
        assertThat(handled).containsExactly(JSONRPCResponse.result("a-1", Map.of()));
    }

    @Test
    void requestThatCannotBeSentIsNotOpen() {
        transport.connect(message -> message.doOnNext(handled::add)).block();
        failing = true;
        assertThatThrownBy(() -> send("a-1")).hasMessage("the server does not read its input");
        receive("a-1");
        assertThat(handled).isEmpty();
        assertThat(transport.unknownId()).contains("a-1");
    }
}
