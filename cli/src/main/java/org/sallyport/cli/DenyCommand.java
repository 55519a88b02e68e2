package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code deny}: says no to what an execution waits for. */
@Command(name = "deny", description = "Refuses a call that an execution asks for; its script hears why.")
final class DenyCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(paramLabel = "APPROVAL", description = "The approval, as 'sallyport approvals' lists it.")
    private String id = "";

    @Option(names = "--note", paramLabel = "TEXT", description = "Why; the script hears it.")
    private @Nullable String note;

    DenyCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode body = Json.object();
        if (note != null) {
            body.put("note", note);
        }
        show(sallyport, sallyport.service().api().decide(id, "deny", body));
        return Exit.COMPLETED.code();
    }

    /** What became of a vote. */
    static void show(Sallyport sallyport, ObjectNode approval) {
        if (sallyport.json()) {
            sallyport.answer(approval);
            return;
        }
        String state = Json.text(approval, "state");
        String line = state.equals("PENDING")
                ? "counted, " + approval.path("approvedBy").size() + " of "
                        + approval.path("approvers").asInt()
                : state;
        sallyport
                .terminal()
                .note(Visible.line(
                        line + "  " + Json.text(approval, "tool") + "  execution " + Json.text(approval, "execution")));
    }
}
