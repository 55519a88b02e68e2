package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblem;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code capability}: publishes scripts under a name and a version, and manages the published versions. */
@Command(
        name = "capability",
        description = "Publishes scripts as capabilities, under a name and a version, and lists them.",
        synopsisSubcommandLabel = "COMMAND")
final class CapabilityCommand implements Runnable {
    private final SallyportCommand sallyport;

    @Spec
    private @Nullable CommandSpec spec;

    CapabilityCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "Name a command: publish, promote, list, show or deprecate.");
        }
    }

    /** The name of a capability, and a version if the text contains {@code @}. */
    private record CapabilityReference(String name, Optional<String> version) {
        static CapabilityReference of(String text) {
            int at = text.indexOf('@');
            return at < 0
                    ? new CapabilityReference(text, Optional.empty())
                    : new CapabilityReference(text.substring(0, at), Optional.of(text.substring(at + 1)));
        }

        String requireVersion() {
            return version.orElseThrow(() -> new CommandException(
                    ExitCode.USAGE, "'" + name + "' needs a version.", "Write for example: " + name + "@1.0.0"));
        }
    }

    @Command(
            name = "publish",
            mixinStandardHelpOptions = true,
            description = "Publishes a script if its tests pass. A published version never changes.")
    int publish(
            @Parameters(paramLabel = "NAME@VERSION", description = "Name and version, as fees.add@1.0.0.") String as,
            @Parameters(paramLabel = "SCRIPT", description = "JavaScript (.js) or TypeScript (.ts).") String script,
            @Option(
                            names = "--tests",
                            paramLabel = "FILE",
                            description = "File with tests that must pass before the version is published.")
                    @Nullable String tests,
            @Option(
                            names = "--description",
                            paramLabel = "TEXT",
                            description = "Description that people and agents read in lists.")
                    @Nullable String description,
            @Option(
                            names = "--tool",
                            paramLabel = "PATTERN",
                            description = "A tool that the script calls; may be repeated.")
                    @Nullable List<String> tools,
            @Option(
                            names = "--env",
                            paramLabel = "NAME",
                            description = "A variable that the script needs; may be repeated.")
                    @Nullable List<String> env,
            @Option(names = "--input-schema", paramLabel = "JSON|@FILE", description = "JSON Schema of the args.")
                    @Nullable String input,
            @Option(names = "--output-schema", paramLabel = "JSON|@FILE", description = "JSON Schema of the result.")
                    @Nullable String output,
            @Option(
                            names = "--sandbox",
                            paramLabel = "MODE",
                            description = "Where it runs: process, or in-process for an admin where that is allowed.")
                    @Nullable String sandbox) {
        CliEnvironment surroundings = sallyport.environment();
        CapabilityReference named = CapabilityReference.of(as);
        SourceFile file = new SourceFile(script);
        String code = file.read(surroundings);
        ObjectNode body = ApiJson.object().put("name", named.name()).put("version", named.requireVersion());
        body.put("code", code).put("language", file.language().orElse("javascript"));
        Optional<SourceFile> testFile = Optional.ofNullable(tests).map(SourceFile::new);
        testFile.ifPresent(given -> body.put("tests", given.read(surroundings)));
        if (description != null) {
            body.put("description", description);
        }
        if (tools != null) {
            tools.forEach(body.putArray("tools")::add);
        }
        if (env != null) {
            env.forEach(body.putArray("env")::add);
        }
        if (sandbox != null) {
            body.put("sandbox", sandbox);
        }
        ExecutionOptions.parseJsonOption("--input-schema", input, surroundings)
                .ifPresent(value -> body.set("inputSchema", value));
        ExecutionOptions.parseJsonOption("--output-schema", output, surroundings)
                .ifPresent(value -> body.set("outputSchema", value));
        try {
            return print(sallyport.service().api().publish(body));
        } catch (ApiProblemException e) {
            throw toRejection(e.problem(), code, file, testFile);
        }
    }

    private RuntimeException toRejection(ApiProblem problem, String code, SourceFile file, Optional<SourceFile> tests) {
        if (problem.kind().equals("tests-failed") && !sallyport.json()) {
            new TestReportPrinter(sallyport.terminal()).print(problem.json().path("report"));
        }
        boolean inTests = ApiJson.text(problem.json(), "member").equals("tests");
        return inTests && tests.isPresent()
                ? new ScriptRejection(problem, Optional.empty(), tests.get().name())
                : new ScriptRejection(problem, Optional.of(code), file.name());
    }

    @Command(
            name = "promote",
            mixinStandardHelpOptions = true,
            description = "Publishes the script of a completed execution, with a test from its recorded calls.")
    int promote(
            @Parameters(paramLabel = "ID", description = "The execution.") String id,
            @Parameters(paramLabel = "NAME@VERSION", description = "Name and version, as fees.add@1.0.0.") String as,
            @Option(names = "--no-test", description = "Publish without this test.") boolean untested) {
        CapabilityReference named = CapabilityReference.of(as);
        ObjectNode body = ApiJson.object().put("name", named.name()).put("version", named.requireVersion());
        body.put("recordedTest", !untested);
        try {
            return print(sallyport.service().api().promote(id, body));
        } catch (ApiProblemException e) {
            if (e.problem().kind().equals("tests-failed") && !sallyport.json()) {
                new TestReportPrinter(sallyport.terminal())
                        .print(e.problem().json().path("report"));
            }
            throw e;
        }
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the published capabilities.")
    int list(
            @Parameters(arity = "0..1", paramLabel = "WORD", description = "Only those with it in name or description.")
                    @Nullable String word,
            @Option(names = "--broken", description = "Only those that would fail because their tools have changed.")
                    boolean broken) {
        String having = word == null ? "" : word;
        SallyportApiClient api = sallyport.service().api();
        ObjectNode page = broken ? api.brokenCapabilities(having) : api.capabilities(having);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (broken) {
            terminal.printTable(brokenTable(page));
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable("NAME", "STABLE", "LATEST", "SUBMITTED BY", "DESCRIPTION");
        page.path("items")
                .forEach(item -> table.addRow(
                        ApiJson.text(item, "name"),
                        ApiJson.text(item, "stable"),
                        ApiJson.text(item, "latest"),
                        ApiJson.text(item, "submittedBy"),
                        ApiJson.text(item, "description")));
        terminal.printTable(table);
        return ExitCode.COMPLETED.code();
    }

    private static TerminalTable brokenTable(ObjectNode page) {
        TerminalTable table = new TerminalTable("NAME", "TOOL", "KIND", "REASON");
        for (JsonNode item : page.path("items")) {
            for (JsonNode version : item.path("broken")) {
                version.path("breaches")
                        .forEach(breach -> table.addRow(
                                ApiJson.text(item, "name") + "@" + ApiJson.text(version, "version"),
                                ApiJson.text(breach, "tool"),
                                ApiJson.text(breach, "kind"),
                                ApiJson.text(breach, "reason")));
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
        CapabilityReference named = CapabilityReference.of(which);
        return print(sallyport.service().api().capability(named.name(), named.version()));
    }

    @Command(
            name = "deprecate",
            mixinStandardHelpOptions = true,
            description = "Deprecates a version: 'latest' and 'stable' no longer select it.")
    int deprecate(
            @Parameters(paramLabel = "NAME@VERSION", description = "The version.") String which,
            @Option(
                            names = "--reason",
                            paramLabel = "TEXT",
                            description = "Reason for the deprecation, shown to users of the version.")
                    @Nullable String reason) {
        CapabilityReference named = CapabilityReference.of(which);
        return print(sallyport
                .service()
                .api()
                .deprecate(named.name(), named.requireVersion(), reason == null ? "" : reason));
    }

    private int print(ObjectNode document) {
        if (sallyport.json()) {
            sallyport.printJson(document);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (document.has("versions")) {
            TerminalTable table = new TerminalTable("VERSION", "PUBLISHED", "SUBMITTED BY", "", "HASH");
            for (JsonNode each : document.path("versions")) {
                table.addRow(
                        ApiJson.text(each, "version"),
                        ApiJson.text(each, "publishedAt"),
                        ApiJson.text(each, "submittedBy"),
                        each.path("deprecated").asBoolean() ? "deprecated" : "",
                        ApiJson.text(each, "hash"));
            }
            terminal.printTable(table);
            return ExitCode.COMPLETED.code();
        }
        terminal.printResult(ApiJson.text(document, "name") + "@" + ApiJson.text(document, "version") + "  "
                + ApiJson.text(document, "hash"));
        document.properties().stream()
                .filter(member -> !List.of("name", "version", "hash", "links").contains(member.getKey()))
                .forEach(member -> terminal.printNote("  " + TerminalTextEscaper.escapeLine(member.getKey()) + ": "
                        + TerminalTextEscaper.escapeLine(
                                member.getValue().isTextual()
                                        ? member.getValue().asText()
                                        : ApiJson.compact(member.getValue()))));
        return ExitCode.COMPLETED.code();
    }
}
