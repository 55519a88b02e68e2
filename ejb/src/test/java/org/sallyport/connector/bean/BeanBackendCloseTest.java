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

/** Results of calls that are closed or withdrawn: a result never denies an effect that may have happened. */
class BeanBackendCloseTest {
    private final PaymentToolBean paymentBean = new PaymentToolBean();
    private final BeanHarness harness = new BeanHarness(paymentBean);

    /** A bean with slow tools. */
    @Backend("till")
    public static final class PaymentToolBean {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch cancelled = new CountDownLatch(1);
        private final CountDownLatch interrupted = new CountDownLatch(1);
        private final CompletableFuture<String> coming = new CompletableFuture<>();

        @Tool("Pays.")
        public void pay(ToolContext call) throws InterruptedException {
            call.onCancel(cancelled::countDown);
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
            while (!call.isCancelled()) {
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
        harness.close();
    }

    private BeanHarness.PendingBeanCall startAndAwaitCall(String tool, boolean repeatable) throws InterruptedException {
        BeanHarness.PendingBeanCall call = harness.startCall(tool, "{}", repeatable);
        assertThat(paymentBean.begun.await(60, TimeUnit.SECONDS)).isTrue();
        return call;
    }

    private static void assertEnd(BeanHarness.PendingBeanCall call, ToolErrorCode code) throws Exception {
        assertThat(call.await())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(code));
    }

    @Test
    void interruptedEffectIsOutcomeUnknown() throws Exception {
        BeanHarness.PendingBeanCall call = startAndAwaitCall("pay", false);
        harness.backend().close();
        assertThat(call.result()).isDone();
        assertThat(call.await())
                .isEqualTo(ToolResult.failure(
                        ToolErrorCode.OUTCOME_UNKNOWN,
                        "the backend was closed while 'pay' was called; it may have had its effect"));
        assertThat(paymentBean.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(paymentBean.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interruptedRepeatableCallIsBackendUnavailable() throws Exception {
        BeanHarness.PendingBeanCall call = startAndAwaitCall("pay", true);
        harness.backend().close();
        assertEnd(call, ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(paymentBean.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interruptedMethodCannotReplyBeforeTheOutcomeUnknownError() throws Exception {
        BeanHarness.PendingBeanCall call = startAndAwaitCall("watch", false);
        harness.backend().close();
        assertEnd(call, ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void incompleteStageIsOutcomeUnknown() throws Exception {
        BeanHarness.PendingBeanCall call = startAndAwaitCall("later", false);
        harness.backend().close();
        assertEnd(call, ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void queuedCallIsBackendUnavailable() throws Exception {
        PaymentToolBean busy = new PaymentToolBean();
        try (BeanHarness one = new BeanHarness(busy, Executors.newSingleThreadExecutor())) {
            one.startCall("pay", "{}");
            assertThat(busy.begun.await(60, TimeUnit.SECONDS)).isTrue();
            BeanHarness.PendingBeanCall waiting = one.startCall("later", "{}");
            one.backend().close();
            assertEnd(waiting, ToolErrorCode.BACKEND_UNAVAILABLE);
        }
    }

    @Test
    void onlyAWithdrawnCallThatWasNotBegunHasCertainlyNoEffect() throws Exception {
        PaymentToolBean busy = new PaymentToolBean();
        try (BeanHarness one = new BeanHarness(busy, Executors.newSingleThreadExecutor())) {
            BeanHarness.PendingBeanCall begun = one.startCall("pay", "{}");
            assertThat(busy.begun.await(60, TimeUnit.SECONDS)).isTrue();
            BeanHarness.PendingBeanCall waiting = one.startCall("later", "{}");
            assertThat(one.backend().withdraw(waiting.id()).toCompletableFuture())
                    .isCompletedWithValue(true);
            assertThat(one.backend().withdraw(begun.id()).toCompletableFuture()).isCompletedWithValue(false);
        }
    }

    @Test
    void callAfterCloseIsNotStarted() throws Exception {
        harness.backend().close();
        assertEnd(harness.startCall("later", "{}"), ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(paymentBean.begun.getCount()).isOne();
    }

    @Test
    void cancelledCallStaysCancelledAfterClose() throws Exception {
        BeanHarness.PendingBeanCall call = startAndAwaitCall("pay", false);
        harness.backend().cancel(call.id());
        harness.backend().close();
        assertEnd(call, ToolErrorCode.CANCELLED);
    }
}
