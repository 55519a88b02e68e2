package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.secret.Redaction;

class StdioTransportTest {
    @Test
    void whoSendsToAProgramThatCannotBeStartedHearsWhy() {
        List<String> told = new ArrayList<>();
        ServerProcess nothing = new ServerProcess("/no/such/program", List.of(), Map.of(), Optional.empty());
        StdioTransport transport = new StdioTransport(nothing, Redaction.NOTHING, 1000, Thread::new, told::add);

        transport.connect(message -> message).block();

        assertThat(told).singleElement().asString().startsWith("cannot be started: ");
        assertThatThrownBy(() ->
                        transport.sendMessage(new JSONRPCNotification("hello")).block())
                .hasMessage(told.get(0));
    }
}
