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
import org.sallyport.it.harness.RandomSeed;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Scripts that return, exceed their time limit and are cancelled at about the same time, as seen by callers. */
@ExtendWith(ServerExtension.class)
class CancelRaceIT {
    private static final int RACES = Integer.getInteger("races", 100);
    private static final int CALLERS = 8;
    private static final int RACE_MILLIS = 150;
    private static final Set<String> TERMINAL = Set.of("COMPLETED", "CANCELLED", "TIMED_OUT");

    private final RestClient api;

    CancelRaceIT(RestClient api) {
        this.api = api;
    }

    /**
     * @param sleepMillis how long the script sleeps, in milliseconds
     * @param wallMillis wall-clock limit, in milliseconds
     * @param cancelAfterMillis delay of the caller before it cancels, in milliseconds
     */
    private record CancelRace(int sleepMillis, int wallMillis, int cancelAfterMillis) {
        static CancelRace of(Random random) {
            return new CancelRace(
                    RACE_MILLIS - 5 + random.nextInt(10),
                    // Counted from the claim, before the script begins to sleep.
                    RACE_MILLIS + random.nextInt(30),
                    // Counted from the response to the submission.
                    RACE_MILLIS - 10 + random.nextInt(40));
        }
    }

    @Test
    void acceptedCancelCancelsAndRefusedCancelCameTooLate() throws Exception {
        RandomSeed seed = RandomSeed.fromProperty("races");
        Random random = seed.random();
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        List<Future<String>> ends = new ArrayList<>();
        try {
            for (int i = 0; i < RACES; i++) {
                CancelRace race = CancelRace.of(random);
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

    private String run(CancelRace race) throws InterruptedException {
        String id = api.submit(SubmissionBody.javascript("await sleep(" + race.sleepMillis() + "); return 1;")
                .limit("wallMillis", race.wallMillis()));
        Thread.sleep(race.cancelAfterMillis());
        RestResponse answer = api.cancel(id);
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
        assertThat(api.getTrace(id).stream()
                        .map(event -> event.path("state").asText())
                        .filter(TERMINAL::contains))
                .as(what)
                .containsExactly(state);
        assertThat(api.getExecution(id)).isEqualTo(ended);
        return state;
    }
}
