package org.sallyport.token;

/** Why somebody did not get in by way of a provider. The codes stay the same and may be relied on. */
public enum LoginFailure {
    /** No login was begun in this browser that the provider's answer belongs to, or it is over or used. */
    STATE(
            "login-state",
            400,
            "This login was not begun in this browser, has taken more than ten minutes, or was used before."
                    + " Begin again at the console's own address."),
    /** The provider let nobody in. */
    DENIED("login-denied", 403, "The provider has not logged you in."),
    /** What the provider sent is not taken, or its subject is blocked; the log says why. */
    REFUSED(
            "login-refused",
            403,
            "What the provider says of you is not taken here. An administrator finds the reason in the service's log."),
    /** Nothing that the provider says of him is worth a role. */
    NO_ROLE(
            "login-no-role",
            403,
            "The provider knows you, and none of your groups has a role here. Ask an administrator for one."),
    /** The provider does not answer, or not as one does. */
    PROVIDER(
            "login-provider", 502, "The provider does not answer as it must. Try again shortly, or log in with a key."),
    /** Too many log in at one time. */
    BUSY("login-busy", 503, "Too many log in at this moment. Try again shortly, or log in with a key.");

    private final String code;
    private final int status;
    private final String message;

    LoginFailure(String code, int status, String says) {
        this.code = code;
        this.status = status;
        this.message = says;
    }

    /** Its name for programs. */
    public String code() {
        return code;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** What the person is told. */
    public String message() {
        return message;
    }
}
