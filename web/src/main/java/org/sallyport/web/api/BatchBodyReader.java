package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.BatchRequest.BatchRequestItem;
import org.sallyport.submission.InvalidSubmissionException;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Reads the items of a batch from its body. An item takes the defaults for members that it does not set. */
final class BatchBodyReader implements BatchRequest.BatchItemSource {
    /**
     * The member that controls whether a read result of one item may be reused for the others; set for all items or for
     * one.
     */
    static final String SHARE_READS = "shareReads";

    private final SpooledBody body;
    private final BatchItemIndex index;
    private final ObjectNode defaults;

    private final boolean shareReadsByDefault;

    /** @param shares whether items share read results if neither the item nor the defaults say otherwise */
    BatchBodyReader(SpooledBody body, BatchItemIndex index, ObjectNode defaults, boolean shares) {
        this.body = body;
        this.index = index;
        this.defaults = defaults;
        this.shareReadsByDefault = shares;
    }

    @Override
    public int count() {
        return index.count();
    }

    @Override
    public Iterator<BatchRequestItem> read() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < index.count();
            }

            @Override
            public BatchRequestItem next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return item(next++);
            }
        };
    }

    private BatchRequestItem item(int number) {
        try {
            ObjectNode whole = defaults.deepCopy();
            whole.setAll(index.item(body, number));
            JsonMembers members = new JsonMembers(whole);
            if (members.has(CacheOptionsReader.CACHE_MEMBER)) {
                throw members.invalidMember(
                        CacheOptionsReader.CACHE_MEMBER, "is for single submissions, not for the items of a batch");
            }
            boolean sharesReads = members.flag(SHARE_READS).orElse(shareReadsByDefault);
            // The remaining members form an ordinary submission.
            whole.remove(SHARE_READS);
            if (SavedScriptReader.namesSavedScript(members)) {
                return new BatchRequestItem.SavedScriptItem(SavedScriptReader.readRunRequest(members, Optional.empty())
                        .withSharedReads(sharesReads));
            } else if (CapabilityReader.namesCapability(members)) {
                return new BatchRequestItem.CapabilityItem(CapabilityReader.readRunRequest(members, Optional.empty())
                        .withSharedReads(sharesReads));
            }
            return new BatchRequestItem.SubmissionItem(
                    SubmissionReader.readWithSaveAs(members, Optional.empty()).withSharedReads(sharesReads));
        } catch (ProblemException e) {
            return new BatchRequestItem.UnreadableItem(json(e.problem()));
        }
    }

    @Override
    public Json problem(SubmissionResult refusal) {
        return json(SubmissionProblems.toProblem(refusal));
    }

    @Override
    public Json problem(InvalidSubmissionException exception) {
        return json(Problem.of(
                ProblemType.VALIDATION,
                "'" + exception.member() + "' " + exception.getMessage(),
                members -> members.put("member", exception.member())));
    }

    private static Json json(Problem problem) {
        return new Json(new String(problem.body(null), StandardCharsets.UTF_8));
    }
}
