package org.sallyport.identity.token;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetRetrievalException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.text.ParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fetches the published keys of an issuer, anew on each call. Thread-safe. */
final class JwksClient implements JWKSetSource<SecurityContext> {
    private static final Logger LOG = System.getLogger(JwksClient.class.getName());
    private static final int MIN_RSA_BITS = 2_048;
    private static final int MAX_KEYS = 50;

    private final JwtConfig.TrustedIssuer issuer;
    private final IssuerHttpClient httpClient;

    JwksClient(JwtConfig.TrustedIssuer issuer, IssuerHttpClient fetch) {
        this.issuer = issuer;
        this.httpClient = fetch;
    }

    @Override
    public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator refresh, long currentTime, @Nullable SecurityContext context)
            throws JWKSetUnavailableException {
        try {
            URI where = issuer.jwksUri().isPresent() ? issuer.jwksUri().get() : discoverJwksUri();
            List<JWK> keys = JWKSet.parse(httpClient.get(where)).getKeys().stream()
                    .filter(JwksClient::isUsable)
                    .limit(MAX_KEYS)
                    .toList();
            if (keys.isEmpty()) {
                // A valid response nevertheless: an issuer that withdraws all its keys must take effect.
                LOG.log(Level.WARNING, "{0} has no EC key and no RSA key of at least {1} bits", where, MIN_RSA_BITS);
            }
            return new JWKSet(keys);
        } catch (IOException | ParseException | IllegalArgumentException e) {
            LOG.log(Level.WARNING, "the keys of issuer {0} could not be fetched: {1}", issuer.name(), e.getMessage());
            throw new JWKSetRetrievalException("the keys of " + issuer.name() + " could not be fetched", e);
        }
    }

    /** Reads the issuer's own metadata (OpenID Connect Discovery 1.0, 4.3) and rejects that of another issuer. */
    private URI discoverJwksUri() throws IOException {
        URI where = OidcProviderMetadata.metadataUri(issuer.name());
        try {
            JsonNode said = StrictClaimsParser.parseObject(httpClient.get(where));
            if (!said.path("issuer").asText().equals(issuer.name())) {
                throw new IOException(where + " belongs to another issuer");
            }
            return URI.create(said.path("jwks_uri").asText());
        } catch (JacksonException e) {
            throw new IOException(where + " is not a JSON object", e);
        }
    }

    /** Rejects keys that are too weak, and symmetric or private keys. */
    private static boolean isUsable(JWK key) {
        return key instanceof ECKey || key instanceof RSAKey && key.size() >= MIN_RSA_BITS;
    }

    @Override
    public void close() {
        // No resources to close.
    }
}
