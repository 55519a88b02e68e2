package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code approvals}: what waits for a person. */
@Command(name = "approvals", description = "Lists what executions wait for a person to decide.")
final class ApprovalsCommand implements Callable<Integer> {
    private static final int LONGEST_VALUE = 24;

    private final Sallyport sallyport;

    @Option(names = "--all", description = "Those that are decided, too.")
    private boolean all;

    ApprovalsCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode page = sallyport.service().api().approvals(all);
        if (sallyport.json()) {
            sallyport.answer(page);
            return Exit.COMPLETED.code();
        }
        List<JsonNode> items = new ArrayList<>();
        page.path("items").forEach(items::add);
        Terminal terminal = sallyport.terminal();
        if (items.isEmpty()) {
            terminal.note("Nobody is asked anything.");
            return Exit.COMPLETED.code();
        }
        Table table = new Table("APPROVAL", "STATE", "TOOL", "AT DEADLINE", "ARGUMENTS", "WHY");
        items.forEach(item -> table.row(
                Json.text(item, "id"),
                Json.text(item, "state"),
                Json.text(item, "tool"),
                atDeadline(item),
                Json.compact(item.path("arguments")),
                Json.text(item, "reason")));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        terminal.note(
                "Decide: sallyport approve " + Visible.line(Json.text(items.get(0), "id")) + ", or sallyport deny");
        return Exit.COMPLETED.code();
    }

    /** What happens to the call if the approval expires without a decision. */
    private static String atDeadline(JsonNode item) {
        return switch (Json.text(item, "atExpiry")) {
            case "deny" -> "denied";
            case "approve" -> "approved";
            case "value" -> "answered " + cut(Json.compact(item.path("valueAtExpiry")));
            default -> Json.text(item, "atExpiry");
        };
    }

    /** Table columns are as wide as their widest cell. */
    private static String cut(String value) {
        return value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE - 1) + "~";
    }
}
