package org.sallyport.it.chaos;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.FailpointControl;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.UseServer;

/**
 * Commits of the embedded database whose answers are lost at {@link org.sallyport.failpoint.Failpoint#COMMITTED}.
 * Begins late, because {@code DeathByMemoryIT} uses its server for up to 15 minutes.
 */
@Order(Integer.MAX_VALUE - 1)
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.FAILPOINTS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostCommitIT extends LostCommitContract {
    /** The classes whose writes belong to an execution. Others write for no execution, or for several. */
    private static final String WRITERS_OF_EXECUTIONS =
            "\\.(ExecutionRunner|JournalWriter|RunEndWriter|HostServiceCalls|DemoConnector)\\b";

    private final FailpointControl failpoints = FailpointControl.shared();
    private final RestClient api;

    LostCommitIT(RestClient api) {
        this.api = api;
    }

    @Override
    RestClient api() {
        return api;
    }

    @Override
    void loseAnswer(LostWrite write, String key) {
        String writer = switch (write) {
            case SUBMISSION -> "SubmissionService";
            case CLAIM -> "ExecutionRunner";
            case JOURNAL -> "JournalWriter";
        };
        failpoints.loseCommit(1, "\\." + writer + "\\b");
    }

    @Override
    void loseAnswer(int commit, String id) {
        failpoints.loseCommit(commit, WRITERS_OF_EXECUTIONS);
    }

    @Override
    boolean isAnswerLost() {
        return !failpoints.losesCommit();
    }

    @Override
    void loseNoAnswer() {
        failpoints.loseNoCommit();
    }
}
