package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.terminal.Durations;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code schedules}: what runs by itself. */
@Command(name = "schedules", description = "Lists what runs by itself; creates, pauses, resumes, runs and deletes it.")
final class SchedulesCommand implements Callable<Integer> {
    private static final String SCHEDULES = "/schedules";

    private final Sallyport sallyport;

    private SchedulesCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    /** With what it is asked to do. */
    static CommandLine of(Sallyport sallyport) {
        return new CommandLine(new SchedulesCommand(sallyport))
                .addSubcommand("list", new CommandLine(new Listing(sallyport)))
                .addSubcommand(new Create(sallyport))
                .addSubcommand("pause", change(sallyport, "pause", "Has a schedule not run until it is resumed."))
                .addSubcommand(
                        "resume", change(sallyport, "resume", "Has a schedule run again, in the name of your key."))
                .addSubcommand("run", change(sallyport, "run", "Runs what a schedule runs, once and now."))
                .addSubcommand(new Delete(sallyport));
    }

    private static CommandLine change(Sallyport sallyport, String what, String description) {
        CommandLine command = new CommandLine(new Change(sallyport, what));
        command.getCommandSpec().usageMessage().description(description);
        return command;
    }

    @Override
    public Integer call() {
        return list(sallyport);
    }

    private static int list(Sallyport sallyport) {
        if (sallyport.json()) {
            sallyport.answer(sallyport.service().api().get(SCHEDULES));
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        List<JsonNode> all = all(sallyport);
        if (all.isEmpty()) {
            terminal.note("There is none. Create one: sallyport schedules create --help");
            return Exit.COMPLETED.code();
        }
        Table table = new Table("NAME", "WHEN", "NEXT", "LAST", "ID");
        all.forEach(schedule -> table.row(
                Json.text(schedule, "name"),
                when(schedule),
                schedule.path("paused").asBoolean() ? "paused" : Json.text(schedule, "nextAt"),
                Json.text(schedule.path("lastRun"), "state"),
                Json.text(schedule, "id")));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        all.stream()
                .filter(schedule -> schedule.has("pauseReason"))
                .forEach(schedule -> terminal.note("  " + Visible.line(Json.text(schedule, "name")) + " is paused: "
                        + Visible.line(Json.text(schedule, "pauseReason"))));
        return Exit.COMPLETED.code();
    }

    private static String when(JsonNode schedule) {
        return schedule.has("cron")
                ? Json.text(schedule, "cron") + " " + Json.text(schedule, "zone")
                : "every " + schedule.path("everyMillis").asLong() / 1_000 + " s";
    }

    private static List<JsonNode> all(Sallyport sallyport) {
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

    /** The id of the schedule that a name or an id means. */
    private static String id(Sallyport sallyport, String which) {
        return all(sallyport).stream()
                .filter(schedule -> Json.text(schedule, "name").equals(which)
                        || Json.text(schedule, "id").equals(which))
                .findFirst()
                .map(schedule -> Json.text(schedule, "id"))
                .orElseThrow(() -> new CommandFailure(
                        Exit.USAGE, "There is no schedule '" + which + "'.", "See: sallyport schedules list"));
    }

    private static int tell(Sallyport sallyport, ObjectNode schedule) {
        if (sallyport.json()) {
            sallyport.answer(schedule);
        } else {
            sallyport.terminal().answer(Json.text(schedule, "id"));
            String next =
                    schedule.path("paused").asBoolean() ? "is paused" : "comes at " + Json.text(schedule, "nextAt");
            sallyport.terminal().note(Visible.line(Json.text(schedule, "name") + " " + next));
        }
        return Exit.COMPLETED.code();
    }

    /** Lists all. */
    @Command(name = "list", description = "Lists the schedules, with their next times and how they ended last.")
    static final class Listing implements Callable<Integer> {
        private final Sallyport sallyport;

        Listing(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return list(sallyport);
        }
    }

    /** Creates one. */
    @Command(
            name = "create",
            description = {
                "Has a script run at times, in the name of your key.",
                "schedules create report.js --name nightly --cron '0 3 * * *' --zone Europe/Berlin"
            })
    static final class Create implements Callable<Integer> {
        private final Sallyport sallyport;

        @Option(
                names = "--name",
                required = true,
                paramLabel = "NAME",
                description = "Its name: letters, digits, . _ and -.")
        private String name = "";

        @Mixin
        private final Submission submission = new Submission();

        @Option(names = "--cron", paramLabel = "EXPR", description = "Five fields, six with seconds first, or @daily.")
        private @Nullable String cron;

        @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of --cron; UTC by default.")
        private @Nullable String zone;

        @Option(names = "--every", paramLabel = "TIME", description = "Instead of --cron: 30s, 15m, 6h.")
        private @Nullable String every;

        @Option(
                names = "--overlap",
                paramLabel = "HOW",
                description =
                        "skip, queue, cancel-previous or allow, when the last one has not ended; skip by default.")
        private @Nullable String overlap;

        @Option(
                names = "--catch-up",
                paramLabel = "HOW",
                description = "none, last or all of what was missed; last by default.")
        private @Nullable String catchUp;

        Create(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            String source = submission.source(sallyport.surroundings());
            ObjectNode body = Json.object().put("name", name);
            put(body, "cron", cron);
            put(body, "zone", zone);
            put(body, "overlap", overlap);
            put(body, "catchUp", catchUp);
            if (every != null) {
                body.put("everyMillis", millis(every));
            }
            body.set("run", submission.body(source, sallyport.surroundings()));
            try {
                return tell(sallyport, sallyport.service().api().post(SCHEDULES, body));
            } catch (ProblemException e) {
                throw new Refusal(e.problem(), Optional.of(source), submission.name());
            }
        }

        private static long millis(String every) {
            try {
                return Durations.parsed(every).toMillis();
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(Exit.USAGE, "--every: " + e.getMessage() + ".");
            }
        }

        private static void put(ObjectNode body, String member, @Nullable String value) {
            if (value != null) {
                body.put(member, value);
            }
        }
    }

    /** Pauses, resumes or runs one. */
    @Command
    static final class Change implements Callable<Integer> {
        private final Sallyport sallyport;
        private final String what;

        @Parameters(paramLabel = "SCHEDULE", description = "Its name or id.")
        private String which = "";

        Change(Sallyport sallyport, String what) {
            this.sallyport = sallyport;
            this.what = what;
        }

        @Override
        public Integer call() {
            ObjectNode answer = sallyport.service().api().post(SCHEDULES, Json.object(), id(sallyport, which), what);
            if (!what.equals("run")) {
                return tell(sallyport, answer);
            } else if (sallyport.json()) {
                sallyport.answer(answer);
                return Exit.COMPLETED.code();
            }
            sallyport.terminal().answer(Json.text(answer, "id"));
            sallyport
                    .terminal()
                    .note("Accepted. Follow it: sallyport logs -f " + Visible.line(Json.text(answer, "id")));
            return Exit.COMPLETED.code();
        }
    }

    /** Deletes one. */
    @Command(name = "delete", description = "Deletes a schedule; its executions stay.")
    static final class Delete implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "SCHEDULE", description = "Its name or id.")
        private String which = "";

        Delete(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(SCHEDULES, id(sallyport, which));
            sallyport.done("deleted", which, Visible.line(which) + " is deleted.");
            return Exit.COMPLETED.code();
        }
    }
}
