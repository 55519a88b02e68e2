package org.sallyport.policyengine;

/** A document is not a valid policy. The message names the location and the reason. */
public final class InvalidPolicyException extends Exception {
    private static final long serialVersionUID = 1;

    InvalidPolicyException(String where, String why) {
        super("'" + where + "' " + why);
    }
}
