package org.sallyport.token;

import java.util.Optional;
import org.sallyport.access.Caller;

/** What is thought of a token. */
public sealed interface TokenVerification {

    /**
     * It counts.
     *
     * @param name how its issuer calls the bearer for people, as it came: text of a stranger; his subject when it does not
     */
    record TokenAccepted(Caller caller, String name) implements TokenVerification {}

    /**
     * It does not.
     *
     * @param signedByIssuer whether its issuer signed it, so that whoever sent it did not guess
     * @param caller who it would have been, as far as that is certain
     */
    record TokenRejected(TokenRejection reason, boolean signedByIssuer, Optional<Caller> caller)
            implements TokenVerification {}

    /** Nobody can say, since the keys of its issuer cannot be had. */
    record VerificationUnavailable() implements TokenVerification {}
}
