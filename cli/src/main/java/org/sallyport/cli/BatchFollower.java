package org.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;

/** Waits for the end of a batch with a progress bar, then prints its results or writes them to a file. */
final class BatchFollower {
    private static final long POLL_MILLIS = 300;

    private final SallyportCommand sallyport;
    private final SallyportApiClient api;
    private final Optional<Path> out;

    /** @param out file of the results; empty for standard output */
    BatchFollower(SallyportCommand sallyport, SallyportApiClient api, Optional<Path> out) {
        this.sallyport = sallyport;
        this.api = api;
        this.out = out;
        out.ifPresent(BatchFollower::requireWritable);
    }

    /** Finds a mistake in the name of the file before anything is submitted. */
    private static void requireWritable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || !Files.isWritable(directory) || Files.isDirectory(file)) {
            throw new CommandException(ExitCode.USAGE, "The results cannot be written to " + file + ".");
        }
    }

    /** Follows the batch to its end and returns the exit code. */
    int follow(ObjectNode begun) throws InterruptedException {
        ObjectNode batch = begun;
        String id = batch.path("id").asText();
        Terminal terminal = sallyport.terminal();
        BatchProgress progress = new BatchProgress(System::nanoTime);
        try (BatchInterruptNote note = new BatchInterruptNote(terminal, id)) {
            while (!batch.path("finished").asBoolean()) {
                terminal.showProgress(progress.line(batch));
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                batch = CliRetryPolicy.retry(() -> api.batch(id));
            }
            note.cancel();
        }
        printResults(batch);
        terminal.printNote(TerminalTextEscaper.escapeLine(id) + ": " + BatchProgress.summary(batch));
        return exitCode(batch).code();
    }

    private static ExitCode exitCode(ObjectNode batch) {
        boolean whole = batch.path("refused").asInt() == 0
                && BatchProgress.count(batch, "COMPLETED")
                        == batch.path("total").asInt();
        return whole ? ExitCode.COMPLETED : ExitCode.FAILED;
    }

    /** Prints the results so far, or writes them to the file. */
    void printResults(ObjectNode batch) {
        String id = batch.path("id").asText();
        if (out.isPresent()) {
            writeResults(id, out.get());
            if (sallyport.json()) {
                sallyport.printJson(batch);
            }
        } else if (sallyport.json()) {
            sallyport.printJson(withResults(batch));
        } else {
            streamResults(id, sallyport.terminal()::printResult);
        }
    }

    /** The file appears only when it is complete. */
    private void writeResults(String id, Path file) {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            CliRetryPolicy.retry(() -> {
                try (OutputStream results = Files.newOutputStream(part)) {
                    api.copyBatchResults(id, BatchFileFormat.of(file), results);
                    return id;
                } catch (IOException e) {
                    throw notWritten(file, e);
                }
            });
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw notWritten(file, e);
        } finally {
            deleteIfPossible(part);
        }
    }

    private static void deleteIfPossible(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            // An incomplete file stays beside the place of the complete one.
        }
    }

    private static CommandException notWritten(Path file, IOException e) {
        return new CommandException(ExitCode.USAGE, "The results cannot be written to " + file + ": " + e.getMessage());
    }

    /** Passes each line on once. A retry after a broken response receives all lines again, from the first. */
    private void streamResults(String id, Consumer<String> line) {
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

    private ObjectNode withResults(ObjectNode batch) {
        ArrayNode results = batch.putArray("results");
        streamResults(batch.path("id").asText(), line -> {
            try {
                results.add(ApiJson.parse(line));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a line of results is not JSON", e);
            }
        });
        return batch;
    }
}
