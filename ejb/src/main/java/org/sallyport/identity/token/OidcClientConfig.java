package org.sallyport.identity.token;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.JwtSettings;
import org.sallyport.configuration.OidcSettings;
import org.sallyport.configuration.Setting;

/**
 * Configuration of the identity provider and of this service as its client.
 *
 * @param issuer the provider; its tokens are accepted too
 * @param clientSecret empty for a public client
 * @param scopes scopes, separated by blanks
 * @param publicUrl URL of the service for browsers: scheme and authority only
 */
record OidcClientConfig(String issuer, String clientId, String clientSecret, String scopes, URI publicUrl) {
    static final String CALLBACK_PATH = "/console/oidc/callback";

    /** Returns the URL to which the provider redirects the browser. */
    String redirectUri() {
        return publicUrl + CALLBACK_PATH;
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return clientId + " at " + issuer;
    }

    /**
     * Reads the configuration. Empty without a provider. Throws {@link InvalidConfigurationException} naming every
     * invalid setting.
     */
    static Optional<OidcClientConfig> read(Configuration configuration) {
        List<String> problems = new ArrayList<>();
        String issuer = configuration.get(OidcSettings.ISSUER).strip();
        Optional<OidcClientConfig> rules = issuer.isEmpty()
                ? requireNoneSet(configuration, problems)
                : Optional.of(read(configuration, issuer, problems));
        if (!problems.isEmpty()) {
            throw new InvalidConfigurationException(problems);
        }
        return rules;
    }

    /** Other settings without an issuer are an error: the administrator did not mean to disable the login. */
    private static Optional<OidcClientConfig> requireNoneSet(Configuration configuration, List<String> problems) {
        for (Setting<String> useless :
                List.of(OidcSettings.CLIENT_ID, OidcSettings.CLIENT_SECRET, OidcSettings.PUBLIC_URL)) {
            if (!configuration.get(useless).isBlank()) {
                addProblem(problems, useless, "may be set only together with " + OidcSettings.ISSUER.name());
            }
        }
        return Optional.empty();
    }

    private static OidcClientConfig read(Configuration configuration, String issuer, List<String> problems) {
        if (!configuration.get(JwtSettings.ISSUERS).contains(issuer)) {
            addProblem(
                    problems,
                    OidcSettings.ISSUER,
                    "must be one of " + JwtSettings.ISSUERS.name() + ", which determine the roles of users");
        }
        String client = configuration.get(OidcSettings.CLIENT_ID).strip();
        if (!client.matches("[ -~]{1,255}")) {
            addProblem(
                    problems,
                    OidcSettings.CLIENT_ID,
                    "must be set when there is a provider: 1 to 255 ASCII characters");
        }
        List<String> scopes = configuration.get(OidcSettings.SCOPES);
        // RFC 6749, 3.3
        if (!scopes.contains("openid") || !scopes.stream().allMatch(scope -> scope.matches("[!#-\\[\\]-~]{1,100}"))) {
            addProblem(problems, OidcSettings.SCOPES, "must be names of scopes, including 'openid'");
        }
        String secret = configuration.get(OidcSettings.CLIENT_SECRET);
        return new OidcClientConfig(
                issuer, client, secret, String.join(" ", scopes), publicUrl(configuration, problems));
    }

    private static URI publicUrl(Configuration configuration, List<String> problems) {
        String text = configuration.get(OidcSettings.PUBLIC_URL).strip();
        String bare = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        try {
            URI url = new URI(bare);
            if (IssuerHttpClient.isAllowedUrl(url) && url.getRawPath().isEmpty() && url.getRawQuery() == null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        addProblem(
                problems,
                OidcSettings.PUBLIC_URL,
                "'" + text + "' must be an https URL without a path, or an http URL with a loopback address");
        return URI.create("");
    }

    private static void addProblem(List<String> problems, Setting<?> setting, String what) {
        problems.add(setting.name() + " (" + setting.environmentVariable() + "): " + what);
    }
}
