package org.sallyport.identity.token;

import java.util.Locale;

/** Reason why a token is rejected. For the log only: the client receives the same response for all of them. */
public enum TokenRejection {
    /** The token exceeds the maximum length. */
    TOO_LONG,
    /** The token is not a signed token in compact form, or its JSON is malformed or has duplicate members. */
    MALFORMED,
    /** The header contains or refers to a key, or has extensions that must be understood. */
    HEADER,
    /** The algorithm is not accepted: {@code none}, a symmetric one, or one that is not configured. */
    ALGORITHM,
    /** The {@code typ} is not accepted. */
    TYPE,
    /** The issuer is not trusted. */
    ISSUER,
    /** The issuer has no such key for this algorithm. */
    KEY,
    /** The signature is wrong. */
    SIGNATURE,
    /** The token has expired. */
    EXPIRED,
    /** The times, audience or subject are missing or invalid. */
    CLAIMS,
    /** The token expires later than the maximum lifetime allows. */
    LIFE,
    /** The token has another purpose: an ID token, or a token bound to a key of its bearer. */
    USE,
    /** The ID token was issued for another login or another client. */
    LOGIN,
    /** The token names no tenant that its issuer may use. */
    TENANT,
    /** The roles are not an array of texts. */
    ROLES,
    /** The subject is blocked. */
    BLOCKED;

    /** Returns the name in logs. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
