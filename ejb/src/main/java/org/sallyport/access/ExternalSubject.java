package org.sallyport.access;

import java.util.regex.Pattern;

/**
 * Somebody whom an issuer of tokens knows, or an authority of certificates.
 *
 * @param issuer who knows him: {@code iss}, without {@code @}; or {@link #CERTIFICATE_ISSUER}
 * @param name under which name: {@code sub}; or a name of the certificate, such as {@code dns:ci.example}
 */
public record ExternalSubject(String issuer, String name) {
    /** Longest name; OpenID Connect has the same bound. */
    public static final int MAX_NAME_LENGTH = 255;

    /** Longest issuer. */
    public static final int MAX_ISSUER_LENGTH = 300;

    /** Printable ASCII without blanks at its ends: nothing that looks like another name, or breaks a line of a log. */
    private static final Pattern NAME_PATTERN = Pattern.compile("[!-~](?:[ -~]*[!-~])?");

    /** In place of an issuer, whose names are URLs: the authorities that the installation trusts. */
    public static final String CERTIFICATE_ISSUER = "certificate";

    private static final String TOKEN_PREFIX = "jwt:";
    private static final String CERTIFICATE_PREFIX = "cert:";

    public ExternalSubject {
        if (!isValidName(name)) {
            throw new IllegalArgumentException("no name of a subject");
        }
    }

    /** Whether a subject can have this name. */
    public static boolean isValidName(String name) {
        return name.length() <= MAX_NAME_LENGTH && NAME_PATTERN.matcher(name).matches();
    }

    /** Whether an id of a caller is that of a subject, and so of no key. */
    public static boolean isExternalCallerId(String id) {
        return id.startsWith(TOKEN_PREFIX) || id.startsWith(CERTIFICATE_PREFIX);
    }

    /** What stands where otherwise the id of a key does. No other subject and no key has it. */
    public String callerId() {
        return issuer.equals(CERTIFICATE_ISSUER) ? CERTIFICATE_PREFIX + name : TOKEN_PREFIX + name + "@" + issuer;
    }
}
