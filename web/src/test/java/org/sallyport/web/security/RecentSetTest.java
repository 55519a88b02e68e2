package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentSetTest {
    @Test
    void forgetsTheOldestBeyondItsMaximum() {
        RecentSet set = new RecentSet(2);
        set.add("a");
        set.add("b");
        set.add("a");
        set.add("c");

        assertThat(set.contains("a")).isTrue();
        assertThat(set.contains("b")).isFalse();
        assertThat(set.contains("c")).isTrue();
    }
}
