package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.async.RequestMemory;

class McpExecutionsTest {
    @Test
    @SuppressWarnings("NullAway") // nothing waits for the execution or cancels it
    void memoryOfARequestIsHeldUntilItsExecutionIsStored() {
        MemoryBudgets budgets = new MemoryBudgets(0, 0);
        MemoryBudget budget = budgets.bodies();
        RequestMemory memory = new RequestMemory(budgets);
        McpExecutions executions = new McpExecutions(null, null, null, null, memory);
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        params.putObject("arguments").put("code", "return 1");
        ToolCallContext call = new ToolCallContext(
                new PendingRequest(new Caller("key", "t", Set.of(Role.SUBMITTER)), params),
                new McpAsyncServerExchange(
                        "session", null, null, null, McpTransportContext.EMPTY, JsonRpcWriter.NO_VALIDATION),
                null);
        CompletableFuture<ExecutionId> stored = new CompletableFuture<>();
        Runnable endOfThread = memory.begin(new FakeHttpExchange("POST", "/mcp").request());
        memory.reserve(1_000);

        CompletionStage<ExecutionId> submitted = executions.submit(call, (caller, body, key) -> stored);
        endOfThread.run();

        assertThat(budget.usedBytes()).isEqualTo(1_000);
        ExecutionId id = new ExecutionId(new UUID(1, 1));
        stored.complete(id);
        assertThat(submitted).isCompletedWithValue(id);
        assertThat(budget.usedBytes()).isZero();
    }
}
