package org.sallyport.cli;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Connections;
import org.sallyport.cli.api.Problem;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.UnreachableException;
import org.sallyport.cli.terminal.Look.Paint;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** All commands put together, and the one place where endings become messages and exit codes. */
final class Cli {
    private final Surroundings surroundings;
    private final Terminal terminal;

    Cli(Surroundings surroundings, Terminal terminal) {
        this.surroundings = surroundings;
        this.terminal = terminal;
    }

    /** Carries out one command line and gives its exit code. */
    int run(String... arguments) {
        return run(Commands.named(arguments), arguments);
    }

    private int run(Set<String> commands, String... arguments) {
        Sallyport sallyport = new Sallyport(surroundings, terminal);
        return new Commands(sallyport)
                .line(commands)
                .setOut(terminal.writer())
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setParameterExceptionHandler((exception, words) -> wrongArguments(commands, exception, words))
                .setExecutionExceptionHandler((exception, command, parsed) -> failed(sallyport, exception))
                .execute(arguments);
    }

    private int wrongArguments(Set<String> commands, ParameterException exception, String[] arguments) {
        CommandLine command = exception.getCommandLine();
        if (command.getParent() == null && !commands.equals(Commands.ALL)) {
            return run(Commands.ALL, arguments); // to say what there is
        }
        error(Visible.line(Objects.toString(exception.getMessage(), "wrong arguments")));
        if (exception instanceof UnmatchedArgumentException unmatched) {
            unmatched.getSuggestions().stream()
                    .limit(3)
                    .forEach(suggestion -> terminal.note("  Did you mean: " + suggestion));
        }
        if (command.getParent() == null) {
            terminal.note(
                    "  Commands: " + String.join(", ", command.getSubcommands().keySet()));
        }
        terminal.note("  See: " + command.getCommandSpec().qualifiedName() + " --help");
        return Exit.USAGE.code();
    }

    private int failed(Sallyport sallyport, Exception exception) throws Exception {
        if (exception instanceof CommandFailure failure) {
            error(Visible.line(String.valueOf(failure.getMessage())));
            failure.advice().forEach(line -> terminal.note("  " + Visible.line(line)));
            return failure.exit().code();
        }
        if (exception instanceof UnreachableException unreachable) {
            error("No service answers at " + unreachable.service() + ": "
                    + Visible.line(String.valueOf(unreachable.getMessage())).toLowerCase(Locale.ROOT) + ".");
            terminal.note("  "
                    + (Connections.isOfTls(unreachable)
                            ? Connections.ADVICE
                            : sallyport.service().startAdvice()));
            return Exit.UNREACHABLE.code();
        }
        if (exception instanceof Refusal refusal) {
            return refused(sallyport, refusal.problem(), refusal);
        }
        if (exception instanceof ProblemException refusal) {
            return refused(sallyport, refusal.problem(), null);
        }
        throw exception;
    }

    private int refused(Sallyport sallyport, Problem problem, @Nullable Refusal refusal) {
        if (sallyport.json()) {
            sallyport.answer(problem.json());
        } else {
            new Report(terminal)
                    .problem(
                            problem,
                            refusal == null ? Optional.empty() : refusal.source(),
                            refusal == null ? "the script" : refusal.name());
        }
        if (problem.status() == 401 || problem.status() == 403) {
            terminal.note("  " + sallyport.service().keyAdvice());
            return Exit.UNREACHABLE.code();
        }
        return (problem.status() >= 500 ? Exit.UNREACHABLE : Exit.REFUSED).code();
    }

    private void error(String message) {
        terminal.note(terminal.look().paint(Paint.BAD, "sallyport:") + " " + message);
    }
}
