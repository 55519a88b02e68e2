package org.sallyport.it.harness;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A small OpenID Connect provider with one client, which authenticates every visitor as Ada. It makes the checks of a
 * correct provider (the client and its secret, the redirect URI, S256, single use of codes), and gives false answers if
 * a test configures them. Its host name makes it another site than {@code 127.0.0.1}.
 */
public final class FakeOpenIdProvider implements AutoCloseable {
    public static final String CLIENT_ID = "sallyport console";
    /** Contains every character that form encoding escapes. */
    public static final String CLIENT_SECRET = "s3cret:+/ %&=ü";
    /** The tenant of its users. No other issuer has this tenant. */
    public static final String TENANT = "people";

    private static final String ISSUER_SETTING = "sallyport.oidc.issuer";
    /** The providers of the servers that {@link #configure} has set up, by URL. */
    private static final Map<String, FakeOpenIdProvider> PROVIDERS_BY_URL = new ConcurrentHashMap<>();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final RSAKey key = FakeTokenIssuer.key("op1");
    private final String redirectUri;
    private final Map<String, Map<String, String>> authorizationCodes = new ConcurrentHashMap<>();
    private final AtomicInteger tokenRequests = new AtomicInteger();
    private volatile Consumer<JWTClaimsSet.Builder> claimsCustomizer = claims -> {};
    private volatile Function<JWTClaimsSet, String> signer = this::sign;
    private volatile Optional<HttpHandler> tokenHandler = Optional.empty();

    /** @param redirect the only accepted redirect URI */
    public FakeOpenIdProvider(String redirect) {
        this.redirectUri = redirect;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/.well-known/openid-configuration", exchange -> send(exchange, 200, discoveryDocument()));
        server.createContext("/keys", exchange -> send(exchange, 200, new JWKSet(key.toPublicJWK()).toString()));
        server.createContext("/authorize", this::handleAuthorization);
        server.createContext("/token", exchange -> {
            tokenRequests.incrementAndGet();
            tokenHandler.orElse(this::handleTokenRequest).handle(exchange);
        });
        server.createContext(
                "/logout",
                exchange -> sendPage(
                        exchange,
                        "<h1>You have left</h1><a href=\""
                                + parseForm(exchange.getRequestURI().getRawQuery())
                                        .get("post_logout_redirect_uri")
                                + "\">Back</a>"));
        server.start();
    }

    /**
     * Adds a login at a new provider to the settings of a server that accepts tokens of {@link TestTenant#issuer}. The
     * provider runs until this JVM ends.
     */
    static ServerSetup configure(ServerSetup setup) {
        String console = "http://" + setup.host() + ":" + setup.port() + "/";
        FakeOpenIdProvider provider = new FakeOpenIdProvider(console + "console/oidc/callback");
        PROVIDERS_BY_URL.put(provider.url(), provider);
        ServerSetup known = appendSetting(setup, "sallyport.jwt.issuers", provider.url());
        return appendSetting(known, "sallyport.jwt.tenants", TENANT + "=" + provider.url())
                .with(ISSUER_SETTING, provider.url())
                .with("sallyport.oidc.client-id", CLIENT_ID)
                .with("sallyport.oidc.client-secret", CLIENT_SECRET)
                .with("sallyport.oidc.public-url", console);
    }

    private static ServerSetup appendSetting(ServerSetup setup, String setting, String value) {
        return setup.with(setting, Objects.requireNonNull(setup.settings().get(setting), setting) + "," + value);
    }

    /** The provider of a server of {@link ServerProfile#RICH}. */
    public static FakeOpenIdProvider of(SallyportServer server) {
        return Objects.requireNonNull(PROVIDERS_BY_URL.get(server.setting(ISSUER_SETTING)));
    }

