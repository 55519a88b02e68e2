package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code batches}: lists, shows, cancels and retries batches, and gets their results. */
@Command(name = "batches", description = "Lists the batches; shows, cancels and retries them, and gets their results.")
final class BatchesCommand implements Callable<Integer> {
    private static final String BATCHES = "/batches";

    private final SallyportCommand sallyport;

    private BatchesCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new BatchesCommand(sallyport))
                .addSubcommand(new ListBatches(sallyport))
                .addSubcommand(new ShowBatch(sallyport))
                .addSubcommand(new CancelBatchCommand(sallyport))
                .addSubcommand(new RetryBatch(sallyport))
                .addSubcommand(new BatchResults(sallyport));
    }

    @Override
    public Integer call() {
        return new ListBatches(sallyport).call();
    }

    private static int printBatch(SallyportCommand sallyport, ObjectNode batch) {
        if (sallyport.json()) {
            sallyport.printJson(batch);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        terminal.printResult(ApiJson.text(batch, "id"));
        String state = batch.path("finished").asBoolean() ? "ended: " : "under way: ";
        terminal.printNote(state + BatchProgress.summary(batch) + " of "
                + batch.path("total").asInt() + " items");
        if (batch.has("capability")) {
            terminal.printNote("capability: " + TerminalTextEscaper.escapeLine(ApiJson.text(batch, "capability")));
        }
        if (batch.has("submittedBy")) {
            terminal.printNote("submitted by " + TerminalTextEscaper.escapeLine(ApiJson.text(batch, "submittedBy")));
        }
        if (batch.has("cancellation")) {
            JsonNode cancellation = batch.path("cancellation");
            terminal.printNote("cancelled by "
                    + TerminalTextEscaper.escapeLine(
                            ApiJson.text(cancellation, "requestedBy") + ": " + ApiJson.text(cancellation, "reason")));
        }
        return ExitCode.COMPLETED.code();
    }

    /** {@code batches list}: the newest batches. */
    @Command(name = "list", description = "Lists the newest batches.")
    static final class ListBatches implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Option(names = "--limit", paramLabel = "N", description = "Maximum number of batches (25, at most 100).")
        private int limit = 25;

        ListBatches(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode page = sallyport.service().api().get(BATCHES + "?limit=" + Math.max(1, limit));
            if (sallyport.json()) {
                sallyport.printJson(page);
                return ExitCode.COMPLETED.code();
            }
            Terminal terminal = sallyport.terminal();
            if (page.path("items").isEmpty()) {
                terminal.printNote("There are no batches. See: sallyport batch --help");
                return ExitCode.COMPLETED.code();
            }
            TerminalTable table = new TerminalTable("ID", "CREATED", "ITEMS", "STATES", "CAPABILITY");
            for (JsonNode batch : page.path("items")) {
                table.addRow(
                        ApiJson.text(batch, "id"),
                        ApiJson.text(batch, "createdAt"),
                        Integer.toString(batch.path("total").asInt()),
                        BatchProgress.summary(batch),
                        ApiJson.text(batch, "capability"));
            }
            terminal.printTable(table);
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code batches show}: one batch. */
    @Command(name = "show", description = "Shows a batch.")
    static final class ShowBatch implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "Batch to show.")
        private String id = "";

        ShowBatch(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return printBatch(sallyport, sallyport.service().api().batch(id));
        }
    }

    /** {@code batches cancel}: cancels executions that have not ended. */
    @Command(name = "cancel", description = "Cancels the executions of a batch that have not ended.")
    static final class CancelBatchCommand implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "Batch to cancel.")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the people who look at it later.")
        private @Nullable String reason;

        CancelBatchCommand(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            if (reason != null) {
                body.put("reason", reason);
            }
            return printBatch(sallyport, sallyport.service().api().post(BATCHES, body, id, "cancel"));
        }
    }

    /** {@code batches retry}: runs the failed items again. */
    @Command(
            name = "retry",
            description = "Runs the failed executions of a batch again, as a new batch, and prints its results.")
    static final class RetryBatch implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "Batch whose failed executions to run again.")
        private String id = "";

        @Option(names = "--no-wait", description = "Print the id of the new batch and do not wait for its end.")
        private boolean noWait;

        @Option(names = "--out", paramLabel = "FILE", description = "Write the results to a file, as 'batch --out'.")
        private @Nullable String out;

        RetryBatch(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() throws InterruptedException {
            SallyportApiClient api = sallyport.service().api();
            ObjectNode retry = api.post(BATCHES, JsonNodeFactory.instance.objectNode(), id, "retry");
            return noWait
                    ? printBatch(sallyport, retry)
                    : new BatchFollower(
                                    sallyport, api, Optional.ofNullable(out).map(sallyport.environment()::resolveFile))
                            .follow(retry);
        }
    }

    /** {@code batches results}: the results so far. */
    @Command(name = "results", description = "Prints the results of a batch so far, in the order of its items.")
    static final class BatchResults implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "ID", description = "Batch whose results to print.")
        private String id = "";

        @Option(names = "--out", paramLabel = "FILE", description = "Write the results to a file, as 'batch --out'.")
        private @Nullable String out;

        BatchResults(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            SallyportApiClient api = sallyport.service().api();
            new BatchFollower(sallyport, api, Optional.ofNullable(out).map(sallyport.environment()::resolveFile))
                    .printResults(api.batch(id));
            return ExitCode.COMPLETED.code();
        }
    }
}
