package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.api.CancelReasonReader;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that cancels an execution that has not ended. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
public class CancelExecution implements McpTool {
    private final ExecutionFacade facade;
    private final AuditRecorder auditRecorder;

    @Inject
    public CancelExecution(ExecutionFacade calls, AuditRecorder deeds) {
        this.facade = calls;
        this.auditRecorder = deeds;
    }

    @Override
    public String name() {
        return "cancel_execution";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of("id", CancelReasonReader.REASON));
        ExecutionId id = facade.findLastAttempt(dialog.caller(), ExecutionStatus.id(arguments));
        Optional<String> reason = CancelReasonReader.read(arguments);
        return ToolOutcome.completed(ExecutionView.execution(auditRecorder.auditMcpAction(
                dialog.caller(),
                dialog.address(),
                "execution.cancel",
                id.toString(),
                reason.orElse(""),
                () -> facade.cancel(dialog.caller(), id, reason))));
    }
}
