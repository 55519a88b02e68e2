package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.BatchRequest.Item;
import org.sallyport.submission.InvalidSubmissionException;
import org.sallyport.submission.Receipt;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** The items of a batch as its body has them, each with the defaults where it says nothing itself. */
final class BatchBody implements BatchRequest.Items {
    /** Whether what one item reads may be given to the others: of all, or of one that says otherwise. */
    static final String SHARE = "shareReads";

    private final Spool body;
    private final BatchIndex index;
    private final ObjectNode defaults;

    private final boolean shares;

    /** @param shares whether items share what they read that do not say otherwise, and whose defaults do not */
    BatchBody(Spool body, BatchIndex index, ObjectNode defaults, boolean shares) {
        this.body = body;
        this.index = index;
        this.defaults = defaults;
        this.shares = shares;
    }

    @Override
    public int count() {
        return index.count();
    }

    @Override
    public Iterator<Item> read() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < index.count();
            }

            @Override
            public Item next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return item(next++);
            }
        };
    }

    private Item item(int number) {
        try {
            ObjectNode whole = defaults.deepCopy();
            whole.setAll(index.item(body, number));
            Members members = new Members(whole);
            if (members.has(ResultReader.MEMBER)) {
                throw members.fault(ResultReader.MEMBER, "is for single submissions, not for the items of a batch");
            }
            boolean sharesReads = members.flag(SHARE).orElse(shares);
            // What is left is a submission like any other.
            whole.remove(SHARE);
            if (ScriptReader.isCall(members)) {
                return new Item.Kept(
                        ScriptReader.call(members, Optional.empty()).sharingReads(sharesReads));
            } else if (CapabilityReader.isCall(members)) {
                return new Item.Published(
                        CapabilityReader.call(members, Optional.empty()).sharingReads(sharesReads));
            }
            return new Item.Wanted(
                    SubmissionReader.readToKeep(members, Optional.empty()).sharingReads(sharesReads));
        } catch (ProblemException e) {
            return new Item.Unreadable(json(e.problem()));
        }
    }

    @Override
    public Json problem(Receipt refusal) {
        return json(ReceiptProblems.of(refusal));
    }

    @Override
    public Json problem(InvalidSubmissionException fault) {
        return json(Problem.of(
                ProblemType.VALIDATION,
                "'" + fault.member() + "' " + fault.getMessage(),
                members -> members.put("member", fault.member())));
    }

    private static Json json(Problem problem) {
        return new Json(new String(problem.body(null), StandardCharsets.UTF_8));
    }
}
