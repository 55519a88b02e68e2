package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class CallBudgetTest {

    @Test
    void callIsChargedWhenAnEarlierAttemptMayHaveReachedItsTool() {
        ToolResult starting = ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "starts");
        assertThat(CallBudget.isFree(new ToolReply(starting, 0, 0, 1))).isTrue();
        assertThat(CallBudget.isFree(new ToolReply(starting, 0, 0, 2))).isFalse();
    }
}
