package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionPage;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.runner.CancellationService;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/**
 * Cancels the executions that match filters, newest first. A request handles a bounded number and returns a cursor for
 * the next one. Each execution is cancelled in a transaction of its own, so a request that is repeated after a failure
 * cancels what remains.
 */
@ApplicationScoped
@Path("executions/cancel")
@Produces(MediaType.APPLICATION_JSON)
public class SelectionCancelResource {
    private static final int PAGE_SIZE = 100;
    private static final int MAX_CANCELLED = 500;
    private static final int MAX_COUNTED = 5_000;
    /** Maximum number of pages that one request reads. Each page reads a bounded number of rows. */
    private static final int MAX_PAGES = 50;

    private static final int MAX_NOTE_LENGTH = 2_000;

    private final InstantSource clock = InstantSource.system();

    @Inject
    ExecutionStore store;

    @Inject
    CancellationService canceller;

    @Inject
    AuditRecorder auditRecorder;

    @Inject
    StrictJsonReader json;

    /** How many executions a request has handled, by the result of their cancellation. */
    private static final class CancelCounts {
        private int cancelled;
        private int requested;
        private int alreadyRequested;
        private int ended;

        private int changed() {
            return cancelled + requested;
        }

        private ObjectNode toJson() {
            return ExecutionMapper.object()
                    .put("cancelled", cancelled)
                    .put("requested", requested)
                    .put("alreadyRequested", alreadyRequested)
                    .put("ended", ended);
        }
    }

    @POST
    @Audited("execution.cancel-selection")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response cancel(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Context UriInfo address,
            @BeanParam ExecutionSelectionParameters parameters,
            @QueryParam("dryRun") @Nullable String dryRun) {
        Caller caller = RequestContexts.caller(request);
        MultivaluedMap<String, String> selection = parameters.byName();
        rejectUnknownParameters(address.getQueryParameters().keySet());
        ExecutionListQuery query = ExecutionListQuery.ofUnfinished(selection, clock.instant());
        boolean counts = RequestParameters.flag("dryRun", dryRun);
        Optional<String> reason = CancelReasonReader.read(json, headers, in);
        ObjectNode answer =
                counts ? count(caller, query) : cancel(request, caller, query, CancelRequest.by(caller.id(), reason));
        AuditRecorder.addNote(request, note(selection, answer, reason));
        return Response.ok(answer).build();
    }

    /** A filter that is misspelled, or that only the list has, would select more executions than meant. */
    private static void rejectUnknownParameters(Set<String> given) {
        given.stream()
                .filter(name -> !name.equals("dryRun") && !ExecutionSelectionParameters.NAMES.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw RequestParameters.invalidParameter(
                            RequestContexts.abbreviate(name), "is no filter of this request");
                });
    }

    private ObjectNode count(Caller caller, ExecutionListQuery query) {
        int matches = 0;
        Optional<ExecutionId> before = query.beforeId();
        for (int pages = 0; pages < MAX_PAGES; pages++) {
            ExecutionPage page = store.list(caller.tenant(), query.filter(), before, PAGE_SIZE);
            matches += page.items().size();
            before = page.next();
            if (before.isEmpty() || matches >= MAX_COUNTED) {
                break;
            }
        }
        return withNext(ExecutionMapper.object().put("matches", matches), query, before);
    }

    /**
     * Cancels what the list shows, then lists again from the newest until nothing else is cancelled: an execution that
     * changes its state while a page is read may be missing on the page.
     */
    private ObjectNode cancel(HttpServletRequest http, Caller caller, ExecutionListQuery query, CancelRequest request) {
        CancelCounts counts = new CancelCounts();
        int handled = 0;
        int changedBefore = 0;
        Set<ExecutionId> seen = new HashSet<>();
        Optional<ExecutionId> before = query.beforeId();
        for (int pages = 0; pages < MAX_PAGES; pages++) {
            ExecutionPage page = store.list(caller.tenant(), query.filter(), before, PAGE_SIZE);
            for (ExecutionSummary execution : page.items()) {
                if (seen.add(execution.id())) {
                    cancel(http, caller, execution.id(), request, counts);
                    handled++;
                }
            }
            before = page.next();
            boolean complete = before.isEmpty() && counts.changed() == changedBefore;
            if (complete || handled >= MAX_CANCELLED) {
                break;
            } else if (before.isEmpty()) {
                changedBefore = counts.changed();
            }
        }
        return withNext(counts.toJson(), query, before);
    }

    private void cancel(
            HttpServletRequest http, Caller caller, ExecutionId id, CancelRequest request, CancelCounts counts) {
        CancellationService.AttemptCancelResult attempt = canceller.cancel(caller.tenant(), id, request);
        CancelResult result = attempt.result();
        if (result instanceof CancelResult.CancelledImmediately) {
            counts.cancelled++;
        } else if (result instanceof CancelResult.CancelRequested stored) {
            if (stored.repeated()) {
                counts.alreadyRequested++;
                return;
            }
            counts.requested++;
        } else {
            counts.ended++;
            return;
        }
        auditRecorder.auditDone(
                http, caller, "execution.cancel", attempt.execution().toString());
    }

    private static ObjectNode withNext(ObjectNode answer, ExecutionListQuery query, Optional<ExecutionId> last) {
        return answer.put(
                "next", last.map(id -> Cursor.encode(id, query.fingerprint())).orElse(null));
    }

    /** Returns the selection, the counts and the reason in one line. */
    private static String note(MultivaluedMap<String, String> selection, ObjectNode answer, Optional<String> reason) {
        ObjectNode counts = answer.deepCopy();
        counts.remove("next");
        String text = new TreeMap<>(selection) + " " + counts
                + reason.map(why -> " " + why).orElse("");
        return text.length() <= MAX_NOTE_LENGTH ? text : text.substring(0, MAX_NOTE_LENGTH) + "…";
    }
}
