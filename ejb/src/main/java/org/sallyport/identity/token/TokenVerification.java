package org.sallyport.identity.token;

import java.util.Optional;
import org.sallyport.auth.Caller;

/** Result of the verification of a token. */
public sealed interface TokenVerification {

    /**
     * The token is valid.
     *
     * @param name display name of the bearer at the issuer, unchanged; untrusted text; the subject when the token has
     *     no name
     */
    record TokenAccepted(Caller caller, String name) implements TokenVerification {}

    /**
     * The token is rejected.
     *
     * @param signedByIssuer whether the issuer signed it, so that the sender did not guess
     * @param caller the caller that it names, as far as that is certain
     */
    record TokenRejected(TokenRejection reason, boolean signedByIssuer, Optional<Caller> caller)
            implements TokenVerification {}

    /** The token cannot be verified, because the keys of its issuer are not available. */
    record VerificationUnavailable() implements TokenVerification {}
}
