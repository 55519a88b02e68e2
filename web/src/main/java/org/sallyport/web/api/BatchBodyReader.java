package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.BatchRequest.BatchRequestEntry;
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

    /** The members of the defaults that do not apply to an item with a script of its own. */
    private static final List<String> SCRIPT_MEMBERS =
            List.of("code", SavedScriptReader.SCRIPT_MEMBER, "capability", "version", "integrity");

    private final BatchItemDocuments documents;
    private final ObjectNode defaults;
    private final boolean shareReadsByDefault;

    /** @param shares whether items share read results if neither the item nor the defaults say otherwise */
    BatchBodyReader(BatchItemDocuments documents, ObjectNode defaults, boolean shares) {
        this.documents = documents;
        this.defaults = defaults;
        this.shareReadsByDefault = shares;
    }

    @Override
    public int count() {
        return documents.count();
    }

    @Override
    public Iterator<BatchRequestEntry> read() {
        Iterator<BatchItemDocuments.ItemDocument> all = documents.read();
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public BatchRequestEntry next() {
                BatchItemDocuments.ItemDocument document = all.next();
                return new BatchRequestEntry(
                        item(next++, document), document.row().map(row -> new Json(row.toString())));
            }
        };
    }

    private BatchRequestItem item(int index, BatchItemDocuments.ItemDocument document) {
        ObjectNode members = document.members();
        if (members == null) {
            return new BatchRequestItem.UnreadableItem(json(index, Objects.requireNonNull(document.problem())));
        }
        try {
            return item(members);
        } catch (ProblemException e) {
            return new BatchRequestItem.UnreadableItem(json(index, e.problem()));
        }
    }

    private BatchRequestItem item(ObjectNode own) {
        ObjectNode whole = defaults.deepCopy();
        if (namesScript(own) && namesScript(defaults)) {
            whole.remove(SCRIPT_MEMBERS);
            if (!own.has("code")) {
                whole.remove(List.of("language", SavedScriptReader.SAVE_AS_MEMBER));
            }
        }
        whole.setAll(own);
        JsonMembers members = new JsonMembers(whole);
        if (members.has(CacheOptionsReader.CACHE_MEMBER)) {
            throw members.invalidMember(
                    CacheOptionsReader.CACHE_MEMBER, "is for single submissions, not for the items of a batch");
        }
        boolean sharesReads = members.flag(SHARE_READS).orElse(shareReadsByDefault);
        // The remaining members form an ordinary submission.
        whole.remove(SHARE_READS);
        if (SavedScriptReader.namesSavedScript(members)) {
            return new BatchRequestItem.SavedScriptItem(
                    SavedScriptReader.readRunRequest(members, Optional.empty()).withSharedReads(sharesReads));
        } else if (CapabilityReader.namesCapability(members)) {
            return new BatchRequestItem.CapabilityItem(
                    CapabilityReader.readRunRequest(members, Optional.empty()).withSharedReads(sharesReads));
        }
        return new BatchRequestItem.SubmissionItem(
                SubmissionReader.readWithSaveAs(members, Optional.empty()).withSharedReads(sharesReads));
    }

    /** Whether the members name what to run. */
    static boolean namesScript(ObjectNode members) {
        JsonMembers named = new JsonMembers(members);
        return members.has("code")
                || SavedScriptReader.namesSavedScript(named)
                || CapabilityReader.namesCapability(named);
    }

    @Override
    public Json problem(int index, SubmissionResult refusal) {
        return json(index, SubmissionProblems.toProblem(refusal));
    }

    @Override
    public Json problem(int index, InvalidSubmissionException exception) {
        return json(
                index,
                Problem.of(
                        ProblemType.VALIDATION,
                        "'" + exception.member() + "' " + exception.getMessage(),
                        members -> members.put("member", exception.member())));
    }

    /** The problem of an item, with the line of the body in which the item begins. */
    private Json json(int index, Problem problem) {
        if (documents.line(index) > 0) {
            problem.members().put("sourceLine", documents.line(index));
        }
        return new Json(new String(problem.body(null), StandardCharsets.UTF_8));
    }
}
