package org.sallyport.token;

import java.util.Locale;

/** Why a token is not taken. For the log: whoever sent it hears the same of all. */
public enum TokenRejection {
    /** It is longer than one may be. */
    TOO_LONG,
    /** It is no signed token in compact form, or its JSON is none, or has a member twice. */
    MALFORMED,
    /** It brings a key or points to one, or has extensions that must be understood. */
    HEADER,
    /** Its algorithm is not taken: {@code none}, a symmetric one, or one that is not in the list. */
    ALGORITHM,
    /** Its {@code typ} is not taken. */
    TYPE,
    /** Nobody who is asked here issued it. */
    ISSUER,
    /** Its issuer has no such key for this algorithm. */
    KEY,
    /** Its signature is wrong. */
    SIGNATURE,
    /** It has ended. */
    EXPIRED,
    /** Its time, audience or subject is missing or not as it must be. */
    CLAIMS,
    /** It ends later than a token may. */
    LIFE,
    /** It is meant for something else: an ID token, or one that is bound to a key of its bearer's. */
    USE,
    /** An ID token that was made for another login, or for somebody else's. */
    LOGIN,
    /** It names no tenant for which its issuer may speak. */
    TENANT,
    /** Its roles are not an array of texts. */
    ROLES,
    /** Its subject is blocked. */
    BLOCKED;

    /** Its name in logs. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
