package org.sallyport.cli;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiProblem;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.HttpClientFactory;
import org.sallyport.cli.api.ServiceUnreachableException;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle.TextColor;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Runs command lines. The only place that maps failures to messages and exit codes. */
final class CliRunner {
    private final CliEnvironment environment;
    private final Terminal terminal;

    CliRunner(CliEnvironment surroundings, Terminal terminal) {
        this.environment = surroundings;
        this.terminal = terminal;
    }

    /** Runs one command line and returns its exit code. */
    int run(String... arguments) {
        return run(CommandRegistry.namesIn(arguments), arguments);
    }

    private int run(Set<String> commands, String... arguments) {
        SallyportCommand sallyport = new SallyportCommand(environment, terminal);
        return new CommandRegistry(sallyport)
                .createCommandLine(commands)
                .setOut(terminal.writer())
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setParameterExceptionHandler(
                        (exception, words) -> handleParameterException(commands, exception, words))
                .setExecutionExceptionHandler((exception, command, parsed) -> handleException(sallyport, exception))
                .execute(arguments);
    }

    private int handleParameterException(Set<String> commands, ParameterException exception, String[] arguments) {
        CommandLine command = exception.getCommandLine();
        if (command.getParent() == null && !commands.equals(CommandRegistry.ALL_NAMES)) {
            return run(CommandRegistry.ALL_NAMES, arguments); // the message lists all commands
        }
        printError(TerminalTextEscaper.escapeLine(Objects.toString(exception.getMessage(), "wrong arguments")));
        if (exception instanceof UnmatchedArgumentException unmatched) {
            unmatched.getSuggestions().stream()
                    .limit(3)
                    .forEach(suggestion -> terminal.printNote("  Did you mean: " + suggestion));
        }
        if (command.getParent() == null) {
            terminal.printNote(
                    "  Commands: " + String.join(", ", command.getSubcommands().keySet()));
        }
        terminal.printNote("  See: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE.code();
    }

    private int handleException(SallyportCommand sallyport, Exception exception) throws Exception {
        if (exception instanceof CommandException failure) {
            printError(TerminalTextEscaper.escapeLine(String.valueOf(failure.getMessage())));
            failure.advice().forEach(line -> terminal.printNote("  " + TerminalTextEscaper.escapeLine(line)));
            return failure.exitCode().code();
        }
        if (exception instanceof ServiceUnreachableException unreachable) {
            printError("No service answers at " + unreachable.service() + ": "
                    + TerminalTextEscaper.escapeLine(String.valueOf(unreachable.getMessage()))
                            .toLowerCase(Locale.ROOT) + ".");
            terminal.printNote("  "
                    + (HttpClientFactory.isTlsFailure(unreachable)
                            ? HttpClientFactory.TLS_ADVICE
                            : sallyport.service().startAdvice()));
            return ExitCode.UNREACHABLE.code();
        }
        if (exception instanceof ScriptRejection refusal) {
            return printRejection(sallyport, refusal.problem(), refusal);
        }
        if (exception instanceof ApiProblemException refusal) {
            return printRejection(sallyport, refusal.problem(), null);
        }
        throw exception;
    }

    private int printRejection(SallyportCommand sallyport, ApiProblem problem, @Nullable ScriptRejection refusal) {
        if (sallyport.json()) {
            sallyport.printJson(problem.json());
        } else {
            new ExecutionReport(terminal)
                    .printProblem(
                            problem,
                            refusal == null ? Optional.empty() : refusal.source(),
                            refusal == null ? "the script" : refusal.sourceName());
        }
        if (problem.status() == 401 || problem.status() == 403) {
            terminal.printNote("  " + sallyport.service().keyAdvice());
            return ExitCode.UNREACHABLE.code();
        }
        return (problem.status() >= 500 ? ExitCode.UNREACHABLE : ExitCode.REFUSED).code();
    }

    private void printError(String message) {
        terminal.printNote(terminal.style().paint(TextColor.BAD, "sallyport:") + " " + message);
    }
}
