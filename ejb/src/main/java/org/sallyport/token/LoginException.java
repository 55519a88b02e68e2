package org.sallyport.token;

import java.util.Optional;

/** Somebody did not get in. Its message is for the log, and has nothing of what strangers sent. */
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

    /** What the person is told. */
    public LoginFailure failure() {
        return failure;
    }

    /** What was thought of his token, if there was one and it was not taken. */
    public Optional<TokenVerification.TokenRejected> rejection() {
        return rejection;
    }
}
