package org.sallyport.web.security;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.sallyport.access.Caller;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.token.Tokens;
import org.sallyport.token.Verdict;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Lets in whoever brings a token that counts. Why one does not is written down and not told: whoever tries tokens learns nothing
 * from the answers. Thread-safe.
 */
@Dependent
public class TokenDoor {
    static final String ACTION = "token.use";

    private final Tokens tokens;
    private final AuditLog audit;
    private final RefusedTokens refused = new RefusedTokens(System::nanoTime);

    /**
     * What came of it.
     *
     * @param caller the bearer, if it counts
     * @param guessed whether whoever sent it may have made it up
     */
    record Outcome(Optional<Caller> caller, boolean guessed) {}

    @Inject
    public TokenDoor(Tokens tokens, AuditLog audit) {
        this.tokens = tokens;
        this.audit = audit;
    }

    /** Whether this may be a token rather than a key. */
    boolean isFor(String secret) {
        return tokens.areTaken() && !secret.startsWith("sp_");
    }

    /** Judges it; {@link ProblemException} when nobody can say now. */
    Outcome judge(HttpServletRequest request, String token) {
        Verdict verdict = tokens.judge(token);
        if (verdict instanceof Verdict.Accepted accepted) {
            return new Outcome(Optional.of(accepted.caller()), false);
        } else if (verdict instanceof Verdict.Refused why) {
            tell(request, why);
            return new Outcome(Optional.empty(), !why.genuine());
        }
        throw new ProblemException(
                ProblemType.UNAVAILABLE, "the keys of the token's issuer cannot be had; try again shortly");
    }

    /** Writes down that a token was not taken; also for who comes by another door than that of {@code Authorization}. */
    public void tell(HttpServletRequest request, Verdict.Refused why) {
        refused.tell(why, request.getRemoteAddr());
        why.caller().ifPresent(caller -> audit(request, caller, why));
    }

    private void audit(HttpServletRequest request, Caller caller, Verdict.Refused why) {
        AuditEntry.Door door = door(request.getRequestURI());
        audit.refused(
                new AuditLog.Actor(caller.tenant(), caller.keyId(), door, request.getRemoteAddr()),
                ACTION,
                "",
                ProblemType.UNAUTHORIZED.status(),
                why.why().code());
    }

    private static AuditEntry.Door door(String path) {
        if (path.startsWith("/console/")) {
            return AuditEntry.Door.CONSOLE;
        }
        return path.equals("/mcp") ? AuditEntry.Door.MCP : AuditEntry.Door.REST;
    }
}
