package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scripts}: shows, saves, runs and deletes saved scripts. */
@Command(
        name = "scripts",
        description = "Lists the saved scripts; saves scripts that complete, and runs and deletes saved scripts.")
final class ScriptsCommand implements Callable<Integer> {
    private static final String SCRIPTS = "/scripts";

    private final SallyportCommand sallyport;

    private ScriptsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new ScriptsCommand(sallyport))
                .addSubcommand(new ListScripts(sallyport))
                .addSubcommand(new ShowScript(sallyport))
                .addSubcommand(new SaveScript(sallyport))
                .addSubcommand(new RunScriptByName(sallyport))
                .addSubcommand(new DeleteScript(sallyport));
    }

    @Override
    public Integer call() {
        return new ListScripts(sallyport).call();
    }

    /** {@code scripts list}: lists one page of saved scripts. */
    @Command(name = "list", description = "Lists the saved scripts by name.")
    static final class ListScripts implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(
                arity = "0..1",
                paramLabel = "TEXT",
                description = "Only those with this text in name or description.")
        private String text = "";

        @Option(names = "--limit", paramLabel = "N", description = "Scripts per page (50).")
        private int limit = 50;

        @Option(names = "--cursor", paramLabel = "CURSOR", description = "Cursor printed by the previous page.")
        private Optional<String> cursor = Optional.empty();

        ListScripts(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            Map<String, String> parameters = new LinkedHashMap<>();
            parameters.put("limit", Integer.toString(limit));
            cursor.ifPresent(value -> parameters.put("cursor", value));
            if (!text.isEmpty()) {
                parameters.put("q", text);
            }
            ObjectNode page = sallyport.service().api().savedScripts(parameters);
            if (sallyport.json()) {
                sallyport.printJson(page);
                return ExitCode.COMPLETED.code();
            }
            Terminal terminal = sallyport.terminal();
            if (page.path("items").isEmpty()) {
                terminal.printNote(
                        "No saved scripts" + (text.isEmpty() ? ". See: sallyport scripts save --help" : "."));
                return ExitCode.COMPLETED.code();
            }
            TerminalTable table = new TerminalTable("NAME", "LANGUAGE", "LAST USE", "DESCRIPTION");
            page.path("items")
                    .forEach(script -> table.addRow(
                            ApiJson.text(script, "name"),
                            ApiJson.text(script, "language"),
                            ApiJson.text(script, "usedAt"),
                            ApiJson.text(script, "description")
                                    .replaceAll("\\s+", " ")
                                    .strip()));
            terminal.printTable(table);
            String next = ApiJson.text(page, "next");
            if (!next.isEmpty()) {
                terminal.printNote("More: --cursor " + TerminalTextEscaper.escapeLine(next));
            }
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code scripts show}: prints the code of a saved script. */
    @Command(name = "show", description = "Prints the code of a saved script; with --json, the whole document.")
    static final class ShowScript implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The saved script.")
        private String name = "";

        ShowScript(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode script = sallyport.service().api().get(SCRIPTS, name);
            if (sallyport.json()) {
                sallyport.printJson(script);
            } else {
                Terminal terminal = sallyport.terminal();
                terminal.printNote(TerminalTextEscaper.escapeLine(ApiJson.text(script, "language") + ", hash "
                        + ApiJson.text(script, "hash") + ", saved " + ApiJson.text(script, "savedAt") + ", last use "
                        + ApiJson.text(script, "usedAt")));
                terminal.printResult(TerminalTextEscaper.escapeText(ApiJson.text(script, "code")));
            }
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code scripts save}: runs a script, which saves it if it completes. */
    @Command(
            name = "save",
            description = {
                "Runs a script and saves it if it completes; prints the name under which it is saved.",
                "Starts the service on this machine if none answers. Ctrl-C cancels the execution."
            })
    static final class SaveScript implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Mixin
        private final SubmissionOptions submission = new SubmissionOptions();

        @Mixin
        private final ForegroundRun run = new ForegroundRun();

        @Option(
                names = "--name",
                paramLabel = "NAME",
                description = "The name: lower-case letters, digits, . _ and -; generated without this option.")
        private String name = "auto";

        SaveScript(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            String source = submission.readSource(sallyport.environment());
            ObjectNode body =
                    submission.toRequestBody(source, sallyport.environment()).put("cacheAs", name);
            return run.runToEnd(sallyport, body, submission, Optional.of(source), submission.sourceName());
        }
    }

    /** {@code scripts run}: runs a saved script like {@code run}. */
    @Command(
            name = "run",
            description = {
                "Runs a saved script and shows its output, its result and its trace.",
                "Starts the service on this machine if none answers. Ctrl-C cancels the execution."
            })
    static final class RunScriptByName implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The saved script.")
        private String name = "";

        @Option(
                names = "--integrity",
                paramLabel = "HASH",
                description = "Run it only if its code has this hash, as 'scripts show' prints it.")
        private Optional<String> integrity = Optional.empty();

        @Mixin
        private final ExecutionOptions options = new ExecutionOptions();

        @Mixin
        private final ForegroundRun run = new ForegroundRun();

        RunScriptByName(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object().put("cached", name);
            integrity.ifPresent(hash -> body.put("integrity", hash));
            options.addTo(body, sallyport.environment());
            return run.runToEnd(sallyport, body, options, Optional.empty(), name);
        }
    }

    /** {@code scripts delete}: deletes a saved script. */
    @Command(name = "delete", description = "Deletes a saved script; its name is free again.")
    static final class DeleteScript implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The saved script.")
        private String name = "";

        DeleteScript(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(SCRIPTS, name);
            sallyport.printDone("deleted", name, "Deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
