package org.sallyport.cli;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import picocli.CommandLine;

/**
 * All commands by name, in the order of the help. Reading the annotations of a command takes time, so only the
 * required commands are read.
 */
final class CommandRegistry {
    private static final Map<String, Function<SallyportCommand, Object>> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put("run", RunCommand::new);
        BY_NAME.put("submit", SubmitCommand::new);
        BY_NAME.put("batch", BatchCommand::new);
        BY_NAME.put("batches", BatchesCommand::of);
        BY_NAME.put("test", TestCommand::new);
        BY_NAME.put("capability", CapabilityCommand::new);
        BY_NAME.put("scripts", ScriptsCommand::of);
        BY_NAME.put("show", ShowCommand::new);
        BY_NAME.put("list", ListCommand::new);
        BY_NAME.put("trace", TraceCommand::new);
        BY_NAME.put("rerun", RerunCommand::new);
        BY_NAME.put("diff", DiffCommand::new);
        BY_NAME.put("cancel", CancelCommand::new);
        BY_NAME.put("delete", DeleteCommand::new);
        BY_NAME.put("approvals", ApprovalsCommand::new);
        BY_NAME.put("approve", ApproveCommand::new);
        BY_NAME.put("plan", PlanCommand::new);
        BY_NAME.put("deny", DenyCommand::new);
        BY_NAME.put("tools", ToolsCommand::new);
        BY_NAME.put("backends", BackendsCommand::of);
        BY_NAME.put("secrets", SecretsCommand::of);
        BY_NAME.put("variables", VariablesCommand::of);
        BY_NAME.put("events", EventsCommand::of);
        BY_NAME.put("webhooks", WebhooksCommand::of);
        BY_NAME.put("schedules", SchedulesCommand::of);
        BY_NAME.put("keys", KeysCommand::of);
        BY_NAME.put("tenants", TenantsCommand::new);
        BY_NAME.put("up", UpCommand::new);
        BY_NAME.put("down", DownCommand::new);
        BY_NAME.put("backup", BackupCommand::of);
        BY_NAME.put("restore", RestoreCommand::new);
        BY_NAME.put("status", StatusCommand::new);
        BY_NAME.put("logs", LogsCommand::new);
        BY_NAME.put("profile", ProfileCommand::of);
        BY_NAME.put("completion", CompletionCommand::new);
    }

    /** The names of all commands. */
    static final Set<String> ALL_NAMES = Set.copyOf(BY_NAME.keySet());

    /** Words that require all commands. */
    private static final List<String> WORDS_THAT_NEED_ALL = List.of("-h", "--help", "completion");

    private final SallyportCommand sallyport;

    CommandRegistry(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the names of the commands that are required to parse these words. */
    static Set<String> namesIn(String... words) {
        Set<String> named = new TreeSet<>(Arrays.asList(words));
        if (WORDS_THAT_NEED_ALL.stream().anyMatch(named::contains)) {
            return ALL_NAMES;
        }
        named.retainAll(ALL_NAMES);
        return named.isEmpty() ? ALL_NAMES : named;
    }

    /** Returns the command line with the named commands. */
    CommandLine createCommandLine(Set<String> names) {
        CommandLine line = new CommandLine(sallyport);
        BY_NAME.forEach((name, command) -> {
            if (names.contains(name)) {
                line.addSubcommand(name, command.apply(sallyport));
            }
        });
        addHelp(line);
        // '--args @FILE' names a file that the command reads; the parser would put its words in place of the option.
        line.setExpandAtFiles(false);
        return line;
    }

    private static void addHelp(CommandLine line) {
        line.getSubcommands().values().forEach(command -> {
            // A command that is a method declares this itself; its parameters are counted when it is created.
            if (!(command.getCommandSpec().userObject() instanceof Method)) {
                command.getCommandSpec().mixinStandardHelpOptions(true);
            }
            addHelp(command);
        });
    }
}
