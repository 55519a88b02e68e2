package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Seed;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Scripts that end, pass their limit and are cancelled all at about the same time, seen as callers see it. */
@ExtendWith(Servers.class)
class RacesIT {
    private static final int RACES = Integer.getInteger("races", 100);
    private static final int CALLERS = 8;
    private static final int MILLIS = 150;
    private static final Set<String> TERMINAL = Set.of("COMPLETED", "CANCELLED", "TIMED_OUT");

    private final Api api;

    RacesIT(Api api) {
        this.api = api;
    }

    /** @param limit wall-clock limit, in milliseconds; @param patience of the caller, until it cancels */
    private record Race(int sleep, int limit, int patience) {
        static Race of(Random random) {
            return new Race(
                    MILLIS - 5 + random.nextInt(10),
                    // Counted from the claim, before the script begins to sleep.
                    MILLIS + random.nextInt(30),
                    // Counted from the answer to the submission.
                    MILLIS - 10 + random.nextInt(40));
        }
    }

    @Test
    void aCancelThatWasAcceptedCancelsAndOneThatWasRefusedCameTooLate() throws Exception {
        Seed seed = Seed.asAsked("races");
        Random random = seed.random();
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        List<Future<String>> ends = new ArrayList<>();
        try {
            for (int i = 0; i < RACES; i++) {
                Race race = Race.of(random);
                ends.add(callers.submit(() -> run(race)));
            }
            Map<String, Integer> states = new TreeMap<>();
            for (Future<String> end : ends) {
                states.merge(end.get(120, TimeUnit.SECONDS), 1, Integer::sum);
            }
            System.out.println("races: " + states);
        } finally {
            callers.shutdownNow();
        }
    }

    private String run(Race race) throws InterruptedException {
        String id = api.submit(Submission.javascript("await sleep(" + race.sleep() + "); return 1;")
                .limit("wallMillis", race.limit()));
        Thread.sleep(race.patience());
        Answer answer = api.cancel(id);
        JsonNode ended = api.awaitEnd(id);
        String state = ended.path("state").asText();
        String what = race + " was answered " + answer + " and ended as " + ended;
        assertThat(TERMINAL).as(what).contains(state);
        if (answer.status() == 202) {
            assertThat(state).as(what).isEqualTo("CANCELLED");
        } else {
            assertThat(answer.status()).as(what).isEqualTo(409);
            assertThat(answer.json().path("state").asText())
                    .as(what)
                    .isEqualTo(state)
                    .isNotEqualTo("CANCELLED");
        }
        assertThat(api.trace(id).stream()
                        .map(event -> event.path("state").asText())
                        .filter(TERMINAL::contains))
                .as(what)
                .containsExactly(state);
        assertThat(api.execution(id)).isEqualTo(ended);
        return state;
    }
}
