package org.sallyport.token;

import com.nimbusds.jose.JWSAlgorithm;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.access.Role;
import org.sallyport.access.Subject;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.JwtSettings;
import org.sallyport.configuration.Setting;

/** Reads the rules from the settings, and says of all that cannot be what is wrong with it. */
final class TokenRulesReader {
    /** Those with a public key that the library checks without another one. */
    private static final List<JWSAlgorithm> ALGORITHMS = List.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    private static final String NO_TYPE = "absent";
    private static final List<String> TYPES = List.of("at+jwt", "jwt", NO_TYPE);

    private final Configuration configuration;
    private final List<String> problems = new ArrayList<>();

    private TokenRulesReader(Configuration configuration) {
        this.configuration = configuration;
    }

    /** The rules; empty when there is no issuer. {@link InvalidConfigurationException} naming every setting that cannot be. */
    static Optional<TokenRules> read(Configuration configuration) {
        TokenRulesReader reader = new TokenRulesReader(configuration);
        Optional<TokenRules> rules =
                configuration.get(JwtSettings.ISSUERS).isEmpty() ? reader.none() : Optional.of(reader.rules());
        if (!reader.problems.isEmpty()) {
            throw new InvalidConfigurationException(reader.problems);
        }
        return rules;
    }

    /** Whoever says who may come in and forgets whom to ask did not mean to keep everybody out. */
    private Optional<TokenRules> none() {
        for (Setting<List<String>> useless :
                List.of(JwtSettings.JWKS_URIS, JwtSettings.AUDIENCES, JwtSettings.ROLES, JwtSettings.DEFAULT_ROLES)) {
            if (!configuration.get(useless).isEmpty()) {
                problem(useless, "is of no use without " + JwtSettings.ISSUERS.name());
            }
        }
        return Optional.empty();
    }

    private TokenRules rules() {
        Set<String> audiences = Set.copyOf(configuration.get(JwtSettings.AUDIENCES));
        if (audiences.isEmpty()) {
            problem(
                    JwtSettings.AUDIENCES,
                    "must be set where there is an issuer: what tokens for this service have in 'aud'");
        }
        if (configuration.get(JwtSettings.KEYS_PAUSE).compareTo(configuration.get(JwtSettings.KEYS_FRESH)) > 0) {
            problem(JwtSettings.KEYS_PAUSE, "must not be longer than " + JwtSettings.KEYS_FRESH.name());
        }
        boolean named = !configuration.get(JwtSettings.TENANT_CLAIM).isBlank();
        Map<String, Set<Role>> roles = roles();
        return new TokenRules(
                issuers(named),
                audiences,
                chosen(
                        JwtSettings.ALGORITHMS,
                        ALGORITHMS.stream().map(JWSAlgorithm::getName).toList(),
                        configuration.get(JwtSettings.ALGORITHMS)),
                types(),
                named ? Optional.of(path(JwtSettings.TENANT_CLAIM)) : Optional.empty(),
                path(JwtSettings.ROLES_CLAIM),
                roles,
                configuration.get(JwtSettings.DEFAULT_ROLES).stream()
                        .map(name -> role(JwtSettings.DEFAULT_ROLES, name))
                        .flatMap(Optional::stream)
                        .collect(Collectors.toSet()),
                configuration.get(JwtSettings.SKEW),
                configuration.get(JwtSettings.LONGEST_LIFE),
                configuration.integer(JwtSettings.LONGEST),
                new TokenRules.KeyTimes(
                        configuration.get(JwtSettings.KEYS_FRESH),
                        configuration.get(JwtSettings.KEYS_KEPT),
                        configuration.get(JwtSettings.KEYS_PAUSE)));
    }

