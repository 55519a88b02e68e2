package org.sallyport.identity.token;

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
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.JwtSettings;
import org.sallyport.configuration.Setting;

/** Reads the token configuration from the settings and reports all invalid settings. */
final class JwtConfigReader {
    /** Public-key algorithms that the library verifies without a further library. */
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

    private JwtConfigReader(Configuration configuration) {
        this.configuration = configuration;
    }

    /**
     * Reads the configuration. Empty without issuers. Throws {@link InvalidConfigurationException} naming every invalid
     * setting.
     */
    static Optional<JwtConfig> read(Configuration configuration) {
        JwtConfigReader reader = new JwtConfigReader(configuration);
        Optional<JwtConfig> rules = configuration.get(JwtSettings.ISSUERS).isEmpty()
                ? reader.requireNoneSet()
                : Optional.of(reader.readConfig());
        if (!reader.problems.isEmpty()) {
            throw new InvalidConfigurationException(reader.problems);
        }
        return rules;
    }

    /** Other settings without an issuer are an error: the administrator did not mean to reject all tokens. */
    private Optional<JwtConfig> requireNoneSet() {
        for (Setting<List<String>> useless :
                List.of(JwtSettings.JWKS_URIS, JwtSettings.AUDIENCES, JwtSettings.ROLES, JwtSettings.DEFAULT_ROLES)) {
            if (!configuration.get(useless).isEmpty()) {
                addProblem(useless, "may be set only together with " + JwtSettings.ISSUERS.name());
            }
        }
        return Optional.empty();
    }

    private JwtConfig readConfig() {
        Set<String> audiences = Set.copyOf(configuration.get(JwtSettings.AUDIENCES));
        if (audiences.isEmpty()) {
            addProblem(
                    JwtSettings.AUDIENCES,
                    "must be set when there is an issuer: the value of 'aud' in tokens for this service");
        }
        if (configuration.get(JwtSettings.JWKS_MIN_REFETCH).compareTo(configuration.get(JwtSettings.JWKS_REFRESH))
                > 0) {
            addProblem(JwtSettings.JWKS_MIN_REFETCH, "must not be longer than " + JwtSettings.JWKS_REFRESH.name());
        }
        boolean named = !configuration.get(JwtSettings.TENANT_CLAIM).isBlank();
        Map<String, Set<Role>> roles = readRoles();
        return new JwtConfig(
                readIssuers(named),
                audiences,
                requireSubset(
                        JwtSettings.ALGORITHMS,
                        ALGORITHMS.stream().map(JWSAlgorithm::getName).toList(),
                        configuration.get(JwtSettings.ALGORITHMS)),
                readTypes(),
                named ? Optional.of(readClaimPath(JwtSettings.TENANT_CLAIM)) : Optional.empty(),
                readClaimPath(JwtSettings.ROLES_CLAIM),
                roles,
                configuration.get(JwtSettings.DEFAULT_ROLES).stream()
                        .map(name -> parseRole(JwtSettings.DEFAULT_ROLES, name))
                        .flatMap(Optional::stream)
                        .collect(Collectors.toSet()),
                configuration.get(JwtSettings.CLOCK_SKEW),
                configuration.get(JwtSettings.MAX_LIFETIME),
                configuration.getInt(JwtSettings.MAX_LENGTH),
                new JwtConfig.JwksCacheTimes(
                        configuration.get(JwtSettings.JWKS_REFRESH),
                        configuration.get(JwtSettings.JWKS_STALE_IF_ERROR),
                        configuration.get(JwtSettings.JWKS_MIN_REFETCH)));
    }

