package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.SallyportServer;

/** One run: load, deaths, rest, comparison. */
final class Chaos {
    /** So long it is looked whether all ends; what is promised is less. */
    private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(4);
    /** So soon after the last start all has ended, where nothing else keeps the machine busy. */
    private static final Duration PROMISED = Duration.ofSeconds(60);

    private final Plan plan;
    private final Installation installation;
    private final List<Books> earlier = new ArrayList<>();

    Chaos(Plan plan, Installation installation) {
        this.plan = plan;
        this.installation = installation;
    }

    /** All of it; what was found. */
    Findings run() throws InterruptedException {
        SallyportServer server = installation.server();
        Load load = Load.begin(plan.seed(), server::api);
        Pace pace = Pace.of(load::timed);
        Killer killer = new Killer(installation, load, new Random(plan.seed()));
        try (load) {
            for (int kill = 0; kill < plan.kills(); kill++) {
                killer.kill();
                if (kill == plan.kills() - 1) {
                    load.finish();
                } else if (killer.alsoWhileItStarts()) {
                    kill++;
                    server.begin();
                    killer.killWhileItStarts();
                }
                earlier.add(installation.read());
                server.begin();
                server.awaitReady();
            }
        }
        long ready = System.nanoTime();
        Map<String, Job> accepted = load.accepted();
        Map<String, JsonNode> ended = atRest(server.api(), accepted, ready);
        List<String> unfinished = unfinished(accepted, ended);
        Findings.Rest rest = new Findings.Rest(Duration.ofNanos(System.nanoTime() - ready), pace.within(PROMISED));
        // The last one that was timed has ended, too.
        accepted = load.accepted();
        List<String> changed = new ArrayList<>();
        ended.forEach((id, was) -> {
            JsonNode is = server.api().execution(id);
            if (!is.equals(was)) {
                changed.add("was " + was + " and is " + is);
            }
        });
        List<String> leftovers = killer.leftovers();
        server.kill();
        Books books = installation.read();
        changed.addAll(Comparison.changed(earlier, books));
        changed.addAll(installation.changes());
        Comparison comparison =
                new Comparison(accepted, books, installation.armoury().calls());
        ended.forEach(comparison::ended);
        return new Findings(plan, killer.deaths(), load, comparison, changed, unfinished, leftovers, rest);
    }

    /** Those that have ended, as they first looked. */
    private static Map<String, JsonNode> atRest(Api api, Map<String, Job> accepted, long ready)
            throws InterruptedException {
        Map<String, JsonNode> ended = new LinkedHashMap<>();
        List<String> open = new ArrayList<>(accepted.keySet());
        while (!open.isEmpty() && System.nanoTime() - ready < REST_NANOS) {
            for (String id : List.copyOf(open)) {
                Answer answer = api.get(Api.EXECUTIONS + "/" + id);
                if (answer.status() == 404) {
                    open.remove(id); // the comparison finds it missing
                } else if (Api.ended(answer.expect(200).json())) {
                    ended.put(id, answer.json());
                    open.remove(id);
                }
            }
            Thread.sleep(200);
        }
        return ended;
    }

    private static List<String> unfinished(Map<String, Job> accepted, Map<String, JsonNode> ended) {
        return accepted.keySet().stream().filter(id -> !ended.containsKey(id)).toList();
    }
}
