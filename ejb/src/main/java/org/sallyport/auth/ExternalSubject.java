package org.sallyport.auth;

import java.util.regex.Pattern;

/**
 * A subject that a token issuer or a certificate authority identifies.
 *
 * @param issuer the issuer: {@code iss}, without {@code @}; or {@link #CERTIFICATE_ISSUER}
 * @param name the subject's name at the issuer: {@code sub}; or a name of the certificate, such as
 *     {@code dns:ci.example}
 */
public record ExternalSubject(String issuer, String name) {
    /** Maximum length of a name in characters; the same as in OpenID Connect. */
    public static final int MAX_NAME_LENGTH = 255;

    /** Maximum length of an issuer in characters. */
    public static final int MAX_ISSUER_LENGTH = 300;

    /**
     * Printable ASCII without leading or trailing blanks, so that a name cannot look like another name or break a log
     * line.
     */
    private static final Pattern NAME_PATTERN = Pattern.compile("[!-~](?:[ -~]*[!-~])?");

    /**
     * The issuer of subjects that certificates identify. Stands for all authorities that the installation trusts; names
     * of token issuers are URLs.
     */
    public static final String CERTIFICATE_ISSUER = "certificate";

    private static final String TOKEN_PREFIX = "jwt:";
    private static final String CERTIFICATE_PREFIX = "cert:";

    public ExternalSubject {
        if (!isValidName(name)) {
            throw new IllegalArgumentException("invalid subject name");
        }
    }

    /** Returns whether {@code name} is a valid name of a subject. */
    public static boolean isValidName(String name) {
        return name.length() <= MAX_NAME_LENGTH && NAME_PATTERN.matcher(name).matches();
    }

    /** Returns whether a caller id belongs to an external subject, and so not to a key. */
    public static boolean isExternalCallerId(String id) {
        return id.startsWith(TOKEN_PREFIX) || id.startsWith(CERTIFICATE_PREFIX);
    }

    /** Returns the id that takes the place of a key id. It is unique among all subjects and keys. */
    public String callerId() {
        return issuer.equals(CERTIFICATE_ISSUER) ? CERTIFICATE_PREFIX + name : TOKEN_PREFIX + name + "@" + issuer;
    }
}
