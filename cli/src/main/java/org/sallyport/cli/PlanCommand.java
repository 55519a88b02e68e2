package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle.TextColor;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plan}: shows the plan of a dry run; with {@code --approve}, approves it. */
@Command(
        name = "plan",
        description = {
            "Shows what a dry run would change (create one with run --dry-run).",
            "With --approve, runs the script for real; it may make these changes and no others."
        })
final class PlanCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The dry run's id.")
    private String id = "";

    @Option(names = "--approve", description = "Run it for real, once. Needs another key than the dry run.")
    private boolean approve;

    PlanCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        if (approve) {
            approve();
        } else {
            ObjectNode plan = sallyport.service().api().plan(id);
            if (sallyport.json()) {
                sallyport.printJson(plan);
            } else {
                printPlan(sallyport.terminal(), plan);
            }
        }
        return ExitCode.COMPLETED.code();
    }

    private void approve() {
        ApiExecution execution = sallyport.service().api().approvePlan(id);
        if (sallyport.json()) {
            sallyport.printJson(execution.json());
        } else {
            sallyport.terminal().printResult(TerminalTextEscaper.escapeLine(execution.id()));
            sallyport
                    .terminal()
                    .printNote(
                            "Accepted. Follow it: sallyport logs -f " + TerminalTextEscaper.escapeLine(execution.id()));
        }
    }

    /** Prints the effects of the plan, one per line. */
    static void printPlan(Terminal terminal, JsonNode plan) {
        JsonNode effects = plan.path("effects");
        terminal.printNote(
                effects.isEmpty()
                        ? "Nothing would change."
                        : "Would make these calls, in this order (" + effects.size() + "):");
        for (JsonNode effect : effects) {
            terminal.printResult("  " + effect.path("call").asText() + "  "
                    + TerminalTextEscaper.escapeLine(ApiJson.text(effect, "tool")) + " "
                    + TerminalTextEscaper.escapeLine(effect.path("args").toString())
                    + (effect.path("asks").asBoolean()
                            ? terminal.style()
                                    .paint(
                                            TextColor.CAUTION,
                                            "  needs approval: "
                                                    + TerminalTextEscaper.escapeLine(ApiJson.text(effect, "rule")))
                            : ""));
        }
        if (plan.path("approvable").asBoolean() && !effects.isEmpty()) {
            terminal.printNote("Approve and run it: sallyport plan "
                    + TerminalTextEscaper.escapeLine(ApiJson.text(plan, "id")) + " --approve");
        }
    }
}
