package org.sallyport.web.security;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.sallyport.audit.AuditLog;
import org.sallyport.auth.Caller;
import org.sallyport.identity.token.JwtAuthenticator;
import org.sallyport.identity.token.TokenVerification;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Authenticates callers by bearer token. Logs and audits the reason of a rejection but does not return it, so that an
 * attacker learns nothing from the responses. Thread-safe.
 */
@Dependent
public class BearerTokenAuthenticator {
    static final String AUDIT_ACTION = "token.use";

    private final JwtAuthenticator tokens;
    private final AuditLog audit;
    private final TokenRejectionLog rejectionLog = new TokenRejectionLog(System::nanoTime);

    /**
     * The result of a check.
     *
     * @param caller the bearer; empty if the token was rejected
     * @param guessed true for a rejected token without a valid signature of its issuer: the client may be guessing, so
     *     the rejection counts as a failed login
     */
    record BearerTokenResult(Optional<Caller> caller, boolean guessed) {}

    @Inject
    public BearerTokenAuthenticator(JwtAuthenticator tokens, AuditLog audit) {
        this.tokens = tokens;
        this.audit = audit;
    }

    /** Whether this may be a token and not an API key. */
    boolean mayBeToken(String secret) {
        return tokens.isEnabled() && !secret.startsWith("sp_");
    }

    /**
     * Verifies the token.
     *
     * @throws ProblemException if the keys of the issuer are unavailable, so that the token cannot be checked now
     */
    BearerTokenResult authenticate(HttpServletRequest request, String token) {
        TokenVerification verdict = tokens.verify(token);
        if (verdict instanceof TokenVerification.TokenAccepted accepted) {
            return new BearerTokenResult(Optional.of(accepted.caller()), false);
        } else if (verdict instanceof TokenVerification.TokenRejected why) {
            recordRejection(request, why);
            return new BearerTokenResult(Optional.empty(), !why.signedByIssuer());
        }
        throw new ProblemException(
                ProblemType.UNAVAILABLE, "the signing keys of the token's issuer cannot be fetched; try again shortly");
    }

    /**
     * Logs and audits the rejection of a token. Also used for tokens that do not come in the {@code Authorization}
     * header.
     */
    public void recordRejection(HttpServletRequest request, TokenVerification.TokenRejected why) {
        rejectionLog.logRejection(why, request.getRemoteAddr());
        why.caller().ifPresent(caller -> audit(request, caller, why));
    }

    private void audit(HttpServletRequest request, Caller caller, TokenVerification.TokenRejected why) {
        audit.recordRefusal(
                new AuditLog.AuditActor(
                        caller.tenant(), caller.id(), RejectionRecorder.channel(request), request.getRemoteAddr()),
                AUDIT_ACTION,
                "",
                ProblemType.UNAUTHORIZED.status(),
                why.reason().code());
    }
}
