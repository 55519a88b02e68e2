package org.sallyport.identity.token;

/** Reason of a failed login at a provider. The codes are stable. */
public enum LoginFailure {
    /** The provider's answer belongs to no login of this browser, or the login is expired or already used. */
    STATE(
            "login-state",
            400,
            "This login was not started in this browser, took more than ten minutes, or was already used."
                    + " Start again at the console's own address."),
    /** The provider denied the login. */
    DENIED("login-denied", 403, "The provider denied the login."),
    /** The token of the provider is rejected, or its subject is blocked; the log contains the reason. */
    REFUSED(
            "login-refused",
            403,
            "The service does not accept the answer of the provider. An administrator finds the reason in its log."),
    /** None of the person's groups or roles maps to a role. */
    NO_ROLE(
            "login-no-role",
            403,
            "The provider knows you, but none of your groups has a role here. Ask an administrator for one."),
    /** The provider does not answer, or its answer is invalid. */
    PROVIDER(
            "login-provider",
            502,
            "The provider does not answer, or its answer is invalid. Try again shortly, or log in with a key."),
    /** Too many logins are in progress. */
    BUSY("login-busy", 503, "Too many logins are in progress. Try again shortly, or log in with a key.");

    private final String code;
    private final int status;
    private final String message;

    LoginFailure(String code, int status, String says) {
        this.code = code;
        this.status = status;
        this.message = says;
    }

    /** Returns the code for programs. */
    public String code() {
        return code;
    }

    /** Returns the HTTP status. */
    public int status() {
        return status;
    }

    /** Returns the message for the person. */
    public String message() {
        return message;
    }
}
