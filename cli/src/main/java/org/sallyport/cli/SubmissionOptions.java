package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The script and the options of {@code run}, {@code submit} and {@code schedules create}, and their request body. */
final class SubmissionOptions extends ExecutionOptions {
    @Parameters(
            paramLabel = "SCRIPT",
            description = "File with JavaScript (.js) or TypeScript (.ts); - reads it from standard input.")
    private String script = "";

    @Option(
            names = "--language",
            paramLabel = "LANG",
            description = "javascript or typescript; by default from the file's name, else from the code.")
    private @Nullable String language;

    /** Returns whether a script is named; {@code schedules create} with rows has none. */
    boolean namesScript() {
        return !script.isEmpty();
    }

    /** Returns whether any option is set that concerns the script or its execution. */
    boolean hasRunOptions(CliEnvironment surroundings) {
        ObjectNode members = ApiJson.object();
        addTo(members, surroundings);
        return language != null || idempotencyKey().isPresent() || !members.isEmpty();
    }

    /** Returns the name of the script for messages. */
    String sourceName() {
        return new SourceFile(script).name();
    }

    /** Returns the source of the script. */
    String readSource(CliEnvironment surroundings) {
        return new SourceFile(script).read(surroundings);
    }

    /** Returns the request body. Omits members without an option, so that the service's defaults apply. */
    ObjectNode toRequestBody(String source, CliEnvironment surroundings) {
        ObjectNode body = ApiJson.object();
        body.put("code", source);
        language().ifPresent(given -> body.put("language", given));
        addTo(body, surroundings);
        return body;
    }

    private Optional<String> language() {
        if (language != null) {
            return switch (language.toLowerCase(Locale.ROOT)) {
                case "ts", "typescript" -> Optional.of("typescript");
                case "js", "javascript" -> Optional.of("javascript");
                default ->
                    throw new CommandException(
                            ExitCode.USAGE,
                            "'" + language + "' is not a known language. Use javascript or typescript.");
            };
        }
        return new SourceFile(script).language();
    }
}
