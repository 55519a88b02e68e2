package org.sallyport.web.audit;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.sallyport.access.Caller;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditResult;
import org.sallyport.audit.TooManyDeedsException;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Has the audit log written of what does not come as an operation of the API. Thread-safe. */
@Dependent
public class Deeds {
    /** Where the log is written of somebody whom nobody knows: that of those who run the installation. */
    private static final String NOBODYS_TENANT = "default";

    private final AuditLog log;

    @Inject
    public Deeds(AuditLog log) {
        this.log = log;
    }

    /** Writes what is about to be done; {@link ProblemException} when this key did too much lately. */
    static AuditEntry begin(AuditLog log, AuditLog.Actor actor, String action, String object) {
        try {
            return log.begin(actor, action, object);
        } catch (TooManyDeedsException e) {
            throw new ProblemException(ProblemType.RATE_LIMITED, String.valueOf(e.getMessage()));
        }
    }

    /** Does what an agent asked for, and writes before what it is and afterwards what came of it. */
    public <T> T byAgent(Caller caller, String address, String action, String object, Supplier<T> deed) {
        return written(AuditEntry.Door.MCP, caller, address, action, object, deed);
    }

    /** As {@link #byAgent}, for somebody who came by a link that {@code caller} made. */
    public <T> T byLink(Caller caller, String address, String action, String object, Supplier<T> deed) {
        return written(AuditEntry.Door.LINK, caller, address, action, object, deed);
    }

    private <T> T written(
            AuditEntry.Door door, Caller caller, String address, String action, String object, Supplier<T> deed) {
        AuditEntry entry =
                begin(log, new AuditLog.Actor(caller.tenant(), caller.keyId(), door, address), action, object);
        AuditResult result = AuditResult.of(500, "", "");
        try {
            T done = deed.get();
            result = AuditResult.of(200, "", "");
            return done;
        } catch (ProblemException e) {
            result = AuditResult.of(e.problem().type().status(), "", "");
            throw e;
        } finally {
            log.end(entry, result);
        }
    }

    /** Writes what was done at the console and is not to be told before it is written. */
    public void atConsole(HttpServletRequest request, Caller caller, String action) {
        log.done(
                new AuditLog.Actor(caller.tenant(), caller.keyId(), AuditEntry.Door.CONSOLE, request.getRemoteAddr()),
                action,
                "");
    }

    /** Writes that somebody unknown was not let in, so many times a minute. */
    public void turnedAway(HttpServletRequest request, String action, int status) {
        log.refused(
                new AuditLog.Actor(NOBODYS_TENANT, "", AuditEntry.Door.CONSOLE, request.getRemoteAddr()),
                action,
                "",
                status);
    }
}
