package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.Problem;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code capability}: scripts that are published under a name and a version. */
@Command(
        name = "capability",
        description = "Publishes scripts under a name and a version, and shows what is published.",
        synopsisSubcommandLabel = "COMMAND")
final class CapabilityCommand implements Runnable {
    private final Sallyport sallyport;

    @Spec
    private @Nullable CommandSpec spec;

    CapabilityCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "Name a command: publish, promote, list, show or deprecate.");
        }
    }

    /** A name, and a version if there is an {@code @}. */
    private record Named(String name, Optional<String> version) {
        static Named of(String text) {
            int at = text.indexOf('@');
            return at < 0
                    ? new Named(text, Optional.empty())
                    : new Named(text.substring(0, at), Optional.of(text.substring(at + 1)));
        }

        String exactly() {
            return version.orElseThrow(() -> new CommandFailure(
                    Exit.USAGE, "'" + name + "' needs a version.", "Write for example: " + name + "@1.0.0"));
        }
    }

    @Command(
            name = "publish",
            mixinStandardHelpOptions = true,
            description = "Publishes a script once its tests pass. A version is never changed.")
    int publish(
            @Parameters(paramLabel = "NAME@VERSION", description = "What to publish it as: fees.add@1.0.0.") String as,
            @Parameters(paramLabel = "SCRIPT", description = "JavaScript (.js) or TypeScript (.ts).") String script,
            @Option(names = "--tests", paramLabel = "FILE", description = "Tests that must pass.") @Nullable String tests,
            @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.") @Nullable String description,
            @Option(names = "--tool", paramLabel = "PATTERN", description = "A tool it needs; may be repeated.")
                    @Nullable List<String> tools,
            @Option(names = "--input-schema", paramLabel = "JSON|@FILE", description = "What its args must be like.")
                    @Nullable String input,
            @Option(names = "--output-schema", paramLabel = "JSON|@FILE", description = "What its result must be like.")
                    @Nullable String output) {
        Surroundings surroundings = sallyport.surroundings();
        Named named = Named.of(as);
        SourceFile file = new SourceFile(script);
        String code = file.text(surroundings);
        ObjectNode body = Json.object().put("name", named.name()).put("version", named.exactly());
        body.put("code", code).put("language", file.language());
        Optional<SourceFile> testFile = Optional.ofNullable(tests).map(SourceFile::new);
        testFile.ifPresent(given -> body.put("tests", given.text(surroundings)));
        if (description != null) {
            body.put("description", description);
        }
        if (tools != null) {
            tools.forEach(body.putArray("tools")::add);
        }
        Submission.given("--input-schema", input, surroundings).ifPresent(value -> body.set("inputSchema", value));
        Submission.given("--output-schema", output, surroundings).ifPresent(value -> body.set("outputSchema", value));
        try {
            return shown(sallyport.service().api().publish(body));
        } catch (ProblemException e) {
            throw refusal(e.problem(), code, file, testFile);
        }
    }

    private RuntimeException refusal(Problem problem, String code, SourceFile file, Optional<SourceFile> tests) {
        if (problem.kind().equals("tests-failed") && !sallyport.json()) {
            new TestReportLines(sallyport.terminal()).show(problem.json().path("report"));
        }
        boolean inTests = Json.text(problem.json(), "member").equals("tests");
        return inTests && tests.isPresent()
                ? new Refusal(problem, Optional.empty(), tests.get().name())
                : new Refusal(problem, Optional.of(code), file.name());
    }

    @Command(
            name = "promote",
            mixinStandardHelpOptions = true,
            description = "Publishes the script of a run that went well, with a test made of what was recorded.")
    int promote(
            @Parameters(paramLabel = "ID", description = "The execution.") String id,
            @Parameters(paramLabel = "NAME@VERSION", description = "What to publish it as: fees.add@1.0.0.") String as,
            @Option(names = "--no-test", description = "Without the test.") boolean untested) {
        Named named = Named.of(as);
        ObjectNode body = Json.object().put("name", named.name()).put("version", named.exactly());
        body.put("recordedTest", !untested);
        try {
            return shown(sallyport.service().api().promote(id, body));
        } catch (ProblemException e) {
            if (e.problem().kind().equals("tests-failed") && !sallyport.json()) {
                new TestReportLines(sallyport.terminal())
                        .show(e.problem().json().path("report"));
            }
            throw e;
        }
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists what is published.")
    int list(
            @Parameters(arity = "0..1", paramLabel = "WORD", description = "Only what has it in name or description.")
                    @Nullable String word,
            @Option(names = "--broken", description = "Only what would break, since tools are not what they were.")
                    boolean broken) {
        String having = word == null ? "" : word;
        SallyportApi api = sallyport.service().api();
        ObjectNode page = broken ? api.brokenCapabilities(having) : api.capabilities(having);
        if (sallyport.json()) {
            sallyport.answer(page);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (broken) {
            brokenOf(page).lines(terminal.look().columns()).forEach(terminal::answer);
            return Exit.COMPLETED.code();
        }
        Table table = new Table("NAME", "STABLE", "LATEST", "DESCRIPTION");
        page.path("items")
                .forEach(item -> table.row(
                        Json.text(item, "name"),
                        Json.text(item, "stable"),
                        Json.text(item, "latest"),
                        Json.text(item, "description")));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }

    private static Table brokenOf(ObjectNode page) {
        Table table = new Table("NAME", "TOOL", "KIND", "REASON");
        for (JsonNode item : page.path("items")) {
            for (JsonNode version : item.path("broken")) {
                version.path("breaches")
                        .forEach(breach -> table.row(
                                Json.text(item, "name") + "@" + Json.text(version, "version"),
                                Json.text(breach, "tool"),
                                Json.text(breach, "kind"),
                                Json.text(breach, "reason")));
            }
        }
        return table;
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows the versions of a name, or one version.")
    int show(
            @Parameters(paramLabel = "NAME[@VERSION]", description = "fees.add, fees.add@1.0.0 or fees.add@stable.")
                    String which) {
        Named named = Named.of(which);
        return shown(sallyport.service().api().capability(named.name(), named.version()));
    }

    @Command(
            name = "deprecate",
            mixinStandardHelpOptions = true,
            description = "Takes a version out of 'latest' and 'stable'.")
    int deprecate(
            @Parameters(paramLabel = "NAME@VERSION", description = "The version.") String which,
            @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for people.") @Nullable String reason) {
        Named named = Named.of(which);
        return shown(sallyport.service().api().deprecate(named.name(), named.exactly(), reason == null ? "" : reason));
    }

    private int shown(ObjectNode document) {
        if (sallyport.json()) {
            sallyport.answer(document);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (document.has("versions")) {
            Table table = new Table("VERSION", "PUBLISHED", "", "HASH");
            for (JsonNode each : document.path("versions")) {
                table.row(
                        Json.text(each, "version"),
                        Json.text(each, "publishedAt"),
                        each.path("deprecated").asBoolean() ? "deprecated" : "",
                        Json.text(each, "hash"));
            }
            table.lines(terminal.look().columns()).forEach(terminal::answer);
            return Exit.COMPLETED.code();
        }
        terminal.answer(Json.text(document, "name") + "@" + Json.text(document, "version") + "  "
                + Json.text(document, "hash"));
        document.properties().stream()
                .filter(member -> !List.of("name", "version", "hash", "links").contains(member.getKey()))
                .forEach(member -> terminal.note("  " + Visible.line(member.getKey()) + ": "
                        + Visible.line(
                                member.getValue().isTextual()
                                        ? member.getValue().asText()
                                        : Json.compact(member.getValue()))));
        return Exit.COMPLETED.code();
    }
}
