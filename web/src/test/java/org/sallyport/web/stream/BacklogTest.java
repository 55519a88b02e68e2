package org.sallyport.web.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BacklogTest {
    private final Backlog backlog = new Backlog(100);
    private final List<String> gone = new ArrayList<>();

    private Runnable client(String name) {
        return new Runnable() {
            @Override
            public void run() {
                gone.add(name);
                backlog.moves(this);
            }
        };
    }

    @Test
    void whoHasReadNothingForLongestIsLetGo() {
        Runnable first = client("first");
        Runnable second = client("second");
        backlog.stands(first, 40);
        backlog.stands(second, 40);
        backlog.moves(first);
        backlog.stands(first, 40);
        assertThat(gone).isEmpty();

        backlog.stands(client("third"), 40);

        assertThat(gone).containsExactly("second");
        assertThat(backlog.heldBytes()).isEqualTo(80);
    }

    @Test
    void whoStandsTwiceIsCountedOnce() {
        Runnable one = client("one");
        backlog.stands(one, 60);
        backlog.stands(one, 80);
        assertThat(backlog.heldBytes()).isEqualTo(80);

        backlog.moves(one);
        backlog.moves(one);
        assertThat(backlog.heldBytes()).isZero();
        assertThat(gone).isEmpty();
    }

    @Test
    void whoLeavesMoreThanThereIsRoomForIsLetGoHimself() {
        backlog.stands(client("greedy"), 101);

        assertThat(gone).containsExactly("greedy");
        assertThat(backlog.heldBytes()).isZero();
    }
}
