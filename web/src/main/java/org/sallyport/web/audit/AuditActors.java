package org.sallyport.web.audit;

import jakarta.servlet.http.HttpServletRequest;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.auth.Caller;
import org.sallyport.web.security.SessionCookie;

/** Determines the actor of a request for the audit log. */
final class AuditActors {
    private AuditActors() {}

    static AuditLog.AuditActor of(HttpServletRequest request, Caller caller) {
        return new AuditLog.AuditActor(caller.tenant(), caller.id(), channel(request), request.getRemoteAddr());
    }

    /** A key takes precedence over a session, as in authentication. */
    private static AuditEntry.AuditChannel channel(HttpServletRequest request) {
        return request.getHeader("Authorization") == null
                        && request.getHeader("X-API-Key") == null
                        && SessionCookie.readToken(request).isPresent()
                ? AuditEntry.AuditChannel.CONSOLE
                : AuditEntry.AuditChannel.REST;
    }
}
