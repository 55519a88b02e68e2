package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.FaultInjectingProxy;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;

/**
 * The broker keeps its connections and does not answer. Sends to it wait. What needs no broker must not wait with them:
 * running scripts that call no tool, and requests.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SilentBrokerIT {
    private static final Duration MAX_TIME = Duration.ofSeconds(1);

    private final BrokerProcess broker = BrokerProcess.start();
    private final FaultInjectingProxy proxy = new FaultInjectingProxy(broker.port());
    private final SallyportServer server = broker.configure(ServerSetup.create("silent-broker"), proxy.port())
            .with("sallyport.limits.call-millis", "10000")
            .with("sallyport.runner.resend-millis", "2000")
            .start();
    private final RestClient api = server.api();

    @AfterAll
    void end() {
        server.close();
        proxy.close();
        broker.close();
    }

    @Test
    void suspendedBrokerDelaysOnlyWhatNeedsIt() {
        assertOtherWorkContinues(broker::pause, broker::resume);
    }

    @Test
    void brokerThatNeverReadsDelaysOnlyWhatNeedsIt() {
        assertOtherWorkContinues(proxy::stopReading, proxy::resumeReading);
    }

    private void assertOtherWorkContinues(Runnable silence, Runnable recovery) {
        TimingCalibration pace = TimingCalibration.of(api);
        WaitingScripts callers = WaitingScripts.startCallers(api);
        WaitingScripts others = WaitingScripts.startWithoutCalls(api);
        Duration taken;
        silence.run();
        try {
            callers.resume();
            callers.awaitOutput("calls");
            taken = others.resumeAndAwaitEnd();
        } finally {
            recovery.run();
        }
        callers.awaitCompleted();
        server.awaitReady();
        // The connections to the broker work again before the time of a script is measured a second time.
        api.run(SubmissionBody.javascript("return demo.echo(1);"));
        assertThat(taken).isLessThan(pace.adjustLimit(MAX_TIME));
    }
}
