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
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code batch}: many scripts in one request, their results line by line. */
@Command(
        name = "batch",
        description = "Submits the lines of a file, each a submission as JSON, and prints their results in order.")
final class BatchCommand implements Callable<Integer> {
    private static final long LOOK_MILLIS = 300;
    private static final int BAR = 24;

    private final Sallyport sallyport;

    @Parameters(paramLabel = "FILE", description = "Submissions, one a line (x-ndjson).")
    private @Nullable Path file;

    @Option(names = "--max-parallel", paramLabel = "N", description = "How many may be under way at one time.")
    private @Nullable Integer maxParallel;

    @Option(names = "--stop", description = "Begin no more once one has failed.")
    private boolean stop;

    @Option(names = "--atomic", description = "Accept all of them or none.")
    private boolean atomic;

    @Option(names = "--no-wait", description = "Print the batch's id and do not wait for its end.")
    private boolean noWait;

    @Option(names = "--idempotency-key", paramLabel = "KEY", description = "Makes it safe to repeat the command.")
    private @Nullable String idempotencyKey;

    BatchCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() throws InterruptedException {
        SallyportApi api = sallyport.service().api();
        ObjectNode batch = api.batch(lines(), options(), Optional.ofNullable(idempotencyKey));
        String id = batch.path("id").asText();
        Terminal terminal = sallyport.terminal();
        batch.path("items").forEach(item -> {
            if (item.has("problem")) {
                terminal.note("Item " + item.path("index").asInt() + " was refused: "
                        + Visible.line(item.at("/problem/detail").asText()));
            }
        });
        if (noWait) {
            if (sallyport.json()) {
                sallyport.answer(batch);
            } else {
                terminal.answer(id);
            }
            return Exit.COMPLETED.code();
        }
        while (!batch.path("finished").asBoolean()) {
            terminal.progress(progress(batch));
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            batch = api.batch(id);
        }
        if (sallyport.json()) {
            sallyport.answer(withResults(api, batch));
        } else {
            api.batchResults(id, terminal::answer);
        }
        terminal.note(Visible.line(id) + ": " + summary(batch));
        boolean whole = batch.path("refused").asInt() == 0
                && count(batch, "COMPLETED") == batch.path("total").asInt();
        return (whole ? Exit.COMPLETED : Exit.FAILED).code();
    }

    private static ObjectNode withResults(SallyportApi api, ObjectNode batch) {
        ArrayNode results = batch.putArray("results");
        api.batchResults(batch.path("id").asText(), line -> {
            try {
                results.add(Json.parse(line));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a line of results is not JSON", e);
            }
        });
        return batch;
    }

    private Path lines() {
        Path lines = file == null ? null : sallyport.surroundings().file(file.toString());
        try {
            if (lines != null && Files.isReadable(lines) && !Files.isDirectory(lines) && Files.size(lines) >= 0) {
                return lines;
            }
        } catch (IOException e) {
            // Said below.
        }
        throw new CommandFailure(Exit.USAGE, "The file " + file + " cannot be read.");
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
        return options;
    }

    private static int count(JsonNode batch, String state) {
        return batch.path("counts").path(state).asInt();
    }

    private static String progress(JsonNode batch) {
        int all = Math.max(1, batch.path("total").asInt());
        int over = all;
        for (String state : new String[] {"PENDING", "RUNNING", "WAITING"}) {
            over -= count(batch, state);
        }
        int filled = BAR * over / all;
        return "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " + over + "/" + all + "  " + summary(batch);
    }

    private static String summary(JsonNode batch) {
        StringBuilder summary = new StringBuilder();
        batch.path("counts")
                .properties()
                .forEach(count -> summary.append(summary.isEmpty() ? "" : ", ")
                        .append(count.getValue().asInt())
                        .append(' ')
                        .append(Visible.line(count.getKey())));
        int refused = batch.path("refused").asInt();
        return summary + (refused == 0 ? "" : (summary.isEmpty() ? "" : ", ") + refused + " refused");
    }
}
