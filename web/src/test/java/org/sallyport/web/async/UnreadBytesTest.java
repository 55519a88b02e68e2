package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnreadBytesTest {
    private final UnreadBytes unreadBytes = new UnreadBytes(100);
    private final List<String> closed = new ArrayList<>();

    private Runnable client(String name) {
        return new Runnable() {
            @Override
            public void run() {
                closed.add(name);
                unreadBytes.clientResumed(this);
            }
        };
    }

    @Test
    void longestStalledClientIsDropped() {
        Runnable first = client("first");
        Runnable second = client("second");
        unreadBytes.clientStalled(first, 40);
        unreadBytes.clientStalled(second, 40);
        unreadBytes.clientResumed(first);
        unreadBytes.clientStalled(first, 40);
        assertThat(closed).isEmpty();

        unreadBytes.clientStalled(client("third"), 40);

        assertThat(closed).containsExactly("second");
        assertThat(unreadBytes.totalBytes()).isEqualTo(80);
    }

    @Test
    void clientThatStallsTwiceIsCountedOnce() {
        Runnable one = client("one");
        unreadBytes.clientStalled(one, 60);
        unreadBytes.clientStalled(one, 80);
        assertThat(unreadBytes.totalBytes()).isEqualTo(80);

        unreadBytes.clientResumed(one);
        unreadBytes.clientResumed(one);
        assertThat(unreadBytes.totalBytes()).isZero();
        assertThat(closed).isEmpty();
    }

    @Test
    void clientOverTheLimitIsDroppedItself() {
        unreadBytes.clientStalled(client("greedy"), 101);

        assertThat(closed).containsExactly("greedy");
        assertThat(unreadBytes.totalBytes()).isZero();
    }
}
