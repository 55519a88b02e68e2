package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;

class InsistenceTest {
    private final List<Long> pauses = new ArrayList<>();
    private final Insistence insistence = new Insistence(millis -> {
        pauses.add(millis);
        return CompletableFuture.completedFuture(null);
    });
    private int tries;
    private int inVain;

    private void failing(int times) {
        if (++tries <= times) {
            throw new StoreUnavailableException("away", new IllegalStateException());
        }
    }

    @Test
    void whatFailsForTheDatabaseIsDoneWhenItIsBack() {
        insistence.insist(() -> failing(3), () -> inVain++);

        assertThat(tries).isEqualTo(4);
        assertThat(inVain).isZero();
        assertThat(pauses).hasSize(3).isSorted();
    }

    @Test
    void whatWorksIsDoneOnce() {
        insistence.insist(() -> failing(0), () -> inVain++);

        assertThat(tries).isEqualTo(1);
        assertThat(pauses).isEmpty();
    }

    @Test
    void itEndsSomeDay() {
        insistence.insist(() -> failing(Integer.MAX_VALUE), () -> inVain++);

        assertThat(tries).isEqualTo(Insistence.MOST_TRIES);
        assertThat(inVain).isEqualTo(1);
    }
}
