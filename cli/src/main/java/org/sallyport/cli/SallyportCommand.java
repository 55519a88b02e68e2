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

/** The command {@code sallyport} itself: the options that every command has, and what the commands share. */
@Command(
        name = "sallyport",
        description = "Runs scripts that nobody has to trust against tools that matter.",
        mixinStandardHelpOptions = true,
        versionProvider = CliVersionProvider.class,
        synopsisSubcommandLabel = "COMMAND",
        usageHelpAutoWidth = true,
        footer = {
            "",
            "First steps:  sallyport run examples/hello.ts",
            "",
            "Environment:",
            "  SALLYPORT_URL    service to talk to; without it, the one on this machine",
            "  SALLYPORT_KEY    API key; without it, the file admin.key of the data directory",
            "  SALLYPORT_CA_FILE   PEM file with whose certificates a service may have (https)",
            "  SALLYPORT_CLIENT_CERT, SALLYPORT_CLIENT_KEY   PEM files to show to it",
            "  SALLYPORT_PROFILE   name of a service that 'sallyport profile' keeps",
            "  SALLYPORT_DATA   data directory of the service on this machine (./data)",
            "  SALLYPORT_HOST, SALLYPORT_PORT   where it listens (127.0.0.1, 8080)",
            "  SALLYPORT_JAVA_OPTS   more options for its Java VM",
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
            description = "Address of the service, as http://127.0.0.1:8080.")
    private @Nullable String url;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "File that holds the API key.")
    private @Nullable String keyFile;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The service that 'sallyport profile' keeps under this name.")
    private @Nullable String profile;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print one JSON document instead of text.")
    private boolean json;

    @Option(
            names = "--raw",
            scope = ScopeType.INHERIT,
            description = "Print control characters as they are. Not to a terminal.")
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

    /** The address that an option gives. */
    Optional<String> urlOption() {
        return Optional.ofNullable(url);
    }

    /** The key in the file that an option names. */
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

    /** The terminal, once it is known that {@code --raw} may be obeyed. */
    Terminal terminal() {
        if (raw && !terminal.allowRaw()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--raw is not for a terminal, which would obey what a script wrote.",
                    "Send the output to a file or another program.");
        }
        return terminal;
    }

    /** Says that something has been done of which nothing is left to show. */
    void printDone(String what, String name, String sentence) {
        if (json) {
            printJson(ApiJson.object().put(what, name));
        } else {
            terminal().printNote(sentence);
        }
    }

    /** Answers with a JSON document. */
    void printJson(JsonNode document) {
        terminal().printResult(ApiJson.pretty(document));
    }
}