    /** A client of a server with a new API key that has all roles of {@link #TENANT}. */
    public RestClient newAdministratorClient(SallyportServer server) {
        Instant now = Instant.now();
        RestClient bearer = server.api()
                .withKey(sign(new JWTClaimsSet.Builder()
                        .issuer(url())
                        .subject("administrator")
                        .audience(FakeTokenIssuer.AUDIENCE)
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(now.plusSeconds(300)))
                        .claim("tenant", TENANT)
                        .claim("groups", TestTenant.ALL_GROUPS)
                        .build()));
        return bearer.withKey(bearer.createKeyWithAllRoles("administrator"));
    }

    /** Its issuer name, which is also its URL. */
    public String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    public RSAKey key() {
        return key;
    }

    /** Number of requests to the token endpoint. */
    public int tokenRequests() {
        return tokenRequests.get();
    }

    /** Sets a change of the claims about Ada for all later ID tokens. */
    public void setClaimsCustomizer(Consumer<JWTClaimsSet.Builder> more) {
        claimsCustomizer = more;
    }

    /** Sets how the provider turns claims into ID tokens from now on. */
    public void setSigner(Function<JWTClaimsSet, String> otherwise) {
        signer = otherwise;
    }

    /** Replaces the handler of the token endpoint from now on. */
    public void setTokenHandler(HttpHandler otherwise) {
        tokenHandler = Optional.of(otherwise);
    }

    /** Restores the correct behavior. */
    public void reset() {
        claimsCustomizer = claims -> {};
        signer = this::sign;
        tokenHandler = Optional.empty();
    }

    /** Signs claims in the default way. */
    public String sign(JWTClaimsSet claims) {
        return FakeTokenIssuer.sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(), claims, key);
    }

    private String discoveryDocument() {
        return TestJson.write(TestJson.object()
                .put("issuer", url())
                .put("authorization_endpoint", url() + "/authorize")
                .put("token_endpoint", url() + "/token")
                .put("jwks_uri", url() + "/keys")
                .put("end_session_endpoint", url() + "/logout")
                .put("authorization_response_iss_parameter_supported", true));
    }

    /** A GET shows the name of the user. A POST, sent by the button of that page, redirects back with a code. */
    private void handleAuthorization(HttpExchange exchange) throws IOException {
        Map<String, String> asked = parseForm(exchange.getRequestURI().getRawQuery());
        boolean good = CLIENT_ID.equals(asked.get("client_id"))
                && redirectUri.equals(asked.get("redirect_uri"))
                && "code".equals(asked.get("response_type"))
                && List.of(asked.getOrDefault("scope", "").split(" ")).contains("openid")
                && "S256".equals(asked.get("code_challenge_method"))
                && asked.getOrDefault("code_challenge", "").matches("[A-Za-z0-9_-]{43}")
                && asked.getOrDefault("state", "").length() >= 43
                && asked.getOrDefault("nonce", "").length() >= 43;
        if (!good) {
            send(exchange, 400, "no good request: " + asked);
        } else if (exchange.getRequestMethod().equals("POST")) {
            String code = UUID.randomUUID().toString();
            authorizationCodes.put(code, asked);
            exchange.getResponseHeaders()
                    .set(
                            "Location",
                            redirectUri + "?code=" + code + "&state=" + asked.get("state") + "&iss="
                                    + URLEncoder.encode(url(), StandardCharsets.UTF_8));
            send(exchange, 302, "");
        } else {
            sendPage(exchange, "<form method=\"post\"><button>Continue as Ada</button></form>");
        }
    }

    private void handleTokenRequest(HttpExchange exchange) throws IOException {
        Map<String, String> sent =
                parseForm(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        String pair = URLEncoder.encode(CLIENT_ID, StandardCharsets.UTF_8) + ":"
                + URLEncoder.encode(CLIENT_SECRET, StandardCharsets.UTF_8);
        String basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        if (!basic.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            send(exchange, 401, "{\"error\":\"invalid_client\"}");
            return;
        }
        Map<String, String> asked = authorizationCodes.remove(sent.getOrDefault("code", ""));
        if (asked == null
                || !"authorization_code".equals(sent.get("grant_type"))
                || !redirectUri.equals(sent.get("redirect_uri"))
                || !asked.getOrDefault("code_challenge", "")
                        .equals(codeChallenge(sent.getOrDefault("code_verifier", "")))) {
            send(exchange, 400, "{\"error\":\"invalid_grant\"}");
            return;
        }
        send(
                exchange,
                200,
                TestJson.write(TestJson.object()
                        .put("access_token", "opaque-access-token")
                        .put("token_type", "Bearer")
                        .put("expires_in", 300)
                        .put("id_token", signer.apply(idTokenClaims(asked.getOrDefault("nonce", ""))))));
    }

    /** The claims about Ada. */
    private JWTClaimsSet idTokenClaims(String nonce) {
        Instant now = Instant.now();
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(url())
                .subject("ada")
                .audience(CLIENT_ID)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(300)))
                .claim("nonce", nonce)
                .claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA")
                .claim("name", "Ada Lovelace")
                .claim("tenant", TENANT)
                .claim("groups", List.of("submitters"));
        claimsCustomizer.accept(claims);
        return claims.build();
    }

    private static String codeChallenge(String verifier) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static Map<String, String> parseForm(String text) {
        Map<String, String> members = new LinkedHashMap<>();
        for (String pair : (text == null ? "" : text).split("&")) {
            int mark = pair.indexOf('=');
            if (mark > 0) {
                members.put(
                        pair.substring(0, mark), URLDecoder.decode(pair.substring(mark + 1), StandardCharsets.UTF_8));
            }
        }
        return members;
    }

    private static void sendPage(HttpExchange exchange, String body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        send(
                exchange,
                200,
                "<!doctype html><html lang=\"en\"><title>Provider</title><link rel=\"icon\" href=\"data:,\">" + body);
    }

    /** Sends a response. */
    public static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
