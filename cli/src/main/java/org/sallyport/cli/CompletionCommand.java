package org.sallyport.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code completion}: prints the completion script for a shell. */
@Command(
        name = "completion",
        description = {
            "Prints the completion script for a shell: commands, options and their values.",
            "source <(sallyport completion bash)"
        })
final class CompletionCommand implements Callable<Integer> {
    /** The supported shells. */
    static final class ShellNames extends java.util.ArrayList<String> {
        private static final long serialVersionUID = 1L;

        ShellNames() {
            super(List.of("bash", "zsh"));
        }
    }

    private final SallyportCommand sallyport;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "SHELL", completionCandidates = ShellNames.class, description = "bash or zsh.")
    private String shell = "";

    CompletionCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        if (spec == null || !new ShellNames().contains(shell)) {
            throw new CommandException(ExitCode.USAGE, "There is no completion for '" + shell + "'. Use bash or zsh.");
        }
        // One script serves both shells: in zsh it first loads zsh's emulation of bash completion.
        String script = AutoComplete.bash("sallyport", spec.root().commandLine());
        if (sallyport.json()) {
            sallyport.printJson(ApiJson.object().put("shell", shell).put("script", script));
        } else {
            sallyport.terminal().printResult(script);
        }
        return ExitCode.COMPLETED.code();
    }
}
