package org.sallyport.it.harness;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A tenant, of a server that test classes share, that no other class uses. Its administrator has a token of an issuer
 * in this JVM and creates an API key, so that tests do not need to stop the server to insert one.
 *
 * @param name name of the tenant at the server
 * @param key an API key with all roles
 * @param api a client with the key
 */
public record TestTenant(String name, String key, RestClient api) {
    /** The groups of a token that has all roles. */
    static final List<String> ALL_GROUPS = List.of("admins", "operators", "approvers", "submitters", "auditors");

    private static final int MAX_TENANTS = 60;
    private static final String ROLE_MAPPING =
            "admins=admin,operators=operator,approvers=approver,submitters=submitter,auditors=auditor";
    private static final FakeTokenIssuer ISSUER = new FakeTokenIssuer();
    private static final AtomicInteger COUNTER = new AtomicInteger();

    /** Configures a server to accept the issuer and its tenants. */
    static ServerSetup configure(ServerSetup setup) {
        // Each tenant names its issuer, so that a profile can add another issuer.
        String suffix = "=" + ISSUER.url();
        String tenants = IntStream.rangeClosed(1, MAX_TENANTS)
                .mapToObj(number -> name(number) + suffix)
                .collect(Collectors.joining(",", "default" + suffix + ",", ""));
        return setup.with("sallyport.jwt.issuers", ISSUER.url())
                .with("sallyport.jwt.audiences", FakeTokenIssuer.AUDIENCE)
                .with("sallyport.jwt.tenants", tenants)
                .with("sallyport.jwt.roles-claim", "groups")
                .with("sallyport.jwt.roles", ROLE_MAPPING);
    }

    private static String name(int number) {
        return "tenant-" + number;
    }

    /**
     * The issuer whose tokens the servers of a {@link ServerProfile} accept. Shared: do not rotate its key or close it.
     */
    public static FakeTokenIssuer issuer() {
        return ISSUER;
    }

    /** A new tenant of a server of a {@link ServerProfile}. */
    public static TestTenant of(SallyportServer server) {
        int number = COUNTER.incrementAndGet();
        if (number > MAX_TENANTS) {
            throw new AssertionError("all " + MAX_TENANTS + " tenants are taken");
        }
        String name = name(number);
        RestClient administrator =
                server.api().withKey(ISSUER.token("administrator", name, ALL_GROUPS.toArray(String[]::new)));
        String key = administrator.createKeyWithAllRoles(name);
        TestTenant tenant = new TestTenant(name, key, administrator.withKey(key));
        server.addClient(tenant.api());
        return tenant;
    }

    /** A valid token of this tenant. Groups are named as roles in the plural, for example {@code submitters}. */
    public String token(String subject, String... groups) {
        return ISSUER.token(subject, name, groups);
    }

    /** Creates a key of this tenant with one role. */
    public String key(String role) {
        return api.post("/api/v1/api-keys", "{\"name\":\"" + role + "\",\"roles\":[\"" + role + "\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
    }
}
