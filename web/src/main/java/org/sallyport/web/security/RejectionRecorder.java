package org.sallyport.web.security;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;

/**
 * Records rejected requests of unknown callers, who have no tenant, in the audit log of the tenant that operates the
 * installation. Thread-safe.
 */
@Dependent
public class RejectionRecorder {
    private final AuditLog log;
    private final String tenant;

    @Inject
    public RejectionRecorder(AuditLog log, Configuration configuration) {
        this.log = log;
        this.tenant = configuration.get(Settings.OPERATOR_TENANT);
    }

    /** Records a rejection, up to a number of entries per minute and channel. Never throws. */
    public void recordRejection(
            HttpServletRequest request, AuditEntry.AuditChannel channel, String action, int status) {
        log.recordRefusal(new AuditLog.AuditActor(tenant, "", channel, request.getRemoteAddr()), action, "", status);
    }

    /** The channel of a request, by its path. */
    static AuditEntry.AuditChannel channel(HttpServletRequest request) {
        String path = request.getRequestURI();
        if (path.startsWith("/console/")) {
            return AuditEntry.AuditChannel.CONSOLE;
        }
        return path.equals("/mcp") ? AuditEntry.AuditChannel.MCP : AuditEntry.AuditChannel.REST;
    }
}
