package org.sallyport.web.stream;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeliveriesTest {
    private static final int LARGE = 300_000;

    private long now;
    private final Deliveries deliveries = new Deliveries(() -> now, 2L * LARGE, millis -> new CompletableFuture<>());

    private Client send() {
        Client client = new Client();
        deliveries.deliver(client.context(), client.out, new byte[LARGE]);
        return client;
    }

    @Test
    void whoReadsGetsAllOfIt() {
        Client client = send();
        client.takes(Integer.MAX_VALUE);

        assertThat(client.read.size()).isEqualTo(LARGE);
        assertThat(client.completed).isEqualTo(1);
        assertThat(deliveries.openCount()).isZero();
        assertThat(deliveries.heldBytes()).isZero();
    }

    @Test
    void whoReadsSlowlyGetsItPieceByPiece() {
        Client client = send();
        for (int i = 0; i < 20 && client.completed == 0; i++) {
            now += Deliveries.STALLED_NANOS / 2;
            deliveries.sweep();
            client.takes(1);
        }

        assertThat(client.read.size()).isEqualTo(LARGE);
        assertThat(client.completed).isEqualTo(1);
    }

    @Test
    void whoTakesNothingIsLetGo() {
        Client client = send();
        client.takes(1);
        now += Deliveries.STALLED_NANOS;
        deliveries.sweep();
        assertThat(client.completed).isZero();
        now++;
        deliveries.sweep();

        assertThat(client.completed).isEqualTo(1);
        assertThat(deliveries.heldBytes()).isZero();
        client.takes(1);
        assertThat(client.completed).isEqualTo(1);
    }

    @Test
    void nobodyTakesForEver() {
        Client client = new Client();
        deliveries.deliver(client.context(), client.out, new byte[LARGE * 2]);
        while (now <= Deliveries.LONGEST_NANOS) {
            now += Deliveries.LONGEST_NANOS / 3;
            client.takes(1);
            deliveries.sweep();
        }

        assertThat(client.completed).isEqualTo(1);
        assertThat(client.read.size()).isLessThan(LARGE * 2);
    }

    @Test
    void whereTooMuchLiesTheOneWhoTookNothingForLongestIsLetGo() {
        Client first = send();
        now++;
        Client second = send();
        now++;
        first.takes(1);
        now++;
        Client third = send();

        assertThat(second.completed).isEqualTo(1);
        assertThat(first.completed).isZero();
        assertThat(third.completed).isZero();
        assertThat(deliveries.heldBytes()).isLessThanOrEqualTo(2L * LARGE);
    }

    /** Takes so many pieces as it is told to. */
    private static final class Client {
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();
        private int room;
        private int completed;

        private @Nullable WriteListener listener;

        private final ServletOutputStream out = new ServletOutputStream() {
            @Override
            public boolean isReady() {
                return room > 0;
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
                room--;
                read.write(bytes, offset, length);
            }
        };

        void takes(int pieces) {
            room = pieces;
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
