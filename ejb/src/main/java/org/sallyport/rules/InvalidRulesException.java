package org.sallyport.rules;

/** A document that is no policy; the message says where and why. */
public final class InvalidRulesException extends Exception {
    private static final long serialVersionUID = 1;

    InvalidRulesException(String where, String why) {
        super("'" + where + "' " + why);
    }
}
