package org.sallyport.identity.mtls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** Reads the names of the subject from a certificate. */
final class CertificateSubjectNames {
    /** Prefixes of the kinds of names. */
    static final List<String> PREFIXES = List.of("dns:", "uri:", "email:", "cn:");

    private static final int SAN_TYPE_EMAIL = 1;
    private static final int SAN_TYPE_DNS = 2;
    private static final int SAN_TYPE_URI = 6;

    private CertificateSubjectNames() {}

    /** Returns the alternative names, and the common name of the subject if there is exactly one. */
    static Set<String> of(X509Certificate certificate) {
        Set<String> names = new LinkedHashSet<>();
        try {
            @Nullable Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                alternatives.forEach(name -> add(names, (Integer) name.get(0), name.get(1)));
            }
            List<Object> common = new LdapName(
                            certificate.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(part -> part.size() == 1 && part.getType().equalsIgnoreCase("CN"))
                            .map(Rdn::getValue)
                            .toList();
            if (common.size() == 1 && common.get(0) instanceof String text) {
                names.add("cn:" + text);
            }
        } catch (CertificateParsingException | InvalidNameException e) {
            // A certificate whose names cannot be read identifies no caller.
            return Set.of();
        }
        return names;
    }

    private static void add(Set<String> names, int type, Object value) {
        if (value instanceof String text) {
            switch (type) {
                case SAN_TYPE_DNS -> names.add("dns:" + text.toLowerCase(Locale.ROOT));
                case SAN_TYPE_URI -> names.add("uri:" + text);
                case SAN_TYPE_EMAIL -> names.add("email:" + text);
                default -> {}
            }
        }
    }
}
