package org.sallyport.configuration;

import java.util.List;

/** Settings of the identity provider at which console users without a key log in. */
public final class OidcSettings {
    public static final Setting<String> ISSUER = Setting.text(
            "sallyport.oidc.issuer",
            "",
            "Provider at which people log in at the console (OpenID Connect): one of `sallyport.jwt.issuers`. Empty: "
                    + "the console takes keys only.");
    public static final Setting<String> CLIENT_ID = Setting.text(
            "sallyport.oidc.client-id", "", "Client ID of this service at the provider: `aud` of its ID tokens.");
    public static final Setting<String> CLIENT_SECRET = Setting.secret(
            "sallyport.oidc.client-secret",
            "Client secret that the service sends to the provider when it redeems a login. Empty: none, the client is"
                    + " public.");
    public static final Setting<List<String>> SCOPES = Setting.list(
            "sallyport.oidc.scopes",
            "openid,profile",
            "Scopes that the provider is asked for. `openid` must be among them.");
    public static final Setting<String> PUBLIC_URL = Setting.text(
            "sallyport.oidc.public-url",
            "",
            "Where browsers find this service, without a path: `https`, or `http` on a loopback address. The provider "
                    + "sends people back to `/console/oidc/callback` there.");

    static final List<Setting<?>> ALL = List.of(ISSUER, CLIENT_ID, CLIENT_SECRET, SCOPES, PUBLIC_URL);

    private OidcSettings() {}
}
