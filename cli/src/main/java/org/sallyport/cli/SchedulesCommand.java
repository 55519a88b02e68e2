package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code schedules}: manages schedules. */
@Command(name = "schedules", description = "Lists the schedules; creates, pauses, resumes, runs and deletes them.")
final class SchedulesCommand implements Callable<Integer> {
    private static final String SCHEDULES = "/schedules";

    private final SallyportCommand sallyport;

    private SchedulesCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new SchedulesCommand(sallyport))
                .addSubcommand("list", new CommandLine(new ListSchedules(sallyport)))
                .addSubcommand("create", createCommand(sallyport))
                .addSubcommand(new ScheduleRowsCommand(sallyport))
                .addSubcommand("pause", changeCommand(sallyport, "pause", "Pauses a schedule until it is resumed."))
                .addSubcommand(
                        "resume",
                        changeCommand(
                                sallyport, "resume", "Resumes a schedule, which then runs in the name of your key."))
                .addSubcommand("run", changeCommand(sallyport, "run", "Runs a schedule once, now."))
                .addSubcommand(new DeleteSchedule(sallyport));
    }

    /** Unlike other commands, it needs no script: a schedule of rows has none. */
    private static CommandLine createCommand(SallyportCommand sallyport) {
        CommandLine command = new CommandLine(new CreateSchedule(sallyport));
        CommandSpec spec = command.getCommandSpec();
        PositionalParamSpec script = spec.positionalParameters().get(0);
        spec.remove(script);
        spec.addPositional(script.toBuilder().arity("0..1").required(false).build());
        return command;
    }

    private static CommandLine changeCommand(SallyportCommand sallyport, String what, String description) {
        CommandLine command = new CommandLine(new ChangeSchedule(sallyport, what));
        command.getCommandSpec().usageMessage().description(description);
        return command;
    }

    @Override
    public Integer call() {
        return printAll(sallyport);
    }

    private static int printAll(SallyportCommand sallyport) {
        if (sallyport.json()) {
            sallyport.printJson(sallyport.service().api().get(SCHEDULES));
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        List<JsonNode> all = fetchAll(sallyport);
        if (all.isEmpty()) {
            terminal.printNote("There are no schedules. See: sallyport schedules create --help");
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable("NAME", "WHEN", "NEXT", "LAST", "SUBMITTED BY", "ID");
        all.forEach(schedule -> table.addRow(
                ApiJson.text(schedule, "name"),
                formatTrigger(schedule),
                schedule.path("paused").asBoolean() ? "paused" : ApiJson.text(schedule, "nextAt"),
                schedule.has("lastBatch")
                        ? formatLastBatch(schedule.path("lastBatch"))
                        : ApiJson.text(schedule.path("lastRun"), "state"),
                ApiJson.text(schedule, "submittedBy"),
                ApiJson.text(schedule, "id")));
        terminal.printTable(table);
        all.stream()
                .filter(schedule -> schedule.has("delayReason"))
                .forEach(schedule -> terminal.printNote(
                        "  " + TerminalTextEscaper.escapeLine(ApiJson.text(schedule, "name")) + " cannot run now: "
                                + TerminalTextEscaper.escapeLine(ApiJson.text(schedule, "delayReason"))));
        all.stream()
                .filter(schedule -> schedule.has("pauseReason"))
                .forEach(schedule -> terminal.printNote(
                        "  " + TerminalTextEscaper.escapeLine(ApiJson.text(schedule, "name")) + " is paused: "
                                + TerminalTextEscaper.escapeLine(ApiJson.text(schedule, "pauseReason"))));
        return ExitCode.COMPLETED.code();
    }

    /** A deleted batch has no size. */
    private static String formatLastBatch(JsonNode batch) {
        return batch.path("total").isInt() ? batch.path("total").asInt() + " rows" : "deleted";
    }

    private static String formatTrigger(JsonNode schedule) {
        return schedule.has("cron")
                ? ApiJson.text(schedule, "cron") + " " + ApiJson.text(schedule, "zone")
                : "every " + schedule.path("everyMillis").asLong() / 1_000 + " s";
    }

    private static List<JsonNode> fetchAll(SallyportCommand sallyport) {
        List<JsonNode> all = new ArrayList<>();
        String cursor = "";
        do {
            ObjectNode page = sallyport.service().api().get(SCHEDULES + "?limit=200" + cursor);
            page.path("items").forEach(all::add);
            cursor = page.path("next").isTextual()
                    ? "&cursor=" + page.path("next").asText()
                    : "";
        } while (!cursor.isEmpty());
        return all;
    }

    /** Returns the id of the schedule with this name or id. Throws {@link CommandException} if there is none. */
    static String resolveId(SallyportCommand sallyport, String which) {
        return ApiJson.text(resolve(sallyport, which), "id");
    }

    private static JsonNode resolve(SallyportCommand sallyport, String which) {
        return fetchAll(sallyport).stream()
                .filter(schedule -> ApiJson.text(schedule, "name").equals(which)
                        || ApiJson.text(schedule, "id").equals(which))
                .findFirst()
                .orElseThrow(() -> new CommandException(
                        ExitCode.USAGE, "There is no schedule '" + which + "'.", "See: sallyport schedules list"));
    }

    private static int printSchedule(SallyportCommand sallyport, ObjectNode schedule) {
        if (sallyport.json()) {
            sallyport.printJson(schedule);
        } else {
            sallyport.terminal().printResult(ApiJson.text(schedule, "id"));
            String next = schedule.path("paused").asBoolean()
                    ? "is paused"
                    : "runs next at " + ApiJson.text(schedule, "nextAt");
            sallyport.terminal().printNote(TerminalTextEscaper.escapeLine(ApiJson.text(schedule, "name") + " " + next));
        }
        return ExitCode.COMPLETED.code();
    }

    /** {@code schedules list}: lists all schedules. */
    @Command(name = "list", description = "Lists the schedules, with their next time and the state of their last run.")
    static final class ListSchedules implements Callable<Integer> {
        private final SallyportCommand sallyport;

        ListSchedules(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return printAll(sallyport);
        }
    }

    /** {@code schedules create}: creates a schedule. */
    @Command(
            name = "create",
            description = {
                "Runs a script on a schedule, in the name of your key.",
                "schedules create report.js --name nightly --cron '0 3 * * *' --zone Europe/Berlin",
                "With --rows, runs a capability for each row of a file instead:",
                "schedules create --name nightly --cron @daily --capability shop.refund --rows orders.csv"
            })
    static final class CreateSchedule implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Option(
                names = "--name",
                required = true,
                paramLabel = "NAME",
                description = "Name of the schedule: letters, digits, . _ and -.")
        private String name = "";

        @Mixin
        private final SubmissionOptions submission = new SubmissionOptions();

        @Option(
                names = "--cron",
                paramLabel = "EXPR",
                description = "Cron expression: five fields, six with seconds first, or @daily.")
        private @Nullable String cron;

        @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of --cron; UTC by default.")
        private @Nullable String zone;

        @Option(names = "--every", paramLabel = "TIME", description = "Interval instead of --cron: 30s, 15m, 6h.")
        private @Nullable String every;

        @Option(
                names = "--overlap",
                paramLabel = "HOW",
                description =
                        "If the previous run has not ended: skip, queue, cancel-previous or allow; skip by default.")
        private @Nullable String overlap;

        @Option(
                names = "--catch-up",
                paramLabel = "HOW",
                description = "Missed runs to make up for: none, last or all; last by default.")
        private @Nullable String catchUp;

        @Mixin
        private final BatchRunOptions batchOptions = new BatchRunOptions();

        @Option(
                names = "--rows",
                paramLabel = "FILE",
                description = "Rows, in a .csv file or as one JSON value per line; needs --capability.")
        private @Nullable String rows;

        CreateSchedule(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            if (rows != null) {
                return createWithRows(rows);
            } else if (!batchOptions.toParameters().isEmpty()) {
                throw new CommandException(
                        ExitCode.USAGE, "--capability and the options of a batch need --rows, a file.");
            } else if (!submission.namesScript()) {
                throw new CommandException(ExitCode.USAGE, "Name a script, or a file with --rows.");
            }
            String source = submission.readSource(sallyport.environment());
            ObjectNode body = timesBody();
            body.set("run", submission.toRequestBody(source, sallyport.environment()));
            try {
                return printSchedule(sallyport, sallyport.service().api().post(SCHEDULES, body));
            } catch (ApiProblemException e) {
                throw new ScriptRejection(e.problem(), Optional.of(source), submission.sourceName());
            }
        }

        /**
         * Creates the schedule paused, so that no time is skipped while it has no rows, and resumes it when it has
         * them. If that fails, the schedule is deleted again.
         */
        private int createWithRows(String file) {
            if (submission.namesScript() || !batchOptions.namesCapability()) {
                throw new CommandException(
                        ExitCode.USAGE, "--rows takes no script: --capability says what the rows run.");
            }
            if (submission.hasRunOptions(sallyport.environment())) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "--rows takes no options of a script, such as --args, --grant, --timeout or --dry-run.");
            }
            Path content = ScheduleRowsCommand.requireFile(sallyport, file);
            ObjectNode body = timesBody();
            body.put("paused", true);
            body.set("batch", batchOptions.toMembers());
            String id = ApiJson.text(sallyport.service().api().post(SCHEDULES, body), "id");
            ObjectNode schedule;
            try {
                ScheduleRowsCommand.upload(sallyport, id, content);
                schedule = sallyport.service().api().post(SCHEDULES, ApiJson.object(), id, "resume");
            } catch (RuntimeException e) {
                deleteAfter(id, e);
                throw e;
            }
            return printSchedule(sallyport, schedule);
        }

        /** A failure to delete it does not replace the cause. */
        private void deleteAfter(String id, RuntimeException cause) {
            try {
                sallyport.service().api().delete(SCHEDULES, id);
            } catch (RuntimeException e) {
                cause.addSuppressed(e);
                sallyport
                        .terminal()
                        .printNote("The schedule " + TerminalTextEscaper.escapeLine(name)
                                + " may be left, and may run. Delete it: sallyport schedules delete "
                                + TerminalTextEscaper.escapeLine(id));
            }
        }

        private ObjectNode timesBody() {
            ObjectNode body = ApiJson.object().put("name", name);
            putIfPresent(body, "cron", cron);
            putIfPresent(body, "zone", zone);
            putIfPresent(body, "overlap", overlap);
            putIfPresent(body, "catchUp", catchUp);
            if (every != null) {
                body.put("everyMillis", parseMillis(every));
            }
            return body;
        }

        private static long parseMillis(String every) {
            try {
                return DurationFormat.parse(every).toMillis();
            } catch (IllegalArgumentException e) {
                throw new CommandException(ExitCode.USAGE, "--every: " + e.getMessage() + ".");
            }
        }

        private static void putIfPresent(ObjectNode body, String member, @Nullable String value) {
            if (value != null) {
                body.put(member, value);
            }
        }
    }

    /** {@code schedules pause}, {@code resume} and {@code run}: change or run one schedule. */
    @Command
    static final class ChangeSchedule implements Callable<Integer> {
        private final SallyportCommand sallyport;
        private final String action;

        @Parameters(paramLabel = "SCHEDULE", description = "Its name or id.")
        private String nameOrId = "";

        ChangeSchedule(SallyportCommand sallyport, String what) {
            this.sallyport = sallyport;
            this.action = what;
        }

        @Override
        public Integer call() {
            JsonNode schedule = resolve(sallyport, nameOrId);
            boolean runsBatch = action.equals("run") && schedule.has("batch");
            ObjectNode answer = sallyport
                    .service()
                    .api()
                    .post(SCHEDULES, ApiJson.object(), ApiJson.text(schedule, "id"), runsBatch ? "batches" : action);
            if (!action.equals("run")) {
                return printSchedule(sallyport, answer);
            } else if (sallyport.json()) {
                sallyport.printJson(answer);
                return ExitCode.COMPLETED.code();
            }
            sallyport.terminal().printResult(ApiJson.text(answer, "id"));
            sallyport
                    .terminal()
                    .printNote("Accepted. Follow it: sallyport "
                            + (runsBatch ? "batch --follow " : "logs -f ")
                            + TerminalTextEscaper.escapeLine(ApiJson.text(answer, "id")));
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code schedules delete}: deletes a schedule. */
    @Command(name = "delete", description = "Deletes a schedule; its executions stay.")
    static final class DeleteSchedule implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "SCHEDULE", description = "Its name or id.")
        private String nameOrId = "";

        DeleteSchedule(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(SCHEDULES, resolveId(sallyport, nameOrId));
            sallyport.printDone("deleted", nameOrId, TerminalTextEscaper.escapeLine(nameOrId) + " is deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
