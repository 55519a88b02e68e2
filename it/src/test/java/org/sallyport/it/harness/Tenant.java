package org.sallyport.it.harness;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A tenant of a server that test classes share, with which no other class has to do. Its administrator has a token of an issuer
 * in this JVM and makes an API key, so that no test has to stop the server to insert one.
 *
 * @param name what the server calls it
 * @param key an API key with all roles
 * @param api a client that carries the key
 */
public record Tenant(String name, String key, Api api) {
    /** The groups of a token that has all roles. */
    static final List<String> ALL_GROUPS = List.of("admins", "operators", "approvers", "submitters", "auditors");

    private static final int MOST = 60;
    private static final String ROLES =
            "admins=admin,operators=operator,approvers=approver,submitters=submitter,auditors=auditor";
    private static final Issuer ISSUER = new Issuer();
    private static final AtomicInteger MADE = new AtomicInteger();

    /** Lets a server know the issuer and its tenants. */
    static ServerSetup knownTo(ServerSetup setup) {
        // Each tenant names its issuer, so that a profile can add another issuer.
        String suffix = "=" + ISSUER.url();
        String tenants = IntStream.rangeClosed(1, MOST)
                .mapToObj(number -> name(number) + suffix)
                .collect(Collectors.joining(",", "default" + suffix + ",", ""));
        return setup.with("sallyport.jwt.issuers", ISSUER.url())
                .with("sallyport.jwt.audiences", Issuer.AUDIENCE)
                .with("sallyport.jwt.tenants", tenants)
                .with("sallyport.jwt.roles-claim", "groups")
                .with("sallyport.jwt.roles", ROLES);
    }

    private static String name(int number) {
        return "tenant-" + number;
    }

    /** The issuer whose tokens the servers of a {@link Profile} accept. Shared: do not rotate its key or close it. */
    public static Issuer issuer() {
        return ISSUER;
    }

    /** One that nobody has used, of a server of a {@link Profile}. */
    public static Tenant of(SallyportServer server) {
        int number = MADE.incrementAndGet();
        if (number > MOST) {
            throw new AssertionError("all " + MOST + " tenants are taken");
        }
        String name = name(number);
        Api administrator = server.api().as(ISSUER.token("administrator", name, ALL_GROUPS.toArray(String[]::new)));
        String key = administrator.newKeyWithAllRoles(name);
        Tenant tenant = new Tenant(name, key, administrator.as(key));
        server.addClient(tenant.api());
        return tenant;
    }

    /** A valid token of this tenant. Groups are named as roles in the plural, for example {@code submitters}. */
    public String token(String subject, String... groups) {
        return ISSUER.token(subject, name, groups);
    }

    /** A key of this tenant with one role. */
    public String key(String role) {
        return api.post("/api/v1/api-keys", "{\"name\":\"" + role + "\",\"roles\":[\"" + role + "\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
    }
}