    private List<TokenRules.Issuer> issuers(boolean tenantIsNamed) {
        List<String> names = configuration.get(JwtSettings.ISSUERS);
        List<String> keys = configuration.get(JwtSettings.JWKS_URIS);
        if (new HashSet<>(names).size() < names.size()) {
            problem(JwtSettings.ISSUERS, "names an issuer twice");
        }
        if (!keys.isEmpty() && keys.size() != names.size()) {
            problem(JwtSettings.JWKS_URIS, "must be as many as " + JwtSettings.ISSUERS.name() + ", or none");
        }
        names.forEach(name -> {
            checkUrl(JwtSettings.ISSUERS, name);
            if (name.contains("@")
                    || name.contains("?")
                    || name.contains("#")
                    || name.length() > Subject.LONGEST_ISSUER) {
                problem(
                        JwtSettings.ISSUERS,
                        "'" + name + "' must have no '@', '?' and '#', and " + Subject.LONGEST_ISSUER
                                + " characters at most");
            }
        });
        keys.forEach(url -> checkUrl(JwtSettings.JWKS_URIS, url));
        Map<String, Set<String>> tenants = tenants(names);
        List<TokenRules.Issuer> issuers = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Set<String> own = tenants.getOrDefault(names.get(i), Set.of());
            if (own.isEmpty() || !tenantIsNamed && own.size() > 1) {
                problem(
                        JwtSettings.TENANTS,
                        own.isEmpty()
                                ? "has no tenant for the issuer '" + names.get(i) + "'"
                                : "must have one tenant for each issuer where " + JwtSettings.TENANT_CLAIM.name()
                                        + " is empty");
            }
            issuers.add(new TokenRules.Issuer(
                    names.get(i),
                    keys.size() == names.size() && isUrl(keys.get(i))
                            ? Optional.of(URI.create(keys.get(i)))
                            : Optional.empty(),
                    own));
        }
        return issuers;
    }

    /** Issuer → tenants that it may speak for. */
    private Map<String, Set<String>> tenants(List<String> issuers) {
        Map<String, Set<String>> tenants = new LinkedHashMap<>();
        for (String item : configuration.get(JwtSettings.TENANTS)) {
            int mark = item.indexOf('=');
            String tenant = (mark < 0 ? item : item.substring(0, mark)).strip();
            String issuer = mark < 0 ? issuers.get(0) : item.substring(mark + 1).strip();
            if (tenant.isEmpty()) {
                problem(JwtSettings.TENANTS, "'" + item + "' names no tenant");
            } else if (mark < 0 && issuers.size() > 1) {
                // Otherwise each issuer could speak for the tenants of the others.
                problem(
                        JwtSettings.TENANTS,
                        "'" + item + "' must say whose it is, as '" + item + "=" + issuer
                                + "', since there are several issuers");
            } else if (!issuers.contains(issuer)) {
                problem(JwtSettings.TENANTS, "'" + issuer + "' is not in " + JwtSettings.ISSUERS.name());
            } else {
                tenants.computeIfAbsent(issuer, key -> new LinkedHashSet<>()).add(tenant);
            }
        }
        return tenants;
    }

    private Map<String, Set<Role>> roles() {
        Map<String, Set<Role>> roles = new LinkedHashMap<>();
        for (String item : configuration.get(JwtSettings.ROLES)) {
            // The last one: names of groups in directories have others.
            int mark = item.lastIndexOf('=');
            if (mark <= 0) {
                problem(JwtSettings.ROLES, "'" + item + "' must be as 'engineers=submitter'");
            } else {
                role(JwtSettings.ROLES, item.substring(mark + 1).strip())
                        .ifPresent(role -> roles.computeIfAbsent(
                                        item.substring(0, mark).strip(), key -> EnumSet.noneOf(Role.class))
                                .add(role));
            }
        }
        return roles;
    }

    private Optional<Role> role(Setting<?> setting, String name) {
        Optional<Role> role = Arrays.stream(Role.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
        if (role.isEmpty()) {
            problem(setting, "'" + name + "' is no role: submitter, approver, operator, admin, auditor");
        }
        return role;
    }

    private Set<String> types() {
        List<String> given = configuration.get(JwtSettings.TYPES).stream()
                .map(type -> type.toLowerCase(Locale.ROOT))
                .toList();
        return chosen(JwtSettings.TYPES, TYPES, given).stream()
                .map(type -> type.equals(NO_TYPE) ? "" : type)
                .collect(Collectors.toSet());
    }

    private Set<String> chosen(Setting<?> setting, List<String> choices, List<String> given) {
        if (given.isEmpty() || !choices.containsAll(given)) {
            problem(setting, "must be some of " + String.join(", ", choices));
        }
        return Set.copyOf(given);
    }

    private ClaimPath path(Setting<String> setting) {
        String text = configuration.get(setting).strip();
        if (text.isEmpty()) {
            problem(setting, "must name a claim");
        }
        return ClaimPath.of(text);
    }

    private void checkUrl(Setting<?> setting, String url) {
        if (!isUrl(url)) {
            problem(setting, "'" + url + "' must be an https URL, or an http URL with a loopback address");
        }
    }

    private static boolean isUrl(String text) {
        try {
            return KeyFetch.isAllowed(new URI(text));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private void problem(Setting<?> setting, String what) {
        problems.add(setting.name() + " (" + setting.environmentVariable() + "): " + what);
    }
}
