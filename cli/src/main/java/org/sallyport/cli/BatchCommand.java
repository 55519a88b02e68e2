package org.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code batch}: submits many scripts in one request and prints their results, one per line. */
@Command(
        name = "batch",
        description = {
            "Submits the lines of a file, each a submission as JSON, and prints their results in order.",
            "With --follow, waits for a batch that was submitted before."
        })
final class BatchCommand implements Callable<Integer> {
    private static final long POLL_MILLIS = 300;
    private static final int PROGRESS_BAR_WIDTH = 24;

    private final SallyportCommand sallyport;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Submissions, one per line (x-ndjson).")
    private @Nullable Path file;

    @Option(names = "--max-parallel", paramLabel = "N", description = "Maximum number of executions at the same time.")
    private @Nullable Integer maxParallel;

    @Option(names = "--stop", description = "After the first failed item, start no further items.")
    private boolean stop;

    @Option(names = "--atomic", description = "Accept all items or none.")
    private boolean atomic;

    @Option(names = "--share-reads", description = "If several items make the same read-only call, send it only once.")
    private boolean shareReads;

    @Option(names = "--no-wait", description = "Print the batch's id and do not wait for its end.")
    private boolean noWait;

    @Option(names = "--idempotency-key", paramLabel = "KEY", description = "Makes it safe to repeat the command.")
    private @Nullable String idempotencyKey;

    @Option(
            names = "--follow",
            paramLabel = "ID",
            description = "Submit nothing: wait for the end of this batch, and print its results.")
    private @Nullable String follow;

    BatchCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (follow == null) {
            Path lines = submissionsFile();
            SallyportApiClient api = sallyport.service().api();
            ObjectNode batch = api.batch(lines, options(), Optional.ofNullable(idempotencyKey));
            printRejectedItems(batch);
            return noWait ? printBatch(batch) : awaitEnd(api, batch);
        } else if (file != null
                || noWait
                || idempotencyKey != null
                || !options().isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE, "--follow submits nothing: it takes no file and no option for submissions.");
        }
        SallyportApiClient api = sallyport.service().api();
        return awaitEnd(api, api.batch(follow));
    }

    private void printRejectedItems(ObjectNode batch) {
        Terminal terminal = sallyport.terminal();
        batch.path("items").forEach(item -> {
            if (item.has("problem")) {
                terminal.printNote("Item " + item.path("index").asInt() + " was refused: "
                        + TerminalTextEscaper.escapeLine(
                                item.at("/problem/detail").asText()));
            }
        });
    }

    private int printBatch(ObjectNode batch) {
        if (sallyport.json()) {
            sallyport.printJson(batch);
        } else {
            sallyport.terminal().printResult(batch.path("id").asText());
        }
        return ExitCode.COMPLETED.code();
    }

    private int awaitEnd(SallyportApiClient api, ObjectNode begun) throws InterruptedException {
        ObjectNode batch = begun;
        String id = batch.path("id").asText();
        Terminal terminal = sallyport.terminal();
        while (!batch.path("finished").asBoolean()) {
            terminal.showProgress(progressLine(batch));
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            batch = CliRetryPolicy.retry(() -> api.batch(id));
        }
        if (sallyport.json()) {
            sallyport.printJson(withResults(api, batch));
        } else {
            streamResults(api, id, terminal::printResult);
        }
        terminal.printNote(TerminalTextEscaper.escapeLine(id) + ": " + summary(batch));
        boolean whole = batch.path("refused").asInt() == 0
                && count(batch, "COMPLETED") == batch.path("total").asInt();
        return (whole ? ExitCode.COMPLETED : ExitCode.FAILED).code();
    }

    /** Passes each line on once. A retry after a broken response receives all lines again, from the first. */
    private static void streamResults(SallyportApiClient api, String id, Consumer<String> line) {
        AtomicLong deliveredCount = new AtomicLong();
        CliRetryPolicy.retry(() -> {
            AtomicLong heard = new AtomicLong();
            api.batchResults(id, result -> {
                if (heard.incrementAndGet() > deliveredCount.get()) {
                    line.accept(result);
                    deliveredCount.set(heard.get());
                }
            });
            return deliveredCount;
        });
    }

    private static ObjectNode withResults(SallyportApiClient api, ObjectNode batch) {
        ArrayNode results = batch.putArray("results");
        streamResults(api, batch.path("id").asText(), line -> {
            try {
                results.add(ApiJson.parse(line));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a line of results is not JSON", e);
            }
        });
        return batch;
    }

    private Path submissionsFile() {
        if (file == null) {
            throw new CommandException(ExitCode.USAGE, "Name a file of submissions, or a batch with --follow.");
        }
        Path lines = sallyport.environment().resolveFile(file.toString());
        try {
            if (Files.isReadable(lines) && !Files.isDirectory(lines) && Files.size(lines) >= 0) {
                return lines;
            }
        } catch (IOException e) {
            // The exception below reports it.
        }
        throw new CommandException(ExitCode.USAGE, "The file " + file + " cannot be read.");
    }

    private Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        if (maxParallel != null) {
            options.put("maxParallel", maxParallel.toString());
        }
        if (stop) {
            options.put("onFailure", "stop");
        }
        if (atomic) {
            options.put("atomic", "true");
        }
        if (shareReads) {
            options.put("shareReads", "true");
        }
        return options;
    }

    private static int count(JsonNode batch, String state) {
        return batch.path("counts").path(state).asInt();
    }

    private static String progressLine(JsonNode batch) {
        int all = Math.max(1, batch.path("total").asInt());
        int finished = all;
        for (String state : new String[] {"PENDING", "RUNNING", "WAITING"}) {
            finished -= count(batch, state);
        }
        int filled = PROGRESS_BAR_WIDTH * finished / all;
        return "[" + "#".repeat(filled) + ".".repeat(PROGRESS_BAR_WIDTH - filled) + "] " + finished + "/" + all + "  "
                + summary(batch);
    }

    private static String summary(JsonNode batch) {
        StringBuilder summary = new StringBuilder();
        batch.path("counts")
                .properties()
                .forEach(count -> summary.append(summary.isEmpty() ? "" : ", ")
                        .append(count.getValue().asInt())
                        .append(' ')
                        .append(TerminalTextEscaper.escapeLine(count.getKey())));
        int refused = batch.path("refused").asInt();
        return summary + (refused == 0 ? "" : (summary.isEmpty() ? "" : ", ") + refused + " refused");
    }
}
