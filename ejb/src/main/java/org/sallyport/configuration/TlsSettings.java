package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * TLS settings of inbound connections, client certificates, and the connections to the database and the broker. The
 * listener and the broker connection read the settings of their files themselves, before the application starts.
 */
public final class TlsSettings {
    /** The modes with encryption. */
    public static final String TLS = "tls";

    public static final String MTLS = "mtls";
    private static final String INSECURE = "insecure";

    public static final Setting<String> MODE = Setting.choice(
            "sallyport.tls.mode",
            List.of(INSECURE, TLS, MTLS),
            INSECURE,
            "How callers connect to the service: unencrypted (`insecure`, for loopback or a proxy in front), with"
                    + " `tls`, or with `mtls`, where they present a certificate. With TLS the port accepts nothing"
                    + " else.");
    public static final Setting<String> KEYSTORE = Setting.text(
            "sallyport.tls.keystore",
            "",
            "PKCS #12 file with the service's key and certificate, and the intermediate certificates. Without it: PEM"
                    + " files.");
    public static final Setting<String> KEYSTORE_PASSWORD =
            Setting.secret("sallyport.tls.keystore-password", "Password of that file.");
    public static final Setting<String> CERTIFICATE = Setting.text(
            "sallyport.tls.certificate",
            "",
            "PEM file with the service's certificate, then the intermediate certificates.");
    public static final Setting<String> KEY =
            Setting.text("sallyport.tls.key", "", "PEM file with its key: PKCS #8, not encrypted.");
    public static final Setting<String> TRUSTSTORE = Setting.text(
            "sallyport.tls.truststore",
            "",
            "With `mtls`: PEM or PKCS #12 file with the authorities whose client certificates are accepted, and no"
                    + " others.");
    public static final Setting<String> TRUSTSTORE_PASSWORD =
            Setting.secret("sallyport.tls.truststore-password", "Password of that file, if it is PKCS #12.");
    public static final Setting<List<String>> CLIENTS = Setting.list(
            "sallyport.tls.clients",
            "",
            "With `mtls`: callers that a certificate identifies instead of a key, as `dns:ci.example=acme/submitter`:"
                    + " a name in it (`dns:`, `uri:`, `email:`"
                    + " or, of the subject, `cn:`), the tenant and a role. More roles are more entries. The first "
                    + "name that a certificate has"
                    + " is the caller.");
    public static final Setting<Duration> RELOAD_INTERVAL = Setting.millis(
            "sallyport.tls.reload-millis",
            100,
            60 * 60_000L,
            10_000,
            "How often the files are checked for changes, also those for the database and the broker: a renewed"
                    + " certificate is used without a restart.");

    public static final Setting<String> DB_MODE = mode(
            "sallyport.db.tls.mode",
            "How the service connects to PostgreSQL: as `sallyport.db.url` says (`insecure`), with `tls`, which is"
                    + " `verify-full`, or with `mtls`, where the service presents a certificate of its own.");
    public static final Setting<String> BROKER_MODE = mode(
            "sallyport.broker.tls.mode",
            "How the service connects to an external broker: as `sallyport.broker.url` says (`insecure`), with `tls`,"
                    + " or with `mtls`, where the service presents a certificate of its own.");

    static final List<Setting<?>> ALL = Stream.of(
                    List.<Setting<?>>of(
                            MODE,
                            KEYSTORE,
                            KEYSTORE_PASSWORD,
                            CERTIFICATE,
                            KEY,
                            TRUSTSTORE,
                            TRUSTSTORE_PASSWORD,
                            CLIENTS,
                            RELOAD_INTERVAL),
                    outboundSettings("sallyport.db.tls.", DB_MODE, "the database"),
                    outboundSettings("sallyport.broker.tls.", BROKER_MODE, "the broker"))
            .flatMap(List::stream)
            .toList();

    private static Setting<String> mode(String name, String about) {
        return Setting.choice(name, List.of(INSECURE, TLS, MTLS), INSECURE, about);
    }

    private static List<Setting<?>> outboundSettings(String prefix, Setting<String> mode, String peer) {
        return List.of(
                mode,
                Setting.text(
                        prefix + "ca-file",
                        "",
                        "PEM file with the authorities whose certificates " + peer
                                + " may have. Empty: those that Java trusts."),
                Setting.text(
                        prefix + "certificate",
                        "",
                        "With `mtls`: PEM file with the certificate that " + peer
                                + " receives, then the intermediate certificates."),
                Setting.text(prefix + "key", "", "PEM file with its key: PKCS #8, not encrypted."),
                Setting.text(
                        prefix + "server-name",
                        "",
                        "The name that the certificate of " + peer + " must have. Empty: that of its address."));
    }

    private TlsSettings() {}
}
