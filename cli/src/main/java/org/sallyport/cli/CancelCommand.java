package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cancel}: requests the cancellation of one execution, or of all that match filters. */
@Command(
        name = "cancel",
        description = "Cancels an execution that has not ended, or with --yes all that match the filters.")
final class CancelCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", arity = "0..1", description = "The execution.")
    private @Nullable String id;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the people who look at it later.")
    private @Nullable String reason;

    @Option(
            names = "--yes",
            description = "Cancel the executions that match the filters. Without it, only their number is printed.")
    private boolean confirmed;

    @Mixin
    private ExecutionFilterOptions selection = new ExecutionFilterOptions();

    CancelCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        List<Map.Entry<String, String>> filters = selection.parameters();
        if ((id == null) == filters.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE, "Name either one execution, or filters such as --state.", List.of());
        }
        SallyportApiClient api = sallyport.service().api();
        if (id == null) {
            return confirmed ? cancelAll(api, filters) : count(api, filters);
        }
        ApiExecution execution = api.cancel(id, Optional.ofNullable(reason));
        if (sallyport.json()) {
            sallyport.printJson(execution.json());
        } else {
            String state = execution.state().isEmpty() ? "unknown" : execution.state();
            sallyport
                    .terminal()
                    .printNote(TerminalTextEscaper.escapeLine("Cancel requested for " + id + "; state: " + state
                            + ". Follow it: sallyport logs -f " + id));
        }
        return ExitCode.COMPLETED.code();
    }

    private int count(SallyportApiClient api, List<Map.Entry<String, String>> filters) {
        ObjectNode total = request(api, filters, true, List.of("matches"));
        if (sallyport.json()) {
            sallyport.printJson(total);
        } else {
            sallyport
                    .terminal()
                    .printNote(total.path("matches").asLong()
                            + " executions match and have not ended. To cancel them, repeat the command with --yes.");
        }
        return ExitCode.COMPLETED.code();
    }

    private int cancelAll(SallyportApiClient api, List<Map.Entry<String, String>> filters) {
        ObjectNode total = request(api, filters, false, List.of("cancelled", "requested", "alreadyRequested", "ended"));
        if (sallyport.json()) {
            sallyport.printJson(total);
        } else {
            sallyport
                    .terminal()
                    .printNote("Cancelled: " + total.path("cancelled").asLong() + ". Running, asked to stop: "
                            + total.path("requested").asLong() + ", asked before: "
                            + total.path("alreadyRequested").asLong() + ". Ended meanwhile: "
                            + total.path("ended").asLong() + ".");
        }
        return ExitCode.COMPLETED.code();
    }

    /** Sends requests until the service has handled all matching executions; returns the sums of the members. */
    private ObjectNode request(
            SallyportApiClient api, List<Map.Entry<String, String>> filters, boolean dryRun, List<String> members) {
        ObjectNode total = ApiJson.object();
        Optional<String> cursor = Optional.empty();
        do {
            List<Map.Entry<String, String>> parameters = new ArrayList<>(filters);
            parameters.add(Map.entry("dryRun", Boolean.toString(dryRun)));
            cursor.ifPresent(value -> parameters.add(Map.entry("cursor", value)));
            ObjectNode page = api.cancelSelection(parameters, Optional.ofNullable(reason));
            members.forEach(member -> total.put(
                    member, total.path(member).asLong() + page.path(member).asLong()));
            cursor = Optional.of(ApiJson.text(page, "next")).filter(next -> !next.isEmpty());
        } while (cursor.isPresent());
        return total;
    }
}
