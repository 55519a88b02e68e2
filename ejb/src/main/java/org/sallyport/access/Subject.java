package org.sallyport.access;

import java.util.regex.Pattern;

/**
 * Somebody whom an issuer of tokens knows, or an authority of certificates.
 *
 * @param issuer who knows him: {@code iss}, without {@code @}; or {@link #CERTIFICATES}
 * @param name under which name: {@code sub}; or a name of the certificate, such as {@code dns:ci.example}
 */
public record Subject(String issuer, String name) {
    /** Longest name; OpenID Connect has the same bound. */
    public static final int LONGEST_NAME = 255;

    /** Longest issuer. */
    public static final int LONGEST_ISSUER = 300;

    /** Printable ASCII without blanks at its ends: nothing that looks like another name, or breaks a line of a log. */
    private static final Pattern NAME = Pattern.compile("[!-~](?:[ -~]*[!-~])?");

    /** In place of an issuer, whose names are URLs: the authorities that the installation trusts. */
    public static final String CERTIFICATES = "certificate";

    private static final String MARK = "jwt:";
    private static final String MARK_OF_CERTIFICATES = "cert:";

    public Subject {
        if (!isName(name)) {
            throw new IllegalArgumentException("no name of a subject");
        }
    }

    /** Whether a subject can have this name. */
    public static boolean isName(String name) {
        return name.length() <= LONGEST_NAME && NAME.matcher(name).matches();
    }

    /** Whether an id of a caller is that of a subject, and so of no key. */
    public static boolean isCallerId(String id) {
        return id.startsWith(MARK) || id.startsWith(MARK_OF_CERTIFICATES);
    }

    /** What stands where otherwise the id of a key does. No other subject and no key has it. */
    public String callerId() {
        return issuer.equals(CERTIFICATES) ? MARK_OF_CERTIFICATES + name : MARK + name + "@" + issuer;
    }
}
