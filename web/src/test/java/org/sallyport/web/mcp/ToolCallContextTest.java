package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;

class ToolCallContextTest {
    private final ObjectNode params = JsonNodeFactory.instance.objectNode();
    private final PendingRequest request =
            new PendingRequest(new Caller("key", "tenant", Set.of(Role.SUBMITTER)), params);

    private ToolCallContext context() {
        return new ToolCallContext(
                request,
                new McpAsyncServerExchange(
                        "session", null, null, null, McpTransportContext.EMPTY, JsonRpcWriter.NO_VALIDATION),
                null);
    }

    /** The call may wait long for the end of an execution. */
    @Test
    void callKeepsNoArgumentsThatWereSubmitted() {
        params.put("name", "run_script").putObject("arguments").put("code", "1").put("includeTrace", true);
        ToolCallContext context = context();
        assertThat(context.arguments()).hasToString("{\"code\":\"1\",\"includeTrace\":true}");

        ObjectNode taken = context.takeArguments("includeTrace", "missing");

        assertThat(taken).hasToString("{\"code\":\"1\",\"includeTrace\":true}");
        assertThat(context.arguments()).hasToString("{\"includeTrace\":true}");
        assertThat(request.takeArguments()).isEmpty();
    }

    @Test
    void callWithoutArgumentsHasNone() {
        params.put("name", "run_script");

        assertThat(context().arguments()).isEmpty();
    }
}
