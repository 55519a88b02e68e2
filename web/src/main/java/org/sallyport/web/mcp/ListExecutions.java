package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that lists the tenant's executions page by page, newest first. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ListExecutions implements McpTool {
    private static final int MAX_STATES = 20;
    private static final int MAX_STATE_LENGTH = 30;
    private static final int MAX_DURATION_LENGTH = 100;
    private static final int MAX_CURSOR_LENGTH = 300;
    private static final long DEFAULT_PAGE_SIZE = 20;

    private final ExecutionFacade facade;

    @Inject
    public ListExecutions(ExecutionFacade calls) {
        this.facade = calls;
    }

    @Override
    public String name() {
        return "list_executions";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of("states", "recent", "limit", "cursor"));
        List<String> states =
                arguments.texts("states", MAX_STATES, MAX_STATE_LENGTH).orElse(List.of());
        long limit = arguments.longValue("limit").orElse(DEFAULT_PAGE_SIZE);
        String recent = arguments.text("recent", MAX_DURATION_LENGTH).orElse("");
        String cursor = arguments.text("cursor", MAX_CURSOR_LENGTH).orElse("");
        return ToolOutcome.completed(facade.list(dialog.caller(), states, recent, Long.toString(limit), cursor));
    }
}
