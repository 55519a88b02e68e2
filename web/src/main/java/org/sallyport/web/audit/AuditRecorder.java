package org.sallyport.web.audit;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditRateLimitException;
import org.sallyport.audit.AuditResult;
import org.sallyport.auth.Caller;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.RejectionRecorder;

/** Writes audit entries for actions that are not operations of the REST API. Thread-safe. */
@Dependent
public class AuditRecorder {
    static final String NOTE = "org.sallyport.audit.note";

    private final AuditLog log;
    private final RejectionRecorder rejections;

    @Inject
    public AuditRecorder(AuditLog log, RejectionRecorder rejections) {
        this.log = log;
        this.rejections = rejections;
    }

    /** Adds text for people to the result of the audited operation that handles {@code request}. */
    public static void addNote(HttpServletRequest request, String note) {
        request.setAttribute(NOTE, note);
    }

    /**
     * Writes the entry of an action before it starts.
     *
     * @throws ProblemException if this key has exceeded its rate of audited actions
     */
    static AuditEntry beginEntry(AuditLog log, AuditLog.AuditActor actor, String action, String object) {
        try {
            return log.recordStart(actor, action, object);
        } catch (AuditRateLimitException e) {
            throw new ProblemException(ProblemType.RATE_LIMITED, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Runs an action of an agent. Writes its entry before it and its result after it.
     *
     * @throws ProblemException if this key has exceeded its rate of audited actions
     */
    public <T> T auditMcpAction(Caller caller, String address, String action, String object, Supplier<T> deed) {
        return auditMcpAction(caller, address, action, object, "", deed);
    }

    /** Like the method without {@code note}, which is text for people in the result of a successful action. */
    public <T> T auditMcpAction(
            Caller caller, String address, String action, String object, String note, Supplier<T> deed) {
        return auditAction(AuditEntry.AuditChannel.MCP, caller, address, action, object, note, deed);
    }

    /**
     * Same as {@link #auditMcpAction}, for an action that is done when its stage completes.
     *
     * @throws ProblemException if this key has exceeded its rate of audited actions
     */
    public <T> CompletionStage<T> auditMcpRequest(
            Caller caller, String address, String action, String object, Supplier<CompletionStage<T>> deed) {
        AuditEntry entry = beginEntry(
                log,
                new AuditLog.AuditActor(caller.tenant(), caller.id(), AuditEntry.AuditChannel.MCP, address),
                action,
                object);
        CompletionStage<T> done;
        try {
            done = deed.get();
        } catch (RuntimeException e) {
            done = CompletableFuture.failedStage(e);
        }
        return done.whenComplete((value, failure) ->
                log.recordResult(entry, AuditResult.of(failure == null ? 200 : statusOf(failure), "", "")));
    }

    private static int statusOf(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof ProblemException refused
                ? refused.problem().type().status()
                : 500;
    }

    /** Same as {@link #auditMcpAction}, for a person that uses a link which {@code caller} created. */
    public <T> T auditLinkAction(Caller caller, String address, String action, String object, Supplier<T> deed) {
        return auditAction(AuditEntry.AuditChannel.LINK, caller, address, action, object, "", deed);
    }

    private <T> T auditAction(
            AuditEntry.AuditChannel channel,
            Caller caller,
            String address,
            String action,
            String object,
            String note,
            Supplier<T> deed) {
        AuditEntry entry = beginEntry(
                log, new AuditLog.AuditActor(caller.tenant(), caller.id(), channel, address), action, object);
        AuditResult result = AuditResult.of(500, "", "");
        try {
            T done = deed.get();
            result = AuditResult.of(200, "", note);
            return done;
        } catch (ProblemException e) {
            result = AuditResult.of(e.problem().type().status(), "", "");
            throw e;
        } finally {
            log.recordResult(entry, result);
        }
    }

    /**
     * Records an action at the console after it was done. The caller of this method must not report the action before
     * this method returns.
     */
    public void auditConsoleAction(HttpServletRequest request, Caller caller, String action) {
        log.recordDone(
                new AuditLog.AuditActor(
                        caller.tenant(), caller.id(), AuditEntry.AuditChannel.CONSOLE, request.getRemoteAddr()),
                action,
                "");
    }

    /** Records one part of an audited action, with its own object, after it was done. */
    public void auditDone(HttpServletRequest request, Caller caller, String action, String object) {
        log.recordDone(AuditActors.of(request, caller), action, object);
    }

    /** Records that an unauthenticated caller was rejected at the console, up to a number of entries per minute. */
    public void auditRejection(HttpServletRequest request, String action, int status) {
        rejections.recordRejection(request, AuditEntry.AuditChannel.CONSOLE, action, status);
    }
}
