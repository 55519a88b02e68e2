package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.local.Readiness.Check;
import org.sallyport.cli.local.Readiness.Health;
import org.sallyport.cli.local.Readiness.Status;
import org.sallyport.cli.local.ServerRecord;
import org.sallyport.cli.terminal.Look.Paint;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;

/** {@code status}: whether the service is there and well. */
@Command(name = "status", description = "Shows whether the service runs and is well. Exit code 0 if it is, 5 if not.")
final class StatusCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    StatusCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Service service = sallyport.service();
        URI url = service.url();
        Health health = service.readiness().of(url, service.key(url));
        Optional<ServerRecord> process =
                service.running().filter(entry -> entry.url().equals(url));
        long workers = process.isPresent() ? workers(service) : 0;
        if (sallyport.json()) {
            sallyport.answer(json(url, health, process, workers));
        } else {
            show(url, health, process, workers);
        }
        return (health.ready() ? Exit.COMPLETED : Exit.UNREACHABLE).code();
    }

    private void show(URI url, Health health, Optional<ServerRecord> process, long workers) {
        Terminal terminal = sallyport.terminal();
        String word = health.status() == Status.SILENT && process.isEmpty() ? "not running" : health.summary();
        terminal.answer("service    " + url + "  " + word);
        process.ifPresent(entry -> {
            terminal.answer("process    " + entry.pid() + ", since " + entry.started());
            terminal.answer("workers    " + workers);
            terminal.answer(
                    "data       " + sallyport.surroundings().serverSettings().data());
        });
        version(health).ifPresent(version -> terminal.answer("version    " + version));
        for (Check check : health.checks()) {
            String data = check.data().isEmpty() ? "" : "  " + Json.compact(check.data());
            terminal.answer("check      " + (check.up() ? "up    " : "down  ") + Visible.line(check.name() + data));
        }
        if (!health.ready()) {
            terminal.note(terminal.look().paint(Paint.CAUTION, "Not ready.") + " "
                    + sallyport.service().startAdvice());
        }
    }

    private static ObjectNode json(URI url, Health health, Optional<ServerRecord> process, long workers) {
        ObjectNode json = Json.object()
                .put("url", url.toString())
                .put("ready", health.ready())
                .put("summary", health.summary());
        process.ifPresent(entry -> json.put("pid", entry.pid())
                .put("since", entry.started().toString())
                .put("workers", workers));
        version(health).ifPresent(version -> json.put("version", version));
        ArrayNode checks = json.putArray("checks");
        for (Check check : health.checks()) {
            checks.addObject().put("name", check.name()).put("up", check.up()).set("data", check.data());
        }
        return json;
    }

    private static Optional<String> version(Health health) {
        return health.checks().stream()
                .map(check -> check.data().path("version").asText(""))
                .filter(version -> !version.isEmpty())
                .findFirst();
    }

    private static long workers(Service service) {
        try {
            return service.local().workers();
        } catch (IOException e) {
            return 0;
        }
    }
}
