package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenRequestsTest {
    private static final int HALF = (int) (OpenRequests.MAX_CHARS / 2);

    private final OpenRequests requests = new OpenRequests();

    @Test
    void whatIsAnsweredMakesRoom() {
        assertThat(requests.add(1, HALF)).isTrue();
        assertThat(requests.add(2, HALF)).isTrue();
        assertThat(requests.add(3, 1)).isFalse();
        assertThat(requests.hasRoom(1)).isFalse();

        requests.answered(1);
        requests.answered(1);
        requests.answered(7);

        assertThat(requests.hasRoom(HALF)).isTrue();
        assertThat(requests.add(4, HALF + 1)).isFalse();
        assertThat(requests.add(5, HALF)).isTrue();
    }

    @Test
    void theLargestArtifactHasRoomTwice() {
        int largest = 10_000_000 / 3 * 4 + 4_000;
        assertThat(requests.add(1, largest)).isTrue();
        assertThat(requests.add(2, largest)).isTrue();
        assertThat(requests.add(3, largest)).isFalse();
    }
}
