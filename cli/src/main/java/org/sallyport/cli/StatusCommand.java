package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.local.ReadinessProbe.HealthCheckResult;
import org.sallyport.cli.local.ReadinessProbe.ReadinessStatus;
import org.sallyport.cli.local.ReadinessProbe.ServiceHealth;
import org.sallyport.cli.local.ServerProcessRecord;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle.TextColor;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;

/** {@code status}: shows whether the service responds and is ready. */
@Command(
        name = "status",
        description = "Shows whether the service runs and is healthy. Exit code 0 if it is, 5 if not.")
final class StatusCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    StatusCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ServiceLocator service = sallyport.service();
        URI url = service.url();
        ServiceHealth health = service.readinessProbe().check(url, service.keyFor(url));
        Optional<ServerProcessRecord> process =
                service.findRunning().filter(entry -> entry.url().equals(url));
        long workers = process.isPresent() ? countWorkers(service) : 0;
        if (sallyport.json()) {
            sallyport.printJson(toJson(url, health, process, workers));
        } else {
            printStatus(url, health, process, workers);
        }
        return (health.isReady() ? ExitCode.COMPLETED : ExitCode.UNREACHABLE).code();
    }

    private void printStatus(URI url, ServiceHealth health, Optional<ServerProcessRecord> process, long workers) {
        Terminal terminal = sallyport.terminal();
        String word = health.status() == ReadinessStatus.SILENT && process.isEmpty() ? "not running" : health.summary();
        terminal.printResult("service    " + url + "  " + word);
        process.ifPresent(entry -> {
            terminal.printResult("process    " + entry.pid() + ", since " + entry.startedAt());
            terminal.printResult("workers    " + workers);
            terminal.printResult(
                    "data       " + sallyport.environment().serverSettings().dataDirectory());
        });
        version(health).ifPresent(version -> terminal.printResult("version    " + version));
        for (HealthCheckResult check : health.checks()) {
            String data = check.data().isEmpty() ? "" : "  " + ApiJson.compact(check.data());
            terminal.printResult("check      " + (check.up() ? "up    " : "down  ")
                    + TerminalTextEscaper.escapeLine(check.name() + data));
        }
        if (!health.isReady()) {
            terminal.printNote(terminal.style().paint(TextColor.CAUTION, "Not ready.") + " "
                    + sallyport.service().startAdvice());
        }
    }

    private static ObjectNode toJson(
            URI url, ServiceHealth health, Optional<ServerProcessRecord> process, long workers) {
        ObjectNode json = ApiJson.object()
                .put("url", url.toString())
                .put("ready", health.isReady())
                .put("summary", health.summary());
        process.ifPresent(entry -> json.put("pid", entry.pid())
                .put("since", entry.startedAt().toString())
                .put("workers", workers));
        version(health).ifPresent(version -> json.put("version", version));
        ArrayNode checks = json.putArray("checks");
        for (HealthCheckResult check : health.checks()) {
            checks.addObject().put("name", check.name()).put("up", check.up()).set("data", check.data());
        }
        return json;
    }

    private static Optional<String> version(ServiceHealth health) {
        return health.checks().stream()
                .map(check -> check.data().path("version").asText(""))
                .filter(version -> !version.isEmpty())
                .findFirst();
    }

    private static long countWorkers(ServiceLocator service) {
        try {
            return service.localServer().countWorkers();
        } catch (IOException e) {
            return 0;
        }
    }
}