    private List<JwtConfig.TrustedIssuer> readIssuers(boolean tenantIsNamed) {
        List<String> names = configuration.get(JwtSettings.ISSUERS);
        List<String> keys = configuration.get(JwtSettings.JWKS_URIS);
        if (new HashSet<>(names).size() < names.size()) {
            addProblem(JwtSettings.ISSUERS, "names an issuer twice");
        }
        if (!keys.isEmpty() && keys.size() != names.size()) {
            addProblem(
                    JwtSettings.JWKS_URIS, "must have as many entries as " + JwtSettings.ISSUERS.name() + ", or none");
        }
        names.forEach(name -> {
            checkUrl(JwtSettings.ISSUERS, name);
            if (name.contains("@")
                    || name.contains("?")
                    || name.contains("#")
                    || name.length() > ExternalSubject.MAX_ISSUER_LENGTH) {
                addProblem(
                        JwtSettings.ISSUERS,
                        "'" + name + "' must not contain '@', '?' or '#', and must have at most "
                                + ExternalSubject.MAX_ISSUER_LENGTH + " characters");
            }
        });
        keys.forEach(url -> checkUrl(JwtSettings.JWKS_URIS, url));
        Map<String, Set<String>> tenants = readTenants(names);
        List<JwtConfig.TrustedIssuer> issuers = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Set<String> own = tenants.getOrDefault(names.get(i), Set.of());
            if (own.isEmpty() || !tenantIsNamed && own.size() > 1) {
                addProblem(
                        JwtSettings.TENANTS,
                        own.isEmpty()
                                ? "has no tenant for the issuer '" + names.get(i) + "'"
                                : "must have one tenant for each issuer where " + JwtSettings.TENANT_CLAIM.name()
                                        + " is empty");
            }
            issuers.add(new JwtConfig.TrustedIssuer(
                    names.get(i),
                    keys.size() == names.size() && isUrl(keys.get(i))
                            ? Optional.of(URI.create(keys.get(i)))
                            : Optional.empty(),
                    own));
        }
        return issuers;
    }

    /** Maps each issuer to the tenants that its tokens may name. */
    private Map<String, Set<String>> readTenants(List<String> issuers) {
        Map<String, Set<String>> tenants = new LinkedHashMap<>();
        for (String item : configuration.get(JwtSettings.TENANTS)) {
            int mark = item.indexOf('=');
            String tenant = (mark < 0 ? item : item.substring(0, mark)).strip();
            String issuer = mark < 0 ? issuers.get(0) : item.substring(mark + 1).strip();
            if (tenant.isEmpty()) {
                addProblem(JwtSettings.TENANTS, "'" + item + "' names no tenant");
            } else if (mark < 0 && issuers.size() > 1) {
                // Otherwise tokens of each issuer could name the tenants of the others.
                addProblem(
                        JwtSettings.TENANTS,
                        "'" + item + "' must name its issuer, as in '" + item + "=" + issuer
                                + "', because there are several issuers");
            } else if (!issuers.contains(issuer)) {
                addProblem(JwtSettings.TENANTS, "'" + issuer + "' is not in " + JwtSettings.ISSUERS.name());
            } else {
                tenants.computeIfAbsent(issuer, key -> new LinkedHashSet<>()).add(tenant);
            }
        }
        return tenants;
    }

    private Map<String, Set<Role>> readRoles() {
        Map<String, Set<Role>> roles = new LinkedHashMap<>();
        for (String item : configuration.get(JwtSettings.ROLES)) {
            // The last one is the separator, because directory group names contain others.
            int mark = item.lastIndexOf('=');
            if (mark <= 0) {
                addProblem(JwtSettings.ROLES, "'" + item + "' must have the form 'engineers=submitter'");
            } else {
                parseRole(JwtSettings.ROLES, item.substring(mark + 1).strip())
                        .ifPresent(role -> roles.computeIfAbsent(
                                        item.substring(0, mark).strip(), key -> EnumSet.noneOf(Role.class))
                                .add(role));
            }
        }
        return roles;
    }

    private Optional<Role> parseRole(Setting<?> setting, String name) {
        Optional<Role> role = Arrays.stream(Role.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
        if (role.isEmpty()) {
            addProblem(
                    setting, "'" + name + "' is not a role; roles are submitter, approver, operator, admin, auditor");
        }
        return role;
    }

    private Set<String> readTypes() {
        List<String> given = configuration.get(JwtSettings.TOKEN_TYPES).stream()
                .map(type -> type.toLowerCase(Locale.ROOT))
                .toList();
        return requireSubset(JwtSettings.TOKEN_TYPES, TYPES, given).stream()
                .map(type -> type.equals(NO_TYPE) ? "" : type)
                .collect(Collectors.toSet());
    }

    private Set<String> requireSubset(Setting<?> setting, List<String> choices, List<String> given) {
        if (given.isEmpty() || !choices.containsAll(given)) {
            addProblem(setting, "must be some of " + String.join(", ", choices));
        }
        return Set.copyOf(given);
    }

    private ClaimPath readClaimPath(Setting<String> setting) {
        String text = configuration.get(setting).strip();
        if (text.isEmpty()) {
            addProblem(setting, "must name a claim");
        }
        return ClaimPath.of(text);
    }

    private void checkUrl(Setting<?> setting, String url) {
        if (!isUrl(url)) {
            addProblem(setting, "'" + url + "' must be an https URL, or an http URL with a loopback address");
        }
    }

    private static boolean isUrl(String text) {
        try {
            return IssuerHttpClient.isAllowedUrl(new URI(text));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private void addProblem(Setting<?> setting, String what) {
        problems.add(setting.name() + " (" + setting.environmentVariable() + "): " + what);
    }
}
