package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code approve}: approves a call, or answers a question, that an execution waits for. */
@Command(name = "approve", description = "Approves a call, or answers a question, that an execution waits for.")
final class ApproveCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "APPROVAL", description = "Id of the approval, from 'sallyport approvals'.")
    private String id = "";

    @Option(names = "--args", paramLabel = "JSON|@FILE", description = "Make the call with these arguments instead.")
    private @Nullable String args;

    @Option(
            names = "--result",
            paramLabel = "JSON|@FILE",
            description =
                    "Result of a call whose outcome is unknown; without it, the call is repeated. For a question of the"
                            + " script: the answer.")
    private @Nullable String result;

    @Option(
            names = "--whole-execution",
            description = "Also approve later calls of the same tool with the same arguments in this execution.")
    private boolean wholeExecution;

    @Option(names = "--note", paramLabel = "TEXT", description = "Reason; stored in the trace.")
    private @Nullable String note;

    ApproveCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode body = ApiJson.object();
        body.put("scope", wholeExecution ? "execution" : "once");
        ExecutionOptions.parseJsonOption("--args", args, sallyport.environment())
                .ifPresent(value -> body.set("arguments", value));
        ExecutionOptions.parseJsonOption("--result", result, sallyport.environment())
                .ifPresent(value -> body.set("result", value));
        if (note != null) {
            body.put("note", note);
        }
        DenyCommand.printVote(sallyport, sallyport.service().api().vote(id, "approve", body));
        return ExitCode.COMPLETED.code();
    }
}
