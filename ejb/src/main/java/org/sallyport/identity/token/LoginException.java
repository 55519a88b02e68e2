package org.sallyport.identity.token;

import java.util.Optional;

/** A login failed. The message is for the log and contains no untrusted text. */
public final class LoginException extends Exception {
    private static final long serialVersionUID = 1;

    private final LoginFailure failure;
    private final transient Optional<TokenVerification.TokenRejected> rejection;

    LoginException(LoginFailure failure, String reason) {
        super(reason);
        this.failure = failure;
        this.rejection = Optional.empty();
    }

    LoginException(TokenVerification.TokenRejected refused) {
        super("the ID token was refused: " + refused.reason().code());
        this.failure = LoginFailure.REFUSED;
        this.rejection = Optional.of(refused);
    }

    /** Returns the failure that the person is shown. */
    public LoginFailure failure() {
        return failure;
    }

    /** Returns the rejection of the ID token, when that was the cause. */
    public Optional<TokenVerification.TokenRejected> rejection() {
        return rejection;
    }
}
