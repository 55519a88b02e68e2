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

/** {@code plan}: what a dry run would change, and the word that it may. */
@Command(
        name = "plan",
        description = {
            "Shows what a dry run would change (run --dry-run makes one).",
            "With --approve the script runs for real, and may change that and nothing else."
        })
final class PlanCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The dry run's id.")
    private String id = "";

    @Option(names = "--approve", description = "Have it done, once. Not with the key that made the dry run.")
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
                            "It runs; follow it: sallyport logs -f " + TerminalTextEscaper.escapeLine(execution.id()));
        }
    }

    /** The effects, one to a line. */
    static void printPlan(Terminal terminal, JsonNode plan) {
        JsonNode effects = plan.path("effects");
        terminal.printNote(
                effects.isEmpty() ? "Nothing would change." : "Would change, in this order (" + effects.size() + "):");
        for (JsonNode effect : effects) {
            terminal.printResult("  " + effect.path("call").asText() + "  "
                    + TerminalTextEscaper.escapeLine(ApiJson.text(effect, "tool")) + " "
                    + TerminalTextEscaper.escapeLine(effect.path("args").toString())
                    + (effect.path("asks").asBoolean()
                            ? terminal.style()
                                    .paint(
                                            TextColor.CAUTION,
                                            "  people are asked: "
                                                    + TerminalTextEscaper.escapeLine(ApiJson.text(effect, "rule")))
                            : ""));
        }
        if (plan.path("approvable").asBoolean() && !effects.isEmpty()) {
            terminal.printNote("Have it done: sallyport plan "
                    + TerminalTextEscaper.escapeLine(ApiJson.text(plan, "id")) + " --approve");
        }
    }
}
