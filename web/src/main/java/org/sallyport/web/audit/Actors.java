package org.sallyport.web.audit;

import jakarta.servlet.http.HttpServletRequest;
import org.sallyport.access.Caller;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.web.security.SessionCookie;

/** Who sent a request, for the audit log. */
final class Actors {
    private Actors() {}

    static AuditLog.Actor of(HttpServletRequest request, Caller caller) {
        return new AuditLog.Actor(caller.tenant(), caller.keyId(), door(request), request.getRemoteAddr());
    }

    /** A key goes before a session, as where callers are let in. */
    private static AuditEntry.Door door(HttpServletRequest request) {
        return request.getHeader("Authorization") == null
                        && request.getHeader("X-API-Key") == null
                        && SessionCookie.of(request).isPresent()
                ? AuditEntry.Door.CONSOLE
                : AuditEntry.Door.REST;
    }
}
