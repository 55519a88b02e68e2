package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.NewSchedule;
import org.sallyport.schedule.SaveResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Trigger;
import org.sallyport.tool.Json;
import org.sallyport.variable.UnsetVariable;

class ScheduleDispatcherTest {
    private static final Instant DUE = Instant.parse("2026-06-08T18:00:00Z");
    private static final UnsetVariable KEY_MISSING = new UnsetVariable("KEY", Optional.of("weather-key"), true);
    private static final UnsetVariable SECRET_MISSING = new UnsetVariable("KEY", Optional.of("weather-key"));
    private static final UnsetVariable NOT_SET = new UnsetVariable("REGION", Optional.empty());

    private static final ScheduleRows ROWS = new ScheduleRows(new UUID(8, 8), "text/csv", 10, "hash", 1, 0, "key", DUE);

    private final RecordingScheduleStore store = new RecordingScheduleStore();
    private final List<String> batches = new ArrayList<>();

    private void fireDue(SubmissionResult refusal) {
        new ScheduleDispatcher(
                        Configuration.read(Map.of(), Map.of()),
                        store,
                        new ApiKeyService(new OwnerKeyStore(), InstantSource.system(), new SecureRandom()),
                        (owner, request) ->
                                CompletableFuture.completedFuture(new PreparedExecution.ExecutionRefused(refusal)),
                        new JobDispatcher(new UnusedMessageSender(), Thread::new, 0, 1, tenant -> 1),
                        (tenant, execution) -> {
                            throw new AssertionError("nothing is cancelled");
                        },
                        (schedule, turn, owner) -> batches.add(turn.at() + " by " + owner.id()),
                        new Random(7))
                .fireDue();
    }

    static Stream<Arguments> transientRefusals() {
        return Stream.of(
                Arguments.of(
                        new SubmissionResult.VariablesNotSet("c@1.0.0", List.of(KEY_MISSING)),
                        "the secret 'weather-key' of the variable 'KEY' is encrypted with a key that a node"),
                Arguments.of(new SubmissionResult.ScriptCheckUnavailable("full"), "no sandbox can check its script"));
    }

