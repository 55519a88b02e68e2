package org.sallyport.identity.mtls;

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
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.TlsSettings;

/**
 * Maps the client certificate of a TLS handshake to a caller, as the settings define. A name that the settings do not
 * list maps to no caller. Thread-safe.
 */
public final class ClientCertificateMapper {
    private final Map<String, CertificateBinding> bindings;
    private final BlockedSubjectCache blockedSubjects;
    private final InstantSource clock;

    /** Tenant and roles of a name. */
    private record CertificateBinding(String tenant, Set<Role> roles) {}

    private ClientCertificateMapper(
            Map<String, CertificateBinding> holders, BlockedSubjectCache blocked, InstantSource clock) {
        this.bindings = holders;
        this.blockedSubjects = blocked;
        this.clock = clock;
    }

    /**
     * Validates the settings before the service starts. Throws {@link InvalidConfigurationException} when they are
     * invalid.
     */
    public static void validate(Configuration configuration) {
        parseBindings(configuration);
    }

    /** Creates a mapper from the settings. Throws {@link InvalidConfigurationException} when they are invalid. */
    public static ClientCertificateMapper create(
            Configuration configuration, BlockedSubjectCache blocked, InstantSource clock) {
        return new ClientCertificateMapper(parseBindings(configuration), blocked, clock);
    }

    /** Returns whether any certificate can take the place of a key. */
    public boolean isEnabled() {
        return !bindings.isEmpty();
    }

    /**
     * Returns the caller of a certificate. Empty when none of its names is listed, when it has expired since the
     * connection was made, or when its subject is blocked. Throws
     * {@link org.sallyport.execution.StoreUnavailableException} when the store cannot tell.
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
     * Returns the caller that the settings list for a name, blocked or not. Empty when they do not list it.
     *
     * @param end when the caller expires
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
            problems.add("may be set only when " + TlsSettings.MODE.name() + " is mtls");
        }
        entries.forEach(entry -> parseEntry(entry, holders, problems));
        if (!problems.isEmpty()) {
            throw new InvalidConfigurationException(problems.stream()
                    .map(problem -> TlsSettings.CLIENTS.name() + ": " + problem)
                    .toList());
        }
        return holders;
    }

    /** The last {@code =} and {@code /} are the separators, because a URI may contain them too. */
    private static void parseEntry(String entry, Map<String, CertificateBinding> holders, List<String> problems) {
        int equals = entry.lastIndexOf('=');
        int slash = entry.lastIndexOf('/');
        if (equals < 1
                || slash <= equals + 1
                || CertificateSubjectNames.PREFIXES.stream().noneMatch(entry::startsWith)) {
            problems.add("'" + entry + "' must have the form dns:ci.example=acme/submitter, with one of the prefixes "
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
            problems.add("'" + role + "' is not a role; roles are submitter, approver, operator, admin, auditor");
        } else {
            CertificateBinding before = holders.get(name);
            if (before != null && !before.tenant().equals(tenant)) {
                problems.add("'" + name + "' is mapped to two tenants");
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
