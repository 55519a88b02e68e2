package org.sallyport.connector.bean;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.bean.Backend;
import org.sallyport.bean.Tool;
import org.sallyport.bean.ToolContext;
import org.sallyport.bean.ToolException;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** What is said of calls whose backend is closed: never less than what may have happened. */
class ClosedBeanTest {
    private final Till till = new Till();
    private final BeanHarness bean = new BeanHarness(till);

    /** Takes its time. */
    @Backend("till")
    public static final class Till {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch told = new CountDownLatch(1);
        private final CountDownLatch interrupted = new CountDownLatch(1);
        private final CompletableFuture<String> coming = new CompletableFuture<>();

        @Tool("Pays.")
        public void pay(ToolContext call) throws InterruptedException {
            call.onCancel(told::countDown);
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
        }

        @Tool("Pays, and says what it thinks as soon as nobody waits.")
        public void watch(ToolContext call) {
            begun.countDown();
            while (!call.cancelled()) {
                Thread.onSpinWait();
            }
            throw ToolException.failed("nothing was paid");
        }

        @Tool("Pays later.")
        public CompletionStage<String> later() {
            begun.countDown();
            return coming;
        }
    }

    @AfterEach
    void close() {
        bean.close();
    }

    private BeanHarness.Under under(String tool, boolean repeatable) throws InterruptedException {
        BeanHarness.Under call = bean.begin(tool, "{}", repeatable);
        assertThat(till.begun.await(60, TimeUnit.SECONDS)).isTrue();
        return call;
    }

    private static void assertEnd(BeanHarness.Under call, ToolErrorCode code) throws Exception {
        assertThat(call.end())
                .isInstanceOfSatisfying(
                        ToolResult.Failure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(code));
    }

    @Test
    void whatMayHaveHappenedIsUnknown() throws Exception {
        BeanHarness.Under call = under("pay", false);
        bean.backend().close();
        assertThat(call.result()).isDone();
        assertThat(call.end())
                .isEqualTo(ToolResult.failure(
                        ToolErrorCode.OUTCOME_UNKNOWN,
                        "the backend was closed while 'pay' was called; it may have had its effect"));
        assertThat(till.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(till.told.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatMayBeMadeAgainIs() throws Exception {
        BeanHarness.Under call = under("pay", true);
        bean.backend().close();
        assertEnd(call, ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(till.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aMethodThatNoticesDoesNotSpeakFirst() throws Exception {
        BeanHarness.Under call = under("watch", false);
        bean.backend().close();
        assertEnd(call, ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void aStageThatIsNotThereYetIsUnknownToo() throws Exception {
        BeanHarness.Under call = under("later", false);
        bean.backend().close();
        assertEnd(call, ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void whatWasNeverBegunCanBeMadeAgain() throws Exception {
        Till busy = new Till();
        try (BeanHarness one = new BeanHarness(busy, Executors.newSingleThreadExecutor())) {
            one.begin("pay", "{}");
            assertThat(busy.begun.await(60, TimeUnit.SECONDS)).isTrue();
            BeanHarness.Under waiting = one.begin("later", "{}");
            one.backend().close();
            assertEnd(waiting, ToolErrorCode.BACKEND_UNAVAILABLE);
        }
    }

    @Test
    void whatComesAfterwardsIsNotBegun() throws Exception {
        bean.backend().close();
        assertEnd(bean.begin("later", "{}"), ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(till.begun.getCount()).isOne();
    }

    @Test
    void whatItsCallerCancelledStaysCancelled() throws Exception {
        BeanHarness.Under call = under("pay", false);
        bean.backend().cancel(call.id());
        bean.backend().close();
        assertEnd(call, ToolErrorCode.CANCELLED);
    }
}
