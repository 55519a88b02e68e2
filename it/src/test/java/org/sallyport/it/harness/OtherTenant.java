package org.sallyport.it.harness;

/**
 * A second tenant of a server, {@code foreign}. Its administrator has a token of an issuer in this JVM and makes an API key
 * with all roles, so that no test has to stop the server to insert a key.
 */
public final class OtherTenant {
    private static final String NAME = "foreign";
    private static final Issuer ISSUER = new Issuer();

    private OtherTenant() {}

    /** Lets a server know the issuer and the tenant. */
    public static ServerSetup knownTo(ServerSetup setup) {
        return setup.with("sallyport.jwt.issuers", ISSUER.url())
                .with("sallyport.jwt.audiences", Issuer.AUDIENCE)
                .with("sallyport.jwt.tenants", "default," + NAME)
                .with("sallyport.jwt.roles-claim", "groups")
                .with(
                        "sallyport.jwt.roles",
                        "admins=admin,operators=operator,approvers=approver,submitters=submitter,auditors=auditor");
    }

    /** A key of the tenant, with all roles, at a server that {@linkplain #knownTo knows} it. */
    public static String key(SallyportServer server) {
        return server.api()
                .as(ISSUER.token("administrator", NAME, "admins", "operators", "approvers", "submitters", "auditors"))
                .newKeyWithAllRoles("foreign");
    }
}
