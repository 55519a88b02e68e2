package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;
import picocli.CommandLine;

/** Tests the registered commands, and compares them with {@code docs/command-line.md}. */
class CommandRegistryTest {
    /** Not executed, so that tests can share it. Building it takes a tenth of a second. */
    static final CommandLine ALL_COMMANDS = allCommands();

    private static final Path PAGE = Path.of("..", "docs", "command-line.md");

    static CommandLine allCommands() {
        Path here = Path.of("");
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
        SallyportCommand sallyport = new SallyportCommand(
                new CliEnvironment(Map.of(), here, here, "java", InputStream.nullInputStream()),
                new Terminal(nowhere, nowhere, false, false, new TerminalStyle(100, false, false)));
        return new CommandRegistry(sallyport).createCommandLine(CommandRegistry.ALL_NAMES);
    }

    /** Returns the names of the executable commands; the others only have subcommands. */
    static Set<String> executableCommandNames() {
        return descendants(allCommands()).stream()
                .map(CommandLine::getCommandSpec)
                .filter(command -> command.subcommands().isEmpty() || command.userObject() instanceof Callable)
                .map(command -> command.qualifiedName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the name of the command at the beginning of these words. */
    static String commandNameOf(String words) {
        CommandLine command = ALL_COMMANDS;
        for (String word : words.split(" ", -1)) {
            CommandLine below = command.getSubcommands().get(word);
            if (below == null) {
                break;
            }
            command = below;
        }
        return command.getCommandSpec().qualifiedName();
    }

    /** Returns all commands below a command, sorted by name. */
    private static List<CommandLine> descendants(CommandLine line) {
        List<CommandLine> leaves = new ArrayList<>();
        for (CommandLine command : new LinkedHashSet<>(line.getSubcommands().values())) {
            leaves.add(command);
            leaves.addAll(descendants(command));
        }
        leaves.sort(Comparator.comparing(command -> command.getCommandSpec().qualifiedName()));
        return leaves;
    }

    @Test
    void registeredNamesMatchTheCommands() {
        Map<String, CommandLine> commands = allCommands().getSubcommands();

        assertThat(commands.keySet()).containsAll(CommandRegistry.ALL_NAMES);
        commands.values()
                .forEach(command -> assertThat(CommandRegistry.ALL_NAMES)
                        .contains(command.getCommandSpec().name()));
    }

    @Test
    void onlyTheNamedCommandsAreLoaded() {
        assertThat(CommandRegistry.namesIn("--json", "status")).containsExactly("status");
        assertThat(CommandRegistry.namesIn("show", "list")).containsExactly("list", "show");
        assertThat(CommandRegistry.namesIn("stauts")).isEqualTo(CommandRegistry.ALL_NAMES);
        assertThat(CommandRegistry.namesIn("--help", "status")).isEqualTo(CommandRegistry.ALL_NAMES);
        assertThat(CommandRegistry.namesIn("get", "x"))
                .as("another name of show")
                .isEqualTo(CommandRegistry.ALL_NAMES);
        assertThat(CommandRegistry.namesIn("completion", "bash")).isEqualTo(CommandRegistry.ALL_NAMES);
    }

    @Test
    void everyCommandHasTheCommonOptions() {
        assertThat(descendants(allCommands()))
                .hasSizeGreaterThan(30)
                .allSatisfy(command -> assertThat(command.getCommandSpec().optionsMap())
                        .as(command.getCommandSpec().qualifiedName())
                        .containsKeys("--json", "--url", "--key-file", "--profile", "--help"));
    }

    @Test
    void pageListsTheCurrentCommandsAndExitCodes() throws Exception {
        String page = Files.readString(PAGE);
        String fresh = replaceBetween(replaceBetween(page, "commands", commands()), "exit codes", exitCodes());
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(PAGE, fresh);
        }
        assertThat(fresh)
                .as("regenerate it: ./mvnw -pl cli -am test -Dtest=CommandRegistryTest "
                        + "-Dsurefire.failIfNoSpecifiedTests=false -Dregenerate=true")
                .isEqualTo(Files.readString(PAGE));
    }

    private static String replaceBetween(String page, String name, String content) {
        String startMarker = "<!-- " + name + " -->\n";
        String end = "<!-- end of " + name + " -->";
        assertThat(page).contains(startMarker, end);
        return page.substring(0, page.indexOf(startMarker) + startMarker.length())
                + content
                + page.substring(page.indexOf(end));
    }

    private static String commands() {
        StringBuilder table = new StringBuilder("| command | what |\n|---|---|\n");
        for (CommandLine command : descendants(allCommands())) {
            String what =
                    String.join(" ", command.getCommandSpec().usageMessage().description());
            String name = command.getCommandSpec().qualifiedName();
            table.append("| `")
                    .append(name.substring("sallyport ".length()))
                    .append(parameters(command))
                    .append("` | ")
                    .append(what.replace("|", "\\|"))
                    .append(" |\n");
        }
        return table.toString();
    }

    private static String parameters(CommandLine command) {
        StringBuilder words = new StringBuilder();
        command.getCommandSpec().positionalParameters().stream()
                .map(parameter -> parameter.arity().min() == 0
                        ? "[" + Objects.toString(parameter.paramLabel()) + "]"
                        : parameter.paramLabel())
                .forEach(label -> words.append(' ').append(label));
        return words.toString();
    }

    private static String exitCodes() {
        StringBuilder table = new StringBuilder("| code | what it says |\n|---|---|\n");
        Arrays.stream(ExitCode.values())
                .forEach(exit -> table.append("| ")
                        .append(exit.code())
                        .append(" | ")
                        .append(exit.meaning())
                        .append(" |\n"));
        return table.toString();
    }
}
