package org.sallyport.identity.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A token issuer that publishes its keys over HTTP on the loopback interface and counts the requests for them. */
final class TestIssuer implements AutoCloseable {
    /** Answers a request for the keys. */
    interface JwksHandler {
        void handle(HttpExchange exchange) throws IOException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger fetches = new AtomicInteger();
    private volatile List<JWK> published = List.of();
    private volatile String description;
    private volatile JwksHandler answer = this::sendKeys;

    TestIssuer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        description = "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + url() + "/keys\"}";
        server.createContext("/", exchange -> send(exchange, 404, ""));
        server.createContext("/keys", exchange -> {
            fetches.incrementAndGet();
            answer.handle(exchange);
        });
        server.createContext("/.well-known/openid-configuration", exchange -> send(exchange, 200, description));
        server.start();
    }

    static RSAKey rsa(String id) {
        return rsa(id, 2_048);
    }

    static RSAKey rsa(String id, int bits) {
        try {
            return new RSAKeyGenerator(bits, true).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static ECKey ec(String id) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** From now on, publishes the public parts of these keys and no others. */
    void publish(JWK... keys) {
        List<JWK> parts = new ArrayList<>();
        for (JWK key : keys) {
            parts.add(key.toPublicJWK());
        }
        published = List.copyOf(parts);
    }

    void setMetadata(String document) {
        description = document;
    }

    void respondWith(JwksHandler otherwise) {
        answer = otherwise;
    }

    void respondWithKeys() {
        answer = this::sendKeys;
    }

    /** Number of requests for the keys. */
    int fetches() {
        return fetches.get();
    }

    private void sendKeys(HttpExchange exchange) throws IOException {
        send(exchange, 200, new JWKSet(published).toString());
    }

    static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** The claims of a valid token. */
    JWTClaimsSet.Builder claims(Instant now) {
        return new JWTClaimsSet.Builder()
                .issuer(url())
                .subject("alice")
                .audience("sallyport")
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(300)))
                .claim("tenant", "acme")
                .claim("roles", List.of("engineers"));
    }

    static JWSHeader.Builder header(JWSAlgorithm algorithm, JWK key) {
        return new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).type(JOSEObjectType.JWT);
    }

    static String sign(JWSHeader header, JWTClaimsSet claims, JWK key) {
        try {
            SignedJWT token = new SignedJWT(header, claims);
            token.sign(signer(key));
            return token.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static JWSSigner signer(JWK key) throws JOSEException {
        return key instanceof RSAKey rsa ? new RSASSASigner(rsa.toPrivateKey(), true) : new ECDSASigner((ECKey) key);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
