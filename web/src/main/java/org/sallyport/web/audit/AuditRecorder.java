package org.sallyport.web.audit;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.sallyport.access.Caller;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditRateLimitException;
import org.sallyport.audit.AuditResult;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Has the audit log written of what does not come as an operation of the API. Thread-safe. */
@Dependent
public class AuditRecorder {
    /** Where the log is written of somebody whom nobody knows: that of those who run the installation. */
    private static final String UNAUTHENTICATED_TENANT = "default";

    private final AuditLog log;

    @Inject
    public AuditRecorder(AuditLog log) {
        this.log = log;
    }

    /** Writes what is about to be done; {@link ApiProblemException} when this key did too much lately. */
    static AuditEntry beginEntry(AuditLog log, AuditLog.AuditActor actor, String action, String object) {
        try {
            return log.recordStart(actor, action, object);
        } catch (AuditRateLimitException e) {
            throw new ProblemException(ProblemType.RATE_LIMITED, String.valueOf(e.getMessage()));
        }
    }

    /** Does what an agent asked for, and writes before what it is and afterwards what came of it. */
    public <T> T auditMcpAction(Caller caller, String address, String action, String object, Supplier<T> deed) {
        return auditAction(AuditEntry.AuditChannel.MCP, caller, address, action, object, deed);
    }

    /** As {@link #auditMcpAction}, for somebody who came by a link that {@code caller} made. */
    public <T> T auditLinkAction(Caller caller, String address, String action, String object, Supplier<T> deed) {
        return auditAction(AuditEntry.AuditChannel.LINK, caller, address, action, object, deed);
    }

    private <T> T auditAction(
            AuditEntry.AuditChannel door,
            Caller caller,
            String address,
            String action,
            String object,
            Supplier<T> deed) {
        AuditEntry entry =
                beginEntry(log, new AuditLog.AuditActor(caller.tenant(), caller.id(), door, address), action, object);
        AuditResult result = AuditResult.of(500, "", "");
        try {
            T done = deed.get();
            result = AuditResult.of(200, "", "");
            return done;
        } catch (ProblemException e) {
            result = AuditResult.of(e.problem().type().status(), "", "");
            throw e;
        } finally {
            log.recordResult(entry, result);
        }
    }

    /** Writes what was done at the console and is not to be told before it is written. */
    public void auditConsoleAction(HttpServletRequest request, Caller caller, String action) {
        log.recordDone(
                new AuditLog.AuditActor(
                        caller.tenant(), caller.id(), AuditEntry.AuditChannel.CONSOLE, request.getRemoteAddr()),
                action,
                "");
    }

    /** Writes that somebody unknown was not let in, so many times a minute. */
    public void auditRejection(HttpServletRequest request, String action, int status) {
        log.recordRefusal(
                new AuditLog.AuditActor(
                        UNAUTHENTICATED_TENANT, "", AuditEntry.AuditChannel.CONSOLE, request.getRemoteAddr()),
                action,
                "",
                status);
    }
}
