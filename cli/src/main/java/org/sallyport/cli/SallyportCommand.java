package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command {@code sallyport}: the options of all commands, and the objects that the commands share. */
@Command(
        name = "sallyport",
        description = "Runs untrusted scripts in isolated workers and records every tool call.",
        mixinStandardHelpOptions = true,
        versionProvider = CliVersionProvider.class,
        synopsisSubcommandLabel = "COMMAND",
        usageHelpAutoWidth = true,
        footer = {
            "",
            "First steps:  sallyport run examples/hello.ts",
            "",
            "Environment:",
            "  SALLYPORT_URL    address of the service; without it, the one on this machine",
            "  SALLYPORT_KEY    API key; without it, the file admin.key of the data directory",
            "  SALLYPORT_CA_FILE   PEM file of CA certificates to trust (https)",
            "  SALLYPORT_CLIENT_CERT, SALLYPORT_CLIENT_KEY   PEM files of the client certificate",
            "  SALLYPORT_PROFILE   name of a profile, see 'sallyport profile'",
            "  SALLYPORT_DATA   data directory of the service on this machine (./data)",
            "  SALLYPORT_HOST, SALLYPORT_PORT   where it listens (127.0.0.1, 8080)",
            "  SALLYPORT_JAVA_OPTS   additional options for its Java VM",
            "",
            "Exit codes: 0 completed, 1 failed, 2 usage, 3 cancelled, 4 timed out,",
            "  5 service not reachable or key not accepted, 6 refused by the service"
        })
final class SallyportCommand implements Runnable {
    private final CliEnvironment environment;
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "Address of the service, such as http://127.0.0.1:8080.")
    private @Nullable String url;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "File that contains the API key.")
    private @Nullable String keyFile;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "Profile of the service, see 'sallyport profile'.")
    private @Nullable String profile;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print one JSON document instead of text.")
    private boolean json;

    @Option(
            names = "--raw",
            scope = ScopeType.INHERIT,
            description = "Print control characters unchanged. Not possible on a terminal.")
    private boolean raw;

    SallyportCommand(CliEnvironment surroundings, Terminal terminal) {
        this.environment = surroundings;
        this.terminal = terminal;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "Name a command.");
        }
    }

    CliEnvironment environment() {
        return environment;
    }

    ServiceLocator service() {
        return new ServiceLocator(
                environment, terminal, ServiceTarget.of(environment, urlOption(), keyOption(), profileOption()));
    }

    /** Returns the value of {@code --url}. */
    Optional<String> urlOption() {
        return Optional.ofNullable(url);
    }

    /** Returns the key in the file of {@code --key-file}. Throws {@link CommandException} if it cannot be read. */
    Optional<String> keyOption() {
        return Optional.ofNullable(keyFile).map(environment::resolveFile).map(SallyportCommand::readKey);
    }

    private Optional<String> profileOption() {
        return Optional.ofNullable(profile);
    }

    private static String readKey(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new CommandException(ExitCode.USAGE, "The key file " + file + " cannot be read.");
        }
    }

    boolean json() {
        return json;
    }

    /** Returns the terminal. Throws {@link CommandException} if {@code --raw} is set for a real terminal. */
    Terminal terminal() {
        if (raw && !terminal.allowRaw()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--raw is not for a terminal, which would obey the script's control characters.",
                    "Send the output to a file or another program.");
        }
        return terminal;
    }

    /** Reports a finished action that leaves no document to show, such as a deletion. */
    void printDone(String what, String name, String sentence) {
        if (json) {
            printJson(ApiJson.object().put(what, name));
        } else {
            terminal().printNote(sentence);
        }
    }

    /** Prints a JSON document to standard output. */
    void printJson(JsonNode document) {
        terminal().printResult(ApiJson.pretty(document));
    }
}
