package org.sallyport.web.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.approval.Approval;
import org.sallyport.tool.Json;

/**
 * A page of approvals that fits into memory and one response: at most the requested number of approvals and the maximum
 * number of characters, but at least one approval.
 *
 * @param approvals the approvals in order
 * @param more whether more approvals follow
 */
public record ApprovalPage(List<Approval> approvals, boolean more) {
    /** Maximum number of characters of the values in a page. */
    public static final long MAX_CHARS = 1L << 20;

    /**
     * Number of approvals in the first read. The values of one approval may have megabytes, so the reads stay small
     * until their size is known.
     */
    private static final int MIN_READ = 4;

    private static final int READ_GROWTH = 4;
    /** Approximate characters of an approval in a response without its values. */
    private static final int APPROVAL_CHARS = 500;

    public ApprovalPage {
        approvals = List.copyOf(approvals);
    }

    /** The source of approvals: those that follow the approval {@code last}, at most {@code limit}. */
    public interface ApprovalSource {
        List<Approval> read(Optional<UUID> last, int limit);
    }

    /**
     * Reads a page.
     *
     * @param previous the last approval of the previous page, if there is one
     */
    public static ApprovalPage read(ApprovalSource source, Optional<UUID> previous, int limit, long maxChars) {
        List<Approval> approvals = new ArrayList<>();
        Optional<UUID> last = previous;
        long chars = 0;
        long batchSize = MIN_READ;
        while (true) {
            int asked = (int) Math.min(batchSize, limit + 1L - approvals.size());
            List<Approval> found = source.read(last, asked);
            for (Approval approval : found) {
                chars += APPROVAL_CHARS + valueChars(approval);
                if (approvals.size() == limit || chars > maxChars && !approvals.isEmpty()) {
                    return new ApprovalPage(approvals, true);
                }
                approvals.add(approval);
                last = Optional.of(approval.id());
            }
            if (found.size() < asked) {
                return new ApprovalPage(approvals, false);
            }
            long average = chars / approvals.size();
            long fitting = (maxChars - chars) / average;
            batchSize = Math.max(MIN_READ, Math.min(batchSize * READ_GROWTH, fitting));
        }
    }

    /** Size of the values of the approval in a response, in characters. */
    private static long valueChars(Approval approval) {
        long decision = approval.decision()
                .map(decided -> length(decided.editedArguments()) + length(decided.result()))
                .orElse(0L);
        return approval.request().arguments().text().length()
                + length(approval.request().terms().expiryAction().value())
                + length(approval.resultAtExpiry())
                + decision;
    }

    private static long length(Optional<Json> value) {
        return value.map(json -> json.text().length()).orElse(0);
    }
}
