package org.sallyport.rules;

/** A document that is no policy; the message says where and why. */
public final class InvalidPolicyException extends Exception {
    private static final long serialVersionUID = 1;

    InvalidPolicyException(String where, String why) {
        super("'" + where + "' " + why);
    }
}