    @ParameterizedTest
    @MethodSource("transientRefusals")
    void scheduleThatCannotRunOnThisNodeNowIsTriedAgain(SubmissionResult refusal, String reason) {
        fireDue(refusal);

        assertThat(store.pauses).isEmpty();
        assertThat(store.delays).singleElement().asString().startsWith(reason);
        assertThat(store.waits)
                .singleElement()
                .satisfies(wait -> assertThat(wait).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(7)));
    }

    static Stream<Arguments> permanentRefusals() {
        return Stream.of(
                Arguments.of(
                        new SubmissionResult.VariablesNotSet("c@1.0.0", List.of(SECRET_MISSING)),
                        "the secret 'weather-key' of the variable 'KEY' is not stored"),
                Arguments.of(
                        new SubmissionResult.VariablesNotSet("c@1.0.0", List.of(KEY_MISSING, NOT_SET)),
                        "the variable 'REGION' is not set"),
                Arguments.of(
                        new SubmissionResult.VariablesTooLarge("c@1.0.0", 10),
                        "the variables of 'c@1.0.0' have together more than 10 characters"));
    }

    @ParameterizedTest
    @MethodSource("permanentRefusals")
    void scheduleThatNoNodeCanRunIsPaused(SubmissionResult refusal, String reason) {
        fireDue(refusal);

        assertThat(store.delays).isEmpty();
        assertThat(store.pauses).singleElement().asString().contains(reason);
    }

    @Test
    void scheduleOfADeletedKeyIsPaused() {
        store.owner = "gone";
        fireDue(new SubmissionResult.ScriptCheckUnavailable("full"));

        assertThat(store.pauses).containsExactly("the key of its owner is no longer valid");
    }

    @Test
    void batchIsSubmittedInTheNameOfTheOwner() {
        store.runsBatch = true;
        store.rows = Optional.of(ROWS);
        fireDue(new SubmissionResult.ScriptCheckUnavailable("full"));

        assertThat(batches).containsExactly(DUE + " by key");
        assertThat(store.pauses).isEmpty();
    }

    @Test
    void timeOfABatchWithoutRowsIsSkipped() {
        store.runsBatch = true;
        fireDue(new SubmissionResult.ScriptCheckUnavailable("full"));

        assertThat(batches).isEmpty();
        assertThat(store.skips).containsExactly(Schedule.SkipReason.NO_ROWS);
    }

    /** Has one schedule that is due, and records how it is handled. */
    private static final class RecordingScheduleStore implements ScheduleStore {
        private final List<String> pauses = new ArrayList<>();
        private final List<String> delays = new ArrayList<>();
        private final List<Duration> waits = new ArrayList<>();
        private final List<Schedule.SkipReason> skips = new ArrayList<>();
        private String owner = "key";
        private boolean runsBatch;
        private Optional<ScheduleRows> rows = Optional.empty();

        @Override
        public List<DueSchedule> findDue(int limit) {
            return List.of(new DueSchedule(schedule(owner, runsBatch, rows), DUE));
        }

        @Override
        public void postpone(Schedule seen, Duration wait, String reason) {
            delays.add(reason);
            waits.add(wait);
        }

        @Override
        public void pauseIfUnchanged(Schedule seen, String reason) {
            pauses.add(reason);
        }

        @Override
        public SaveResult create(NewSchedule schedule, int maxSchedules) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SaveResult replace(NewSchedule schedule) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Schedule> find(String tenant, ScheduleId id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Schedule> list(String tenant, Optional<ScheduleId> before, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean delete(String tenant, ScheduleId id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean pause(String tenant, ScheduleId id, String reason) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean resume(String tenant, ScheduleId id, String newOwner) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FireResult fire(Schedule seen, FireDecision.FireNow turn, NewExecution execution, Duration hold) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void skip(Schedule seen, FireDecision.SkipFire turn, Schedule.SkipReason reason) {
            skips.add(reason);
        }

        @Override
        public boolean runNow(String tenant, ScheduleId id, NewExecution execution) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ScheduleRun> listRuns(ScheduleId id, Optional<ExecutionId> before, int limit) {
            throw new UnsupportedOperationException();
        }
    }

    private static Schedule schedule(String owner, boolean runsBatch, Optional<ScheduleRows> rows) {
        return new Schedule(
                new ScheduleId(new UUID(7, 7)),
                "acme",
                owner,
                owner,
                "nightly",
                new Trigger.IntervalTrigger(Duration.ofHours(1), DUE.minus(Duration.ofHours(1))),
                ConcurrencyPolicy.SKIP,
                MisfirePolicy.LAST,
                new Json("{\"capability\":\"c\",\"durability\":\"journal\"}"),
                Optional.empty(),
                DUE,
                false,
                Optional.empty(),
                Optional.empty(),
                0,
                DUE.minus(Duration.ofHours(1)),
                Optional.empty(),
                runsBatch,
                rows,
                Optional.empty());
    }

    /** Knows the key of the owner. */
    private static final class OwnerKeyStore implements ApiKeyStore {
        @Override
        public Optional<ApiKey> find(String id) {
            return id.equals("key")
                    ? Optional.of(new ApiKey("key", "acme", "owner", "hash", Set.of(Role.SUBMITTER), Optional.empty()))
                    : Optional.empty();
        }

        @Override
        public void put(ApiKey key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remove(String tenant, String id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ApiKey> list(String tenant) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class UnusedMessageSender implements MessageSender {
        @Override
        public void send(OutgoingMessage message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int countWaiting(String queue, int maxCount) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void ping() {
            throw new UnsupportedOperationException();
        }
    }
}
