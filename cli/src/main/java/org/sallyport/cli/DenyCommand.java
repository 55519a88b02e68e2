package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code deny}: denies a call that an execution waits for. */
@Command(name = "deny", description = "Denies a call that an execution waits for. The script receives the reason.")
final class DenyCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "APPROVAL", description = "Id of the approval, from 'sallyport approvals'.")
    private String id = "";

    @Option(names = "--note", paramLabel = "TEXT", description = "Reason; the script receives it.")
    private @Nullable String note;

    DenyCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode body = ApiJson.object();
        if (note != null) {
            body.put("note", note);
        }
        printVote(sallyport, sallyport.service().api().vote(id, "deny", body));
        return ExitCode.COMPLETED.code();
    }

    /** Prints the state of the approval after a vote. */
    static void printVote(SallyportCommand sallyport, ObjectNode approval) {
        if (sallyport.json()) {
            sallyport.printJson(approval);
            return;
        }
        String state = ApiJson.text(approval, "state");
        String line = state.equals("PENDING")
                ? "approvals: " + approval.path("approvedBy").size() + " of "
                        + approval.path("approvers").asInt()
                : state;
        sallyport
                .terminal()
                .printNote(TerminalTextEscaper.escapeLine(line + "  " + ApiJson.text(approval, "tool") + "  execution "
                        + ApiJson.text(approval, "execution")));
    }
}
