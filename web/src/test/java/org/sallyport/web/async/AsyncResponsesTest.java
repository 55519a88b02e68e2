package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

class AsyncResponsesTest {
    private static final int LARGE = 300_000;
    /** Memory of a large response: whole chunks. */
    private static final int LARGE_MEMORY = 5 * (64 << 10);

    private long now;
    private final MemoryBudget budget = new MemoryBudget("answers", 4L * LARGE_MEMORY);
    private final AsyncResponses responses = new AsyncResponses(() -> now, budget, millis -> new CompletableFuture<>());

    private ResponseBuffer buffer(String tenant, int length) {
        HttpServletRequest request = new FakeHttpExchange("GET", "/").request();
        request.setAttribute(AuthenticationFilter.CALLER, new Caller("key", tenant, Set.of(Role.SUBMITTER)));
        ResponseBuffer buffer = responses.newBuffer(request);
        buffer.write(new byte[length], 0, length);
        return buffer;
    }

    private FakeSlowClient send(String tenant, int length) {
        FakeSlowClient client = new FakeSlowClient();
        responses.deliver(client.context(), client.out, buffer(tenant, length));
        return client;
    }

    private FakeSlowClient send() {
        return send("a", LARGE);
    }

    @Test
    void bytesCountWhileTheResponseIsBuilt() {
        ResponseBuffer buffer = buffer("a", ResponseBuffer.MAX_UNRESERVED_BYTES);
        assertThat(budget.usedBytes()).as("a small response").isZero();

        buffer.write(new byte[1], 0, 1);
        assertThat(budget.usedBytes()).isEqualTo(2L * ResponseBuffer.MAX_UNRESERVED_BYTES);
        buffer.clear();
        assertThat(budget.usedBytes()).isZero();

        buffer.write(new byte[LARGE], 0, LARGE);
        assertThat(budget.usedBytes()).isEqualTo(LARGE_MEMORY);
        buffer.close();
        buffer.write(new byte[LARGE], 0, LARGE);
        assertThat(budget.usedBytes()).isZero();
        assertThat(buffer.size()).isZero();
    }

    @Test
    void largePartOfAResponseReservesMemoryBeforeItIsRead() {
        FakeHttpExchange exchange = new FakeHttpExchange("GET", "/");
        ResponseBuffer buffer = responses.newBuffer(exchange.request());
        Runnable built = responses.begin(exchange.request(), buffer);
        responses.reserve(ResponseBuffer.MAX_UNRESERVED_BYTES);
        assertThat(budget.usedBytes()).as("a small part").isZero();

        responses.reserve(LARGE_MEMORY);
        buffer.write(new byte[LARGE], 0, LARGE);
        assertThat(budget.usedBytes()).isEqualTo(LARGE_MEMORY);
        responses.reserve(LARGE_MEMORY);
        assertThat(budget.usedBytes()).isEqualTo(2L * LARGE_MEMORY);
        assertThatThrownBy(() -> responses.reserve(LARGE_MEMORY))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(ProblemType.UNAVAILABLE));
        built.run();
        responses.reserve(LARGE_MEMORY); // This thread builds no response.
        assertThat(budget.usedBytes()).isEqualTo(2L * LARGE_MEMORY);

        buffer.clear();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void responseThatIsSmallerThanItsMemoryFreesTheRest() throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange("GET", "/");
        ResponseBuffer buffer = responses.newBuffer(exchange.request());
        Runnable built = responses.begin(exchange.request(), buffer);
        responses.reserve(LARGE_MEMORY);
        BufferedResponse answer = new BufferedResponse(exchange.request(), exchange.response(), buffer);
        answer.getOutputStream().write(new byte[100]);
        built.run();

        assertThat(AsyncResponses.sendNow(answer)).isTrue();

