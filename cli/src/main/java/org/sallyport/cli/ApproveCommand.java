package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code approve}: says yes to what an execution waits for. */
@Command(name = "approve", description = "Lets a call be made that an execution asks for.")
final class ApproveCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "APPROVAL", description = "The approval, as 'sallyport approvals' lists it.")
    private String id = "";

    @Option(names = "--args", paramLabel = "JSON|@FILE", description = "Make the call with these arguments instead.")
    private @Nullable String args;

    @Option(
            names = "--result",
            paramLabel = "JSON|@FILE",
            description =
                    "Of a call whose outcome is unknown: what it gave. Without it, it is made again. Of what a script asks:"
                            + " its answer.")
    private @Nullable String result;

    @Option(
            names = "--whole-execution",
            description = "The same call with the same arguments need not be asked again in this execution.")
    private boolean wholeExecution;

    @Option(names = "--note", paramLabel = "TEXT", description = "Why; the trace keeps it.")
    private @Nullable String note;

    ApproveCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode body = ApiJson.object();
        body.put("scope", wholeExecution ? "execution" : "once");
        SubmissionOptions.parseJsonOption("--args", args, sallyport.environment())
                .ifPresent(value -> body.set("arguments", value));
        SubmissionOptions.parseJsonOption("--result", result, sallyport.environment())
                .ifPresent(value -> body.set("result", value));
        if (note != null) {
            body.put("note", note);
        }
        DenyCommand.printVote(sallyport, sallyport.service().api().vote(id, "approve", body));
        return ExitCode.COMPLETED.code();
    }
}
