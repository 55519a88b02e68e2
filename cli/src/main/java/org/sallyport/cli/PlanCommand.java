package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Look.Paint;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
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
    private final Sallyport sallyport;

    @Parameters(paramLabel = "ID", description = "The dry run's id.")
    private String id = "";

    @Option(names = "--approve", description = "Have it done, once. Not with the key that made the dry run.")
    private boolean approve;

    PlanCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        if (approve) {
            approve();
        } else {
            ObjectNode plan = sallyport.service().api().plan(id);
            if (sallyport.json()) {
                sallyport.answer(plan);
            } else {
                show(sallyport.terminal(), plan);
            }
        }
        return Exit.COMPLETED.code();
    }

    private void approve() {
        Execution execution = sallyport.service().api().approvePlan(id);
        if (sallyport.json()) {
            sallyport.answer(execution.json());
        } else {
            sallyport.terminal().answer(Visible.line(execution.id()));
            sallyport.terminal().note("It runs; follow it: sallyport logs -f " + Visible.line(execution.id()));
        }
    }

    /** The effects, one to a line. */
    static void show(Terminal terminal, JsonNode plan) {
        JsonNode effects = plan.path("effects");
        terminal.note(
                effects.isEmpty() ? "Nothing would change." : "Would change, in this order (" + effects.size() + "):");
        for (JsonNode effect : effects) {
            terminal.answer("  " + effect.path("call").asText() + "  " + Visible.line(Json.text(effect, "tool")) + " "
                    + Visible.line(effect.path("args").toString())
                    + (effect.path("asks").asBoolean()
                            ? terminal.look()
                                    .paint(
                                            Paint.CAUTION,
                                            "  people are asked: " + Visible.line(Json.text(effect, "rule")))
                            : ""));
        }
        if (plan.path("approvable").asBoolean() && !effects.isEmpty()) {
            terminal.note("Have it done: sallyport plan " + Visible.line(Json.text(plan, "id")) + " --approve");
        }
    }
}
