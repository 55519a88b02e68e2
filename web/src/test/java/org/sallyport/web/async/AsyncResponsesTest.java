package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AsyncResponsesTest {
    private static final int LARGE = 300_000;

    private long now;
    private final AsyncResponses responses =
            new AsyncResponses(() -> now, 2L * LARGE, millis -> new CompletableFuture<>());

    private FakeSlowClient send() {
        FakeSlowClient client = new FakeSlowClient();
        responses.deliver(client.context(), client.out, new byte[LARGE]);
        return client;
    }

    @Test
    void readingClientGetsTheWholeResponse() {
        FakeSlowClient client = send();
        client.accept(Integer.MAX_VALUE);

        assertThat(client.read.size()).isEqualTo(LARGE);
        assertThat(client.completed).isEqualTo(1);
        assertThat(responses.openCount()).isZero();
        assertThat(responses.bufferedBytes()).isZero();
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
        assertThat(responses.bufferedBytes()).isZero();
        client.accept(1);
        assertThat(client.completed).isEqualTo(1);
    }

    @Test
    void clientOverTheMaximumDurationIsDropped() {
        FakeSlowClient client = new FakeSlowClient();
        responses.deliver(client.context(), client.out, new byte[LARGE * 2]);
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
        assertThat(responses.bufferedBytes()).isLessThanOrEqualTo(2L * LARGE);
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
            } catch (java.io.IOException e) {
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
