package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.SallyportApiClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code test}: runs the tests of a script and prints one line per test. */
@Command(
        name = "test",
        description = {
            "Runs the tests of a script in the sandbox and shows the result of each.",
            "Starts the service on this machine if none answers."
        })
final class TestCommand implements Callable<Integer> {
    private static final Duration LONG_POLL_WAIT = Duration.ofSeconds(20);

    private final SallyportCommand sallyport;

    @Parameters(
            index = "0..1",
            arity = "1..2",
            paramLabel = "[SCRIPT] TESTS",
            hideParamSyntax = true,
            description = {
                "The script, JavaScript (.js) or TypeScript (.ts), and the file that calls test, assert and mock.",
                "Without a script, the tests stand alone."
            })
    private List<String> files = List.of();

    @Option(names = "--args", paramLabel = "JSON|@FILE", description = "Input of main in calls without arguments.")
    private @Nullable String args;

    @Option(
            names = "--grant",
            paramLabel = "PATTERN",
            description = "Tools that calls without a mock may reach; may be repeated. Without it: none.")
    private List<String> grants = List.of();

    @Option(names = "--timeout", paramLabel = "TIME", description = "Maximum time of all tests: 500ms, 30s, 5m.")
    private @Nullable String timeout;

    TestCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        CliEnvironment surroundings = sallyport.environment();
        SourceFile scriptFile = new SourceFile(files.get(0));
        SourceFile testsFile = new SourceFile(files.get(files.size() - 1));
        String code = scriptFile.read(surroundings);
        String testCode = files.size() == 1 ? code : testsFile.read(surroundings);
        ObjectNode body = ApiJson.object().put("tests", testCode);
        if (files.size() > 1) {
            body.put("code", code);
        }
        Set<String> languages = Stream.of(scriptFile, testsFile)
                .flatMap(file -> file.language().stream())
                .collect(Collectors.toSet());
        if (!languages.isEmpty()) {
            body.put("language", languages.contains("typescript") ? "typescript" : "javascript");
        }
        ExecutionOptions.parseJsonOption("--args", args, surroundings).ifPresent(value -> body.set("args", value));
        grants.forEach(grant -> body.withArray("grants").add(grant));
        if (timeout != null) {
            body.putObject("limits").put("wallMillis", ExecutionOptions.parseTimeoutMillis(timeout));
        }
        SallyportApiClient api = sallyport.service().startedApi();
        JsonNode report;
        try {
            report = awaitReport(api, api.runTests(body));
        } catch (ApiProblemException e) {
            boolean inTests = ApiJson.text(e.problem().json(), "member").equals("tests");
            throw new ScriptRejection(
                    e.problem(), Optional.of(inTests ? testCode : code), (inTests ? testsFile : scriptFile).name());
        }
        printReport(report);
        return (report.path("success").asBoolean() ? ExitCode.COMPLETED : ExitCode.FAILED).code();
    }

    private static JsonNode awaitReport(SallyportApiClient api, JsonNode first) {
        JsonNode report = first;
        while (List.of("PENDING", "RUNNING", "WAITING").contains(ApiJson.text(report, "state"))) {
            String execution = ApiJson.text(report, "execution");
            report = CliRetryPolicy.retry(() -> api.testReport(execution, LONG_POLL_WAIT));
        }
        return report;
    }

    private void printReport(JsonNode report) {
        if (sallyport.json()) {
            sallyport.printJson(report);
            return;
        }
        new TestReportPrinter(sallyport.terminal()).print(report);
    }
}
