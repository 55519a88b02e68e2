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
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.capability.MissingTool;
import org.sallyport.configuration.Configuration;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.quota.QuotaType;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.variable.UnsetVariable;

class ScheduleDispatcherTest {
    private static final SubmissionResult NO_SANDBOX = new SubmissionResult.ScriptCheckUnavailable("full");
    private static final UnsetVariable KEY_MISSING = new UnsetVariable("KEY", Optional.of("weather-key"), true);
    private static final UnsetVariable SECRET_MISSING = new UnsetVariable("KEY", Optional.of("weather-key"));
    private static final UnsetVariable NOT_SET = new UnsetVariable("REGION", Optional.empty());

    private static final ScheduleRows ROWS =
            new ScheduleRows(new UUID(8, 8), "text/csv", 10, "hash", 1, 0, "key", RecordingScheduleStore.DUE);

    private static final Duration POLL_PAUSE = Duration.ofSeconds(10);

    private final RecordingScheduleStore store = new RecordingScheduleStore();
    private final List<ScheduleId> queued = new ArrayList<>();
    private int starts;
    private Instant now = RecordingScheduleStore.DUE;
    private final ScheduleDelayRecorder delays = new ScheduleDelayRecorder(store, new Random(7), () -> now, POLL_PAUSE);

    private void fireDue(SubmissionResult refusal) {
        store.handled.clear();
        new ScheduleDispatcher(
                        Configuration.read(Map.of(), Map.of()),
                        store,
                        new ScheduleOwnerFinder(
                                new ApiKeyService(new OwnerKeyStore(), InstantSource.system(), new SecureRandom()),
                                delays),
                        (owner, request) ->
                                CompletableFuture.completedFuture(new PreparedExecution.ExecutionRefused(refusal)),
                        new JobDispatcher(new UnusedMessageSender(), Thread::new, 0, 1, tenant -> 1),
                        (tenant, previous) -> {
                            throw new AssertionError("nothing is cancelled");
                        },
                        new ScheduledBatchQueue() {
                            @Override
                            public void queue(Schedule schedule) {
                                queued.add(schedule.id());
                                store.handled.add(schedule.id());
                            }

                            @Override
                            public void startQueued() {
                                starts++;
                            }
                        },
                        delays)
                .fireDue();
    }

    static Stream<Arguments> transientRefusals() {
        return Stream.of(
                Arguments.of(
                        new SubmissionResult.VariablesNotSet("c@1.0.0", List.of(KEY_MISSING)),
                        "the secret 'weather-key' of the variable 'KEY' is encrypted with a key that a node"),
                Arguments.of(new SubmissionResult.ScriptCheckUnavailable("full"), "no sandbox can check its script"),
                Arguments.of(
                        new SubmissionResult.InvalidScriptSyntax("not checked", 0, 0, ""),
                        "no sandbox can check its script"),
                Arguments.of(
                        new SubmissionResult.ToolsMissing("c@1.0.0", List.of(new MissingTool("b.t", "b", "gone"))),
                        MissingTool.describe(List.of(new MissingTool("b.t", "b", "gone")))),
                Arguments.of(new SubmissionResult.SandboxNotAllowed("c@1.0.0", "not on this node"), "not on this node"),
                Arguments.of(new SubmissionResult.TenantQueueFull(10), "the tenant has 10 executions that wait"),
                Arguments.of(new SubmissionResult.TenantQuotaExceeded(QuotaType.LIVE, 10), "the tenant's quota"));
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
                        "the variables of 'c@1.0.0' have together more than 10 characters"),
                Arguments.of(
                        new SubmissionResult.InvalidScriptSyntax("unexpected token", 1, 1, ""),
                        "its script has a syntax error: unexpected token"),
                Arguments.of(
                        new SubmissionResult.CapabilityVersionNotFound("c", Optional.empty()),
                        "there is no version 'stable' of a capability 'c'"),
                Arguments.of(new SubmissionResult.SubmissionForbidden("no grant"), "no grant"));
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
        fireDue(NO_SANDBOX);

        assertThat(store.pauses).containsExactly("the key of its owner is no longer valid");
    }

    @Test
    void dueBatchesAreQueuedAndDoNotHideOtherSchedules() {
        store.runsBatch = true;
        store.rows = Optional.of(ROWS);
        store.count = 450;
        fireDue(NO_SANDBOX);

        assertThat(queued).as("more than a page").hasSize(450).doesNotHaveDuplicates();
        assertThat(store.maxRequested)
                .as("schedules in memory, each with a request of megabytes")
                .isLessThanOrEqualTo(8);
        assertThat(starts).isEqualTo(1);
        assertThat(store.pauses).isEmpty();
    }

    @Test
    void nodeLeavesAScheduleThatItCannotRunToOtherNodesForOnePoll() {
        fireDue(NO_SANDBOX);
        now = now.plus(store.waits.get(0)).plus(POLL_PAUSE);
        fireDue(NO_SANDBOX);
        assertThat(store.delays).as("another node finds it alone").hasSize(1);
        now = now.plusSeconds(2);
        fireDue(NO_SANDBOX);
        assertThat(store.delays).hasSize(2);
    }

    @Test
    void schedulesThatAreLeftToOtherNodesHideNoOthers() {
        store.count = 200;
        fireDue(NO_SANDBOX);
        int delayed = store.delays.size();
        now = now.plus(store.waits.get(0));
        fireDue(NO_SANDBOX);
        assertThat(store.delays).as("the page is full of them").hasSizeGreaterThan(delayed);
    }

    @Test
    void singleExecutionIsTriedAgainEveryFewSeconds() {
        for (int i = 0; i < 5; i++) {
            fireDue(NO_SANDBOX);
            now = now.plusSeconds(60);
        }
        assertThat(store.waits)
                .hasSize(5)
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(7)));
    }

    @Test
    void timeOfABatchWithoutRowsIsSkipped() {
        store.runsBatch = true;
        fireDue(NO_SANDBOX);

        assertThat(queued).isEmpty();
        assertThat(store.skips).containsExactly(Schedule.SkipReason.NO_ROWS);
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
