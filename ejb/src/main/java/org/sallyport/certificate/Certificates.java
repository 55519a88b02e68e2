package org.sallyport.certificate;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.access.Subject;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.TlsSettings;

/**
 * Who a caller is by the certificate of his handshake, as the settings say; whom they do not name he is not. Thread-safe.
 */
public final class Certificates {
    private final Map<String, Holder> holders;
    private final BlockedSubjects blocked;
    private final InstantSource clock;

    /** What the holder of a name may do, and where. */
    private record Holder(String tenant, Set<Role> roles) {}

    private Certificates(Map<String, Holder> holders, BlockedSubjects blocked, InstantSource clock) {
        this.holders = holders;
        this.blocked = blocked;
        this.clock = clock;
    }

    /** Says what cannot be before anything is begun; {@link InvalidConfigurationException}. */
    public static void check(Configuration configuration) {
        holders(configuration);
    }

    /** As the settings say; {@link InvalidConfigurationException} when they cannot be. */
    public static Certificates open(Configuration configuration, BlockedSubjects blocked, InstantSource clock) {
        return new Certificates(holders(configuration), blocked, clock);
    }

    /** Whether any certificate stands for a key. */
    public boolean areTaken() {
        return !holders.isEmpty();
    }

    /**
     * Who it is: empty when no name of the certificate is known, when it is over, though the connection was made before, or when its
     * subject is blocked. {@link org.sallyport.execution.StoreUnavailableException} when nobody can say that.
     */
    public Optional<Caller> caller(X509Certificate certificate) {
        Instant now = clock.instant();
        Instant end = certificate.getNotAfter().toInstant();
        if (now.isAfter(end) || now.isBefore(certificate.getNotBefore().toInstant())) {
            return Optional.empty();
        }
        Set<String> names = CertificateNames.of(certificate);
        return holders.entrySet().stream()
                .filter(holder -> names.contains(holder.getKey()))
                .findFirst()
                .flatMap(holder -> named(holder.getKey(), end))
                .filter(caller -> caller.token()
                        .filter(token -> !blocked.contains(caller.tenant(), token.subject()))
                        .isPresent());
    }

    /**
     * Who has a name now, as the settings say, blocked or not; empty when they do not name him.
     *
     * @param end until when he counts
     */
    public Optional<Caller> named(String name, Instant end) {
        return Optional.ofNullable(holders.get(name))
                .map(holder ->
                        Caller.of(new Subject(Subject.CERTIFICATES, name), end, holder.tenant(), holder.roles()));
    }

    private static Map<String, Holder> holders(Configuration configuration) {
        List<String> problems = new ArrayList<>();
        Map<String, Holder> holders = new LinkedHashMap<>();
        List<String> entries = configuration.get(TlsSettings.CLIENTS);
        if (!entries.isEmpty() && !configuration.get(TlsSettings.MODE).equals(TlsSettings.MTLS)) {
            problems.add("is of no use unless " + TlsSettings.MODE.name() + " is mtls");
        }
        entries.forEach(entry -> read(entry, holders, problems));
        if (!problems.isEmpty()) {
            throw new InvalidConfigurationException(problems.stream()
                    .map(problem -> TlsSettings.CLIENTS.name() + ": " + problem)
                    .toList());
        }
        return holders;
    }

    /** A URI may have {@code =} and {@code /} of its own: the last ones count. */
    private static void read(String entry, Map<String, Holder> holders, List<String> problems) {
        int equals = entry.lastIndexOf('=');
        int slash = entry.lastIndexOf('/');
        if (equals < 1 || slash <= equals + 1 || CertificateNames.KINDS.stream().noneMatch(entry::startsWith)) {
            problems.add("'" + entry + "' must be as dns:ci.example=acme/submitter, with one of "
                    + String.join(" ", CertificateNames.KINDS));
            return;
        }
        String text = entry.substring(0, equals).strip();
        String name = text.startsWith("dns:") ? text.toLowerCase(Locale.ROOT) : text;
        String tenant = entry.substring(equals + 1, slash).strip();
        String role = entry.substring(slash + 1).strip();
        Optional<Role> known = Arrays.stream(Role.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(role))
                .findFirst();
        if (!Subject.isName(name) || CertificateNames.KINDS.contains(name) || tenant.isEmpty()) {
            problems.add("'" + entry + "' must name a caller, in printable ASCII, and a tenant");
        } else if (known.isEmpty()) {
            problems.add("'" + role + "' is no role: submitter, approver, operator, admin, auditor");
        } else {
            Holder before = holders.get(name);
            if (before != null && !before.tenant().equals(tenant)) {
                problems.add("'" + name + "' has two tenants");
            } else {
                Set<Role> roles = EnumSet.of(known.get());
                if (before != null) {
                    roles.addAll(before.roles());
                }
                holders.put(name, new Holder(tenant, Set.copyOf(roles)));
            }
        }
    }
}
