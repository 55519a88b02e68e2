package org.sallyport.it.harness;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Issues tokens and publishes the keys that verify them, over HTTP on loopback. */
public final class FakeTokenIssuer implements AutoCloseable {
    /** The audience of its tokens. */
    public static final String AUDIENCE = "https://sallyport.example";

    private final HttpServer server;
    private final AtomicInteger keyFetches = new AtomicInteger();
    private volatile RSAKey key = key("first");

    public FakeTokenIssuer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        serve(
                "/.well-known/openid-configuration",
                () -> "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + url() + "/keys\"}");
        serve("/keys", () -> {
            keyFetches.incrementAndGet();
            return new JWKSet(key.toPublicJWK()).toString();
        });
        server.start();
    }

    private void serve(String path, java.util.function.Supplier<String> document) {
        server.createContext(path, exchange -> {
            byte[] body = document.get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    /** Generates a key with this id. */
    public static RSAKey key(String id) {
        try {
            return new RSAKeyGenerator(2_048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    /** Its issuer name, which is also its URL. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The current signing key. */
    public RSAKey key() {
        return key;
    }

    /** Replaces the signing key and publishes only the new one. */
    public void rotateKey(String id) {
        key = key(id);
    }

    /** How often its keys were fetched. */
    public int keyFetches() {
        return keyFetches.get();
    }

    /** A valid token of a subject that expires in five minutes. */
    public String token(String subject, String tenant, String... groups) {
        return token(claims -> claims.subject(subject).claim("tenant", tenant).claim("groups", List.of(groups)));
    }

    /** A token whose claims are changed before it is signed. */
    public String token(Consumer<JWTClaimsSet.Builder> change) {
        return sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(), claims(change), key);
    }

    /** The claims of a valid token, with a change. */
    public JWTClaimsSet claims(Consumer<JWTClaimsSet.Builder> change) {
        Instant now = Instant.now();
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(url())
                .subject("alice")
                .audience(AUDIENCE)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(Duration.ofMinutes(5))))
                .claim("tenant", "default")
                .claim("groups", List.of("engineers"));
        change.accept(claims);
        return claims.build();
    }

    /** Signs claims with the given key. */
    public static String sign(JWSHeader header, JWTClaimsSet claims, RSAKey with) {
        try {
            SignedJWT token = new SignedJWT(
                    new JWSHeader.Builder(header).type(JOSEObjectType.JWT).build(), claims);
            token.sign(new RSASSASigner(with));
            return token.serialize();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
