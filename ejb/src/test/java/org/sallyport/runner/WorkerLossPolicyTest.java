package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.sandbox.SessionResult;

class WorkerLossPolicyTest {
    private static SessionResult.SessionLost lost(SessionResult.SessionLossReason reason, boolean suspect) {
        return new SessionResult.SessionLost(reason, "The worker was ended", suspect);
    }

    private static final SessionResult.SessionLost INNOCENT = lost(SessionResult.SessionLossReason.WORKER_LOST, false);
    private static final SessionResult.SessionLost SUSPECT = lost(SessionResult.SessionLossReason.WORKER_LOST, true);
    private static final SessionResult.SessionLost FULL = lost(SessionResult.SessionLossReason.OUT_OF_MEMORY, true);

    private static WorkerLossPolicy next(WorkerLossPolicy policy, SessionResult.SessionLost lost) {
        WorkerLossPolicy.RetryDecision decision = policy.decide(lost, true);
        assertThat(decision).isInstanceOf(WorkerLossPolicy.RetryDecision.RetryAllowed.class);
        return ((WorkerLossPolicy.RetryDecision.RetryAllowed) decision).next();
    }

    private static String errorCode(WorkerLossPolicy.RetryDecision decision) {
        assertThat(decision).isInstanceOf(WorkerLossPolicy.RetryDecision.RetryRefused.class);
        ExecutionOutcome outcome = ((WorkerLossPolicy.RetryDecision.RetryRefused) decision).outcome();
        assertThat(outcome).isInstanceOf(ExecutionOutcome.ExecutionFailed.class);
        return ((ExecutionOutcome.ExecutionFailed) outcome).error().code();
    }

    @Test
    void twentiethLossIsTheLast() {
        WorkerLossPolicy policy = WorkerLossPolicy.initial();
        for (int losses = 1; losses < WorkerLossPolicy.MAX_LOSSES; losses++) {
            policy = next(policy, INNOCENT);
            assertThat(policy).isEqualTo(new WorkerLossPolicy(0, losses));
            assertThat(policy.needsOwnWorker()).isFalse();
        }
        assertThat(errorCode(policy.decide(INNOCENT, true))).isEqualTo("runner-lost");
    }

    @Test
    void secondLossOfASuspectIsTheLast() {
        WorkerLossPolicy policy = next(next(WorkerLossPolicy.initial(), SUSPECT), INNOCENT);
        assertThat(policy).isEqualTo(new WorkerLossPolicy(1, 2));
        assertThat(policy.needsOwnWorker()).isTrue();
        assertThat(errorCode(policy.decide(SUSPECT, true))).isEqualTo("worker-lost");
        assertThat(errorCode(policy.decide(FULL, true))).isEqualTo("memory-limit");
    }

    /** Such a script computed when memory ran out, but others had allocated far more. */
    @Test
    void scriptThatIsNotSuspectOfAFullWorkerIsSuspectOfTheNextOne() {
        SessionResult.SessionLost notSuspect = lost(SessionResult.SessionLossReason.OUT_OF_MEMORY, false);
        WorkerLossPolicy policy = next(WorkerLossPolicy.initial(), notSuspect);
        assertThat(policy.needsOwnWorker()).isFalse();
        policy = next(policy, notSuspect);
        assertThat(policy.needsOwnWorker()).isTrue();
        assertThat(errorCode(policy.decide(FULL, true))).isEqualTo("memory-limit");
    }

    @Test
    void scriptWithoutJournalIsNotRunAgain() {
        assertThat(errorCode(WorkerLossPolicy.initial().decide(INNOCENT, false)))
                .isEqualTo("worker-lost");
    }
}
