package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code approvals}: lists the approvals that executions wait for. */
@Command(name = "approvals", description = "Lists the approvals that executions wait for.")
final class ApprovalsCommand implements Callable<Integer> {
    private static final int MAX_VALUE_LENGTH = 24;

    private final SallyportCommand sallyport;

    @Option(names = "--all", description = "Also list decided approvals.")
    private boolean all;

    ApprovalsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode page = sallyport.service().api().approvals(all);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        List<JsonNode> items = new ArrayList<>();
        page.path("items").forEach(items::add);
        Terminal terminal = sallyport.terminal();
        if (items.isEmpty()) {
            terminal.printNote("No approvals pending.");
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable("APPROVAL", "STATE", "TOOL", "AT EXPIRY", "ARGUMENTS", "WHY");
        items.forEach(item -> table.addRow(
                ApiJson.text(item, "id"),
                ApiJson.text(item, "state"),
                ApiJson.text(item, "tool"),
                describeExpiry(item),
                ApiJson.compact(item.path("arguments")),
                ApiJson.text(item, "reason")));
        terminal.printTable(table);
        terminal.printNote("Decide: sallyport approve "
                + TerminalTextEscaper.escapeLine(ApiJson.text(items.get(0), "id")) + ", or sallyport deny");
        return ExitCode.COMPLETED.code();
    }

    /** Returns the outcome of the call if the approval expires without a decision. */
    private static String describeExpiry(JsonNode item) {
        return switch (ApiJson.text(item, "atExpiry")) {
            case "deny" -> "denied";
            case "approve" -> "approved";
            case "value" -> "answered " + truncate(ApiJson.compact(item.path("valueAtExpiry")));
            default -> ApiJson.text(item, "atExpiry");
        };
    }

    /** Limits the length, because a table column is as wide as its widest cell. */
    private static String truncate(String value) {
        return value.length() <= MAX_VALUE_LENGTH ? value : value.substring(0, MAX_VALUE_LENGTH - 1) + "~";
    }
}
