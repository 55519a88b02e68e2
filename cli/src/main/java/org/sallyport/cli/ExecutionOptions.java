package org.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.DurationFormat;
import picocli.CommandLine.Option;

/** The input, the limits and the conditions of an execution, without the script that it runs. */
class ExecutionOptions {
    @Option(
            names = "--args",
            paramLabel = "JSON|@FILE",
            description = "The script's input 'args': JSON, or @ and the name of a JSON file.")
    private @Nullable String args;

    @Option(
            names = "--context",
            paramLabel = "JSON|@FILE",
            description = "The script's input 'context': JSON, or @ and the name of a JSON file.")
    private @Nullable String context;

    @Option(
            names = "--grant",
            paramLabel = "PATTERN",
            description = "Tools it may call, such as demo.*; may be repeated. Without it: all that the key grants.")
    private List<String> grants = List.of();

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "A label; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--timeout", paramLabel = "TIME", description = "Maximum wall time: 500ms, 30s, 5m, 1h.")
    private @Nullable String timeout;

    @Option(names = "--priority", paramLabel = "0-9", description = "9 runs first, 0 last.")
    private @Nullable Integer priority;

    @Option(
            names = "--not-before",
            paramLabel = "TIME",
            description = "Do not start before this time, such as 2026-06-08T18:00:00Z.")
    private @Nullable String notBefore;

    @Option(names = "--delay", paramLabel = "TIME", description = "Start after this delay: 500ms, 30s, 5m, 1h.")
    private @Nullable String delay;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            description = "Times out if it has not ended by then, such as 2026-06-08T18:00:00Z.")
    private @Nullable String deadline;

    @Option(
            names = "--concurrency-key",
            paramLabel = "KEY",
            description = "Executions with the same key run one at a time, or as many as the service allows.")
    private @Nullable String concurrencyKey;

    @Option(
            names = "--debug",
            paramLabel = "MODE",
            description = "inspect, inspect-brk (wait for the debugger) or profile; the service must allow it.")
    private @Nullable String debug;

    @Option(
            names = "--durability",
            paramLabel = "HOW",
            description = "If the node of the execution fails: journal (another node resumes it) or none (it fails);"
                    + " journal by default.")
    private @Nullable String durability;

    @Option(
            names = "--dry-run",
            description = "List what the script would change, without changing it; only read-only calls are made.")
    private boolean dryRun;

    @Option(
            names = "--fixtures",
            paramLabel = "JSON|@FILE",
            description = "In a dry run: answers by tool name, such as {\"demo.kv_put\": null}.")
    private @Nullable String fixtures;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "A repeated request with the same key returns the first execution.")
    private @Nullable String idempotencyKey;

    @Option(
            names = "--retry",
            paramLabel = "ATTEMPTS",
            description = "If it fails, run it again, up to this number of attempts; each is another execution.")
    private @Nullable Integer retryAttempts;

    @Option(
            names = "--retry-delay",
            paramLabel = "TIME",
            description = "Delay before the second attempt, 1s by default; it doubles before each further attempt.")
    private @Nullable String retryDelay;

    @Option(
            names = "--retry-on",
            paramLabel = "CODE",
            description = "An error code after which to run it again, such as timeout; may be repeated. Without it:"
                    + " failures of backends that may pass, and failures of the service.")
    private List<String> retryCodes = List.of();

    @Option(
            names = "--retry-after-writes",
            description = "Run it again even if the failed attempt may have changed something.")
    private boolean retryAfterWrites;

    Optional<String> idempotencyKey() {
        return Optional.ofNullable(idempotencyKey);
    }

    /** Returns whether {@code --dry-run} is set. */
    boolean dryRun() {
        return dryRun;
    }

    /**
     * Adds the members of the options to a request body. Omits members without an option, so that the service's
     * defaults apply.
     */
    void addTo(ObjectNode body, CliEnvironment surroundings) {
        parseJsonOption("--args", args, surroundings).ifPresent(value -> body.set("args", value));
        parseJsonOption("--context", context, surroundings).ifPresent(value -> body.set("context", value));
        if (!grants.isEmpty()) {
            grants.forEach(body.putArray("grants")::add);
        }
        if (!labels.isEmpty()) {
            labels.forEach(body.putObject("labels")::put);
        }
        if (timeout != null) {
            body.putObject("limits").put("wallMillis", parseTimeoutMillis(timeout));
        }
        if (priority != null) {
            body.put("priority", priority);
        }
        if (notBefore != null) {
            body.put("notBefore", notBefore);
        }
        if (delay != null) {
            body.put("delayMillis", parseMillis("--delay", delay));
        }
        if (deadline != null) {
            body.put("deadline", deadline);
        }
        if (concurrencyKey != null) {
            body.put("concurrencyKey", concurrencyKey);
        }
        if (debug != null) {
            body.put("debug", debug);
        }
        if (durability != null) {
            body.put("durability", durability);
        }
        if (dryRun) {
            body.put("dryRun", true);
        }
        parseJsonOption("--fixtures", fixtures, surroundings).ifPresent(value -> body.set("fixtures", value));
        addRetryTo(body);
    }

    private void addRetryTo(ObjectNode body) {
        if (retryAttempts == null) {
            if (retryDelay != null || !retryCodes.isEmpty() || retryAfterWrites) {
                throw new CommandException(
                        ExitCode.USAGE, "--retry is missing: how many attempts there are, including the first.");
            }
            return;
        }
        ObjectNode retry = body.putObject("retry").put("attempts", retryAttempts);
        if (retryDelay != null) {
            retry.put("delayMillis", parseMillis("--retry-delay", retryDelay));
        }
        if (!retryCodes.isEmpty()) {
            retryCodes.forEach(retry.putArray("errorCodes")::add);
        }
        if (retryAfterWrites) {
            retry.put("afterWrites", true);
        }
    }

    static long parseTimeoutMillis(String timeout) {
        return parseMillis("--timeout", timeout);
    }

    private static long parseMillis(String option, String time) {
        try {
            return DurationFormat.parse(time).toMillis();
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, option + ": " + e.getMessage() + ".");
        }
    }

    /**
     * Parses the JSON value of an option, given inline or as {@code @FILE}. Returns empty if the option is missing.
     * Throws {@link CommandException} if the file cannot be read or the text is not JSON.
     */
    static Optional<JsonNode> parseJsonOption(String option, @Nullable String value, CliEnvironment surroundings) {
        if (value == null) {
            return Optional.empty();
        }
        String where = value.startsWith("@") ? option + " " + value : option;
        try {
            String text =
                    value.startsWith("@") ? Files.readString(surroundings.resolveFile(value.substring(1))) : value;
            JsonNode json = ApiJson.parse(text);
            if (json.isMissingNode()) {
                throw new CommandException(ExitCode.USAGE, where + " is empty; it must be JSON.");
            }
            return Optional.of(json);
        } catch (JsonProcessingException e) {
            var place = e.getLocation();
            String at = place == null ? "" : " (line " + place.getLineNr() + ", column " + place.getColumnNr() + ")";
            throw new CommandException(
                    ExitCode.USAGE,
                    where + " is not JSON" + at + ": " + e.getOriginalMessage(),
                    "Write for example: " + option + " '{\"name\":\"Ada\"}'");
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.USAGE, where + ": there is no such file.");
        } catch (IOException e) {
            throw new CommandException(ExitCode.USAGE, where + " cannot be read: " + e.getMessage());
        }
    }
}
