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
import org.sallyport.access.BlockedSubjectCache;
import org.sallyport.access.Caller;
import org.sallyport.access.ExternalSubject;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.TlsSettings;

/**
 * Who a caller is by the certificate of his handshake, as the settings say; whom they do not name he is not. Thread-safe.
 */
public final class ClientCertificateMapper {
    private final Map<String, CertificateBinding> bindings;
    private final BlockedSubjectCache blockedSubjects;
    private final InstantSource clock;

    /** What the holder of a name may do, and where. */
    private record CertificateBinding(String tenant, Set<Role> roles) {}

    private ClientCertificateMapper(
            Map<String, CertificateBinding> holders, BlockedSubjectCache blocked, InstantSource clock) {
        this.bindings = holders;
        this.blockedSubjects = blocked;
        this.clock = clock;
    }

    /** Says what cannot be before anything is begun; {@link InvalidConfigurationException}. */
    public static void validate(Configuration configuration) {
        parseBindings(configuration);
    }

    /** As the settings say; {@link InvalidConfigurationException} when they cannot be. */
    public static ClientCertificateMapper create(
            Configuration configuration, BlockedSubjectCache blocked, InstantSource clock) {
        return new ClientCertificateMapper(parseBindings(configuration), blocked, clock);
    }

    /** Whether any certificate stands for a key. */
    public boolean isEnabled() {
        return !bindings.isEmpty();
    }

    /**
     * Who it is: empty when no name of the certificate is known, when it is over, though the connection was made before, or when its
     * subject is blocked. {@link org.sallyport.execution.StoreUnavailableException} when nobody can say that.
     */
    public Optional<Caller> findCaller(X509Certificate certificate) {
        Instant now = clock.instant();
        Instant end = certificate.getNotAfter().toInstant();
        if (now.isAfter(end) || now.isBefore(certificate.getNotBefore().toInstant())) {
            return Optional.empty();
        }
        Set<String> names = CertificateSubjectNames.of(certificate);
        return bindings.entrySet().stream()
                .filter(holder -> names.contains(holder.getKey()))
                .findFirst()
                .flatMap(holder -> findByName(holder.getKey(), end))
                .filter(caller -> caller.token()
                        .filter(token -> !blockedSubjects.isBlocked(caller.tenant(), token.subject()))
                        .isPresent());
    }

    /**
     * Who has a name now, as the settings say, blocked or not; empty when they do not name him.
     *
     * @param end until when he counts
     */
    public Optional<Caller> findByName(String name, Instant end) {
        return Optional.ofNullable(bindings.get(name))
                .map(holder -> Caller.of(
                        new ExternalSubject(ExternalSubject.CERTIFICATE_ISSUER, name),
                        end,
                        holder.tenant(),
                        holder.roles()));
    }

    private static Map<String, CertificateBinding> parseBindings(Configuration configuration) {
        List<String> problems = new ArrayList<>();
        Map<String, CertificateBinding> holders = new LinkedHashMap<>();
        List<String> entries = configuration.get(TlsSettings.CLIENTS);
        if (!entries.isEmpty() && !configuration.get(TlsSettings.MODE).equals(TlsSettings.MTLS)) {
            problems.add("is of no use unless " + TlsSettings.MODE.name() + " is mtls");
        }
        entries.forEach(entry -> parseEntry(entry, holders, problems));
        if (!problems.isEmpty()) {
            throw new InvalidConfigurationException(problems.stream()
                    .map(problem -> TlsSettings.CLIENTS.name() + ": " + problem)
                    .toList());
        }
        return holders;
    }

    /** A URI may have {@code =} and {@code /} of its own: the last ones count. */
    private static void parseEntry(String entry, Map<String, CertificateBinding> holders, List<String> problems) {
        int equals = entry.lastIndexOf('=');
        int slash = entry.lastIndexOf('/');
        if (equals < 1
                || slash <= equals + 1
                || CertificateSubjectNames.PREFIXES.stream().noneMatch(entry::startsWith)) {
            problems.add("'" + entry + "' must be as dns:ci.example=acme/submitter, with one of "
                    + String.join(" ", CertificateSubjectNames.PREFIXES));
            return;
        }
        String text = entry.substring(0, equals).strip();
        String name = text.startsWith("dns:") ? text.toLowerCase(Locale.ROOT) : text;
        String tenant = entry.substring(equals + 1, slash).strip();
        String role = entry.substring(slash + 1).strip();
        Optional<Role> known = Arrays.stream(Role.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(role))
                .findFirst();
        if (!ExternalSubject.isValidName(name) || CertificateSubjectNames.PREFIXES.contains(name) || tenant.isEmpty()) {
            problems.add("'" + entry + "' must name a caller, in printable ASCII, and a tenant");
        } else if (known.isEmpty()) {
            problems.add("'" + role + "' is no role: submitter, approver, operator, admin, auditor");
        } else {
            CertificateBinding before = holders.get(name);
            if (before != null && !before.tenant().equals(tenant)) {
                problems.add("'" + name + "' has two tenants");
            } else {
                Set<Role> roles = EnumSet.of(known.get());
                if (before != null) {
                    roles.addAll(before.roles());
                }
                holders.put(name, new CertificateBinding(tenant, Set.copyOf(roles)));
            }
        }
    }
}
