package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

class RequestMemoryTest {
    private static final int READERS = 32;

    private final MemoryBudgets budgets = new MemoryBudgets(0, 0);
    private final MemoryBudget budget = budgets.bodies();
    private final RequestMemory memory = new RequestMemory(budgets);
    private final long share = budget.maxBytesPerOwner();

    private static HttpServletRequest request(String tenant) {
        HttpServletRequest request = new FakeHttpExchange("POST", "/").request();
        request.setAttribute(AuthenticationFilter.CALLER, new Caller("key", tenant, Set.of(Role.SUBMITTER)));
        return request;
    }

    private ProblemType refusal(long bytes) {
        return catchThrowableOfType(ProblemException.class, () -> memory.reserve(bytes))
                .problem()
                .type();
    }

    @Test
    void tenantMayHoldHalfOfTheMemory() throws Exception {
        Runnable end = memory.begin(request("a"));
        memory.reserve(share);
        assertThat(refusal(1)).as("this request needs more than a half").isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);

        inAnotherThread(() -> {
            Runnable endOfOther = memory.begin(request("a"));
            assertThat(refusal(1)).isEqualTo(ProblemType.UNAVAILABLE);
            endOfOther.run();
            Runnable endOfOtherTenant = memory.begin(request("b"));
            memory.reserve(share);
            endOfOtherTenant.run();
            return 0;
        });
        end.run();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void callerIsKnownWhenTheBodyIsRead() {
        HttpServletRequest request = new FakeHttpExchange("POST", "/").request();
        MemoryBudget.MemoryReservation strangers =
                budget.tryReserve("strangers", share).orElseThrow();
        Runnable end = memory.begin(request);
        request.setAttribute(AuthenticationFilter.CALLER, new Caller("key", "a", Set.of(Role.SUBMITTER)));

        memory.reserve(1);

        assertThat(budget.usedBytes()).isEqualTo(share + 1);
        end.run();
        strangers.close();
    }

    @Test
    void memoryIsHeldUntilTheWorkOfTheRequestIsDone() {
        CompletableFuture<String> work = new CompletableFuture<>();
        Runnable end = memory.begin(request("a"));
        memory.reserve(10);

        CompletionStage<String> held = memory.holdUntilDone(() -> work);
        end.run();

        assertThat(budget.usedBytes()).isEqualTo(10);
        work.complete("done");
        assertThat(held).isCompletedWithValue("done");
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void copyOfABodyNeedsAsMuchMemoryAsTheBody() {
        Runnable end = memory.begin(request("a"));
        memory.reserveCopy();
        assertThat(budget.usedBytes()).isZero();

        memory.reserve(share / 2);
        memory.reserveCopy();

        assertThat(budget.usedBytes()).isEqualTo(share / 2 * 2);
        assertThatThrownBy(memory::reserveCopy).isInstanceOf(ProblemException.class);
        end.run();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void workThatFailsHoldsNoMemory() {
        Runnable end = memory.begin(request("a"));
        memory.reserve(10);

        assertThatThrownBy(() -> memory.holdUntilDone(() -> {
                    throw new IllegalStateException("failed at once");
                }))
                .hasMessage("failed at once");
        CompletionStage<String> failed =
                memory.holdUntilDone(() -> CompletableFuture.failedFuture(new IllegalStateException("later")));
        assertThat(failed).isCompletedExceptionally();
        end.run();

        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void threadThatHandlesNoRequestReservesNothing() {
        memory.reserve(Long.MAX_VALUE);

        CompletionStage<Integer> done = memory.holdUntilDone(() -> CompletableFuture.completedFuture(1));
        assertThat(done).isCompletedWithValue(1);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void manyReadersTogetherNeverHoldMoreThanTheBudget() throws Exception {
        AtomicLong held = new AtomicLong();
        AtomicLong maxHeld = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<?>> readers = new ArrayList<>();
            for (int reader = 0; reader < READERS; reader++) {
                String tenant = "tenant " + reader % 3;
                readers.add(threads.submit(() -> {
                    for (int body = 0; body < 200; body++) {
                        read(tenant, held, maxHeld);
                    }
                }));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(maxHeld.get()).isPositive().isLessThanOrEqualTo(2 * share);
        assertThat(budget.usedBytes()).isZero();
    }

    /** A body that arrives in four pieces, or is refused at one of them. */
    private void read(String tenant, AtomicLong held, AtomicLong maxHeld) {
        Runnable end = memory.begin(request(tenant));
        long own = 0;
        try {
            for (int piece = 0; piece < 4; piece++) {
                memory.reserve(1 << 20);
                own += 1 << 20;
                maxHeld.accumulateAndGet(held.addAndGet(1 << 20), Math::max);
            }
        } catch (ProblemException e) {
            assertThat(e.problem().type()).isEqualTo(ProblemType.UNAVAILABLE);
        } finally {
            held.addAndGet(-own);
            end.run();
        }
    }

    private static void inAnotherThread(Callable<Integer> work) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            thread.submit(work).get();
        } finally {
            thread.shutdownNow();
        }
    }
}