        assertThat(exchange.body()).hasSize(100);
        assertThat(budget.usedBytes()).isZero();
    }

    /** It may have taken effect before its response is built. */
    @Test
    void responseToARequestThatChangesSomethingReservesMemoryAsItIsWritten() {
        FakeHttpExchange exchange = new FakeHttpExchange("POST", "/");
        Runnable built = responses.begin(exchange.request(), responses.newBuffer(exchange.request()));

        responses.reserve(Long.MAX_VALUE);

        built.run();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void memoryIsFreedAsTheClientReads() {
        FakeSlowClient client = send();
        client.accept(8);

        assertThat(client.read.size()).isEqualTo(2 * (64 << 10));
        assertThat(budget.usedBytes()).isEqualTo(LARGE_MEMORY - 2 * (64 << 10));
    }

    @Test
    void smallResponseReservesItsMemoryIfItWaitsForItsClient() {
        FakeSlowClient client = send("a", 1_000);
        assertThat(budget.usedBytes()).isEqualTo(1 << 10);

        client.accept(2);

        assertThat(client.read.size()).isEqualTo(1_000);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void responseWithoutMemoryIsReplacedByAProblem() throws IOException {
        MemoryBudget.MemoryReservation first =
                budget.tryReserve("b", 2L * LARGE_MEMORY).orElseThrow();
        MemoryBudget.MemoryReservation second =
                budget.tryReserve("c", 2L * LARGE_MEMORY).orElseThrow();
        FakeHttpExchange exchange = new FakeHttpExchange("GET", "/");

        assertThat(AsyncResponses.sendNow(answer(exchange, LARGE))).isTrue();

        assertThat(exchange.status()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).contains("2");
        assertThat(exchange.header("Content-Length")).contains(Integer.toString(exchange.body().length));
        assertThat(exchange.text())
                .contains(":unavailable", "sallyport.memory.percent")
                .doesNotContain("outcome");
        first.close();
        second.close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void responseToASubmissionWithoutMemorySaysThatItMayBeStored() throws IOException {
        assertThat(budget.tryReserve("b", 2L * LARGE_MEMORY)).isPresent();
        assertThat(budget.tryReserve("c", 2L * LARGE_MEMORY)).isPresent();
        FakeHttpExchange exchange = new FakeHttpExchange("POST", "/");

        assertThat(AsyncResponses.sendNow(answer(exchange, LARGE))).isTrue();

        assertThat(exchange.text()).contains("\"outcome\":\"unknown\"");
    }

    @Test
    void responseThatNeverFindsMemoryIsTooLarge() throws IOException {
        FakeHttpExchange exchange = new FakeHttpExchange("GET", "/");
        FakeSlowClient waiting = send();

        assertThat(AsyncResponses.sendNow(answer(exchange, 3 * LARGE))).isTrue();

        assertThat(exchange.status()).isEqualTo(413);
        assertThat(exchange.text()).contains(":payload-too-large");
        assertThat(waiting.completed).as("ending others would not help").isZero();
    }

    private BufferedResponse answer(FakeHttpExchange exchange, int length) throws IOException {
        BufferedResponse answer =
                new BufferedResponse(exchange.request(), exchange.response(), responses.newBuffer(exchange.request()));
        answer.getOutputStream().write(new byte[length]);
        return answer;
    }

    @Test
    void tenantWhoseShareIsFullEndsItsOwnResponses() {
        FakeSlowClient other = send("b", LARGE);
        now++;
        FakeSlowClient first = send();
        FakeSlowClient second = send();
        now++;
        second.accept(1);
        FakeSlowClient third = send();

        assertThat(first.completed).isEqualTo(1);
        assertThat(other.completed).isZero();
        assertThat(second.completed).isZero();
        assertThat(third.completed).isZero();
    }

    @Test
    void readingClientGetsTheWholeResponse() {
        FakeSlowClient client = send();
        client.accept(Integer.MAX_VALUE);

        assertThat(client.read.size()).isEqualTo(LARGE);
        assertThat(client.completed).isEqualTo(1);
        assertThat(responses.openCount()).isZero();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void slowClientGetsTheResponseInPieces() {
        FakeSlowClient client = send();
        for (int i = 0; i < 20 && client.completed == 0; i++) {
            now += AsyncResponses.STALL_TIMEOUT_NANOS / 2;
            responses.sweep();
            client.accept(1);
        }

        assertThat(client.read.size()).isEqualTo(LARGE);
        assertThat(client.completed).isEqualTo(1);
    }

    @Test
    void stalledClientIsDropped() {
        FakeSlowClient client = send();
        client.accept(1);
        now += AsyncResponses.STALL_TIMEOUT_NANOS;
        responses.sweep();
        assertThat(client.completed).isZero();
        now++;
        responses.sweep();

        assertThat(client.completed).isEqualTo(1);
        assertThat(budget.usedBytes()).isZero();
        client.accept(1);
        assertThat(client.completed).isEqualTo(1);
    }

    @Test
    void clientOverTheMaximumDurationIsDropped() {
        FakeSlowClient client = send("a", LARGE * 2);
        while (now <= AsyncResponses.MAX_DURATION_NANOS) {
            now += AsyncResponses.MAX_DURATION_NANOS / 3;
            client.accept(1);
            responses.sweep();
        }

        assertThat(client.completed).isEqualTo(1);
        assertThat(client.read.size()).isLessThan(LARGE * 2);
    }

    @Test
    void longestStalledClientIsDroppedIfTooMuchIsBuffered() {
        FakeSlowClient first = send();
        now++;
        FakeSlowClient second = send();
        now++;
        first.accept(1);
        now++;
        FakeSlowClient third = send();

        assertThat(second.completed).isEqualTo(1);
        assertThat(first.completed).isZero();
        assertThat(third.completed).isZero();
        assertThat(budget.usedBytes()).isLessThanOrEqualTo(2L * LARGE_MEMORY);
    }

    /** A client that accepts as many chunks as the test allows. */
    private static final class FakeSlowClient {
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();
        private int acceptedChunks;
        private int completed;

        private @Nullable WriteListener listener;

        private final ServletOutputStream out = new ServletOutputStream() {
            @Override
            public boolean isReady() {
                return acceptedChunks > 0;
            }

            @Override
            public void setWriteListener(WriteListener given) {
                listener = given;
            }

            @Override
            public void write(int b) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                acceptedChunks--;
                read.write(bytes, offset, length);
            }
        };

        void accept(int pieces) {
            acceptedChunks = pieces;
            try {
                if (listener != null) {
                    listener.onWritePossible();
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        AsyncContext context() {
            return (AsyncContext) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {AsyncContext.class}, (proxy, called, given) -> {
                        if (!called.getName().equals("complete")) {
                            throw new UnsupportedOperationException(called.toString());
                        }
                        completed++;
                        return null;
                    });
        }
    }
}
