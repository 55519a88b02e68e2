package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenCharsLimiterTest {
    private static final int HALF = (int) (OpenCharsLimiter.MAX_HOST_REQUEST_CHARS / 2);

    private final OpenCharsLimiter requests = new OpenCharsLimiter(OpenCharsLimiter.MAX_HOST_REQUEST_CHARS);

    @Test
    void releasedRequestFreesItsCapacity() {
        assertThat(requests.tryAdd(1, HALF)).isTrue();
        assertThat(requests.tryAdd(2, HALF)).isTrue();
        assertThat(requests.tryAdd(3, 1)).isFalse();
        assertThat(requests.hasCapacity(1)).isFalse();

        requests.release(1);
        requests.release(1);
        requests.release(7);

        assertThat(requests.hasCapacity(HALF)).isTrue();
        assertThat(requests.tryAdd(4, HALF + 1)).isFalse();
        assertThat(requests.tryAdd(5, HALF)).isTrue();
    }

    @Test
    void twoLargestArtifactsFit() {
        int largest = 10_000_000 / 3 * 4 + 4_000;
        assertThat(requests.tryAdd(1, largest)).isTrue();
        assertThat(requests.tryAdd(2, largest)).isTrue();
        assertThat(requests.tryAdd(3, largest)).isFalse();
    }
}
