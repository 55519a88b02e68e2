package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.api.Members;
import org.sallyport.web.security.Allowed;

/** Lists the tenant's executions, newest first, page by page. */
@Dependent
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ListExecutions implements AgentTool {
    private static final int MOST_STATES = 20;
    private static final int LONGEST_STATE = 30;
    private static final int LONGEST_CURSOR = 300;
    private static final long USUAL_PAGE = 20;

    private final ExecutionCalls calls;

    @Inject
    public ListExecutions(ExecutionCalls calls) {
        this.calls = calls;
    }

    @Override
    public String name() {
        return "list_executions";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        Members arguments = new Members(dialog.arguments());
        arguments.allow(Set.of("states", "limit", "cursor"));
        List<String> states =
                arguments.texts("states", MOST_STATES, LONGEST_STATE).orElse(List.of());
        long limit = arguments.whole("limit").orElse(USUAL_PAGE);
        String cursor = arguments.text("cursor", LONGEST_CURSOR).orElse("");
        return Outcome.now(calls.list(dialog.caller(), states, Long.toString(limit), cursor));
    }
}
