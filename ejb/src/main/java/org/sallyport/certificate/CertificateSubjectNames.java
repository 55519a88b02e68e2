package org.sallyport.certificate;

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

/** What a certificate calls its holder. */
final class CertificateSubjectNames {
    /** Kinds of names, as they are written before them. */
    static final List<String> PREFIXES = List.of("dns:", "uri:", "email:", "cn:");

    private static final int SAN_TYPE_EMAIL = 1;
    private static final int SAN_TYPE_DNS = 2;
    private static final int SAN_TYPE_URI = 6;

    private CertificateSubjectNames() {}

    /** Its alternative names and the common name of its subject, if there is exactly one. */
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
            // Whoever cannot be named is nobody.
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
