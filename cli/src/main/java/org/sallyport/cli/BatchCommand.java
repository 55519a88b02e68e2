package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code batch}: submits many scripts in one request and prints their results, one per line. */
@Command(
        name = "batch",
        description = {
            "Submits the lines of a file, each a submission as JSON, and prints their results in order.",
            "With --capability, the file has rows: each is the arguments of one run of the capability.",
            "batch --capability shop.refund@1.0.0 rows.csv --out results.csv",
            "With --follow, waits for a batch that was submitted before."
        })
final class BatchCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = {
                "Submissions, one per line (x-ndjson).",
                "With --capability: rows, in a .csv file or as one JSON value per line."
            })
    private @Nullable Path file;

    @Mixin
    private final BatchRunOptions batchOptions = new BatchRunOptions();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Write the results to a file: as CSV if it ends with .csv, or one JSON object per line.")
    private @Nullable String out;

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
            Path submissions = submissionsFile();
            if (noWait && out != null) {
                throw new CommandException(ExitCode.USAGE, "--no-wait waits for no results, so there is no --out.");
            }
            SallyportApiClient api = sallyport.service().api();
            BatchFollower follower = follower(api);
            ObjectNode batch = api.batch(
                    submissions,
                    BatchFileFormat.of(submissions),
                    batchOptions.toParameters(),
                    Optional.ofNullable(idempotencyKey));
            printRejectedItems(batch);
            return noWait ? printBatch(batch) : follower.follow(batch);
        } else if (file != null
                || noWait
                || idempotencyKey != null
                || !batchOptions.toParameters().isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE, "--follow submits nothing: it takes no file and no option for submissions.");
        }
        SallyportApiClient api = sallyport.service().api();
        return follower(api).follow(api.batch(follow));
    }

    private BatchFollower follower(SallyportApiClient api) {
        return new BatchFollower(sallyport, api, Optional.ofNullable(out).map(sallyport.environment()::resolveFile));
    }

    private void printRejectedItems(ObjectNode batch) {
        Terminal terminal = sallyport.terminal();
        batch.path("items").forEach(item -> {
            if (item.has("problem")) {
                JsonNode line = item.at("/problem/sourceLine");
                terminal.printNote((line.isInt()
                                ? "Line " + line.asInt()
                                : "Item " + item.path("index").asInt())
                        + " was refused: "
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

    private Path submissionsFile() {
        if (file == null) {
            throw new CommandException(ExitCode.USAGE, "Name a file of submissions, or a batch with --follow.");
        }
        Path lines = sallyport.environment().resolveFile(file.toString());
        try {
            if (Files.isReadable(lines) && !Files.isDirectory(lines) && Files.size(lines) >= 0) {
                if (!batchOptions.namesCapability() && BatchFileFormat.of(lines).equals(BatchFileFormat.CSV)) {
                    throw new CommandException(
                            ExitCode.USAGE, "The rows of " + file + " need --capability, which says what they run.");
                }
                return lines;
            }
        } catch (IOException e) {
            // The exception below reports it.
        }
        throw new CommandException(ExitCode.USAGE, "The file " + file + " cannot be read.");
    }
}
