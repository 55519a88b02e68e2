package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.approval.Approval;

class ApprovalPageTest {
    /** Newest first. */
    private final List<Approval> stored = new ArrayList<>();

    private int maxRequested;

    private List<Approval> read(Optional<UUID> before, int limit) {
        maxRequested = Math.max(maxRequested, limit);
        int start = before.map(id -> ids(stored).indexOf(id) + 1).orElse(0);
        return stored.stream().skip(start).limit(limit).toList();
    }

    private static List<UUID> ids(List<Approval> approvals) {
        return approvals.stream().map(Approval::id).toList();
    }

    /** Stores approvals, each with arguments of this length. */
    private void ask(int count, int chars) {
        for (int i = 0; i < count; i++) {
            stored.add(ApprovalFixtures.pending(new UUID(1, 1_000 - stored.size()), chars));
        }
    }

    private ApprovalPage page(Optional<UUID> before, int limit) {
        return ApprovalPage.read(this::read, before, limit, 10_000);
    }

    private List<UUID> readPages(int limit) {
        List<UUID> seen = new ArrayList<>();
        boolean more = true;
        while (more) {
            Optional<UUID> last = seen.isEmpty() ? Optional.empty() : Optional.of(seen.get(seen.size() - 1));
            ApprovalPage page = page(last, limit);
            assertThat(page.approvals()).hasSizeBetween(1, limit);
            seen.addAll(ids(page.approvals()));
            more = page.more();
        }
        return seen;
    }

    @Test
    void pagesOfLargeApprovalsAreShorterAndTogetherComplete() {
        ask(7, 4_000);

        List<UUID> seen = new ArrayList<>();
        Optional<UUID> last = Optional.empty();
        ApprovalPage page;
        do {
            page = page(last, 50);
            assertThat(page.approvals()).hasSizeBetween(1, 2);
            seen.addAll(ids(page.approvals()));
            last = Optional.of(seen.get(seen.size() - 1));
        } while (page.more());

        assertThat(seen).isEqualTo(ids(stored));
        assertThat(maxRequested).isLessThanOrEqualTo(4);
    }

    @Test
    void pageHasAtLeastOneApproval() {
        ask(2, 50_000);

        assertThat(page(Optional.empty(), 50).approvals()).hasSize(1);
        assertThat(page(Optional.empty(), 50).more()).isTrue();
    }

    @Test
    void pageOfSmallApprovalsEndsAtItsLimit() {
        ask(12, 2);

        assertThat(page(Optional.empty(), 12).approvals()).hasSize(12);
        assertThat(page(Optional.empty(), 12).more()).isFalse();
        assertThat(page(Optional.empty(), 11).approvals()).hasSize(11);
        assertThat(page(Optional.empty(), 11).more()).isTrue();
        assertThat(page(Optional.of(stored.get(10).id()), 5).approvals()).containsExactly(stored.get(11));
    }

    /** Each approval has 500 characters besides its arguments. */
    @Test
    void pageEndsWithTheApprovalThatFillsIt() {
        ask(2, 4_500);
        ask(1, 2);

        assertThat(ids(page(Optional.empty(), 50).approvals())).isEqualTo(ids(stored.subList(0, 2)));
        assertThat(page(Optional.empty(), 50).more()).isTrue();
        assertThat(page(Optional.of(stored.get(1).id()), 50).approvals()).containsExactly(stored.get(2));
    }

    @Test
    void approvalThatExceedsThePageByOneCharacterIsOnTheNext() {
        ask(1, 4_500);
        ask(1, 4_501);

        assertThat(page(Optional.empty(), 50).approvals()).containsExactly(stored.get(0));
        assertThat(page(Optional.empty(), 50).more()).isTrue();
        assertThat(page(Optional.of(stored.get(0).id()), 50).approvals()).containsExactly(stored.get(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 16, 17, 50})
    void eachApprovalIsOnOnePage(int limit) {
        for (int count = 1; count <= 24; count++) {
            ask(1, count % 3 == 0 ? 4_500 : count % 7 == 0 ? 12_000 : 10);
            assertThat(readPages(limit)).as("%s approvals", count).isEqualTo(ids(stored));
        }
    }
}
