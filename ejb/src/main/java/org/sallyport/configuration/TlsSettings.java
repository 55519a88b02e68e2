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
            "How callers speak to the service: in the clear (`insecure`, for loopback or a proxy in front), by `tls`, or by `mtls`, where they"
                    + " show a certificate. With TLS the port speaks nothing else.");
    public static final Setting<String> KEYSTORE = Setting.text(
            "sallyport.tls.keystore",
            "",
            "PKCS #12 file with the service's key and certificate, and those between it and the root. Without it: PEM files.");
    public static final Setting<String> KEYSTORE_PASSWORD =
            Setting.secret("sallyport.tls.keystore-password", "Password of that file.");
    public static final Setting<String> CERTIFICATE = Setting.text(
            "sallyport.tls.certificate",
            "",
            "PEM file with the service's certificate, then those between it and the root.");
    public static final Setting<String> KEY =
            Setting.text("sallyport.tls.key", "", "PEM file with the key to it: PKCS #8, not encrypted.");
    public static final Setting<String> TRUSTSTORE = Setting.text(
            "sallyport.tls.truststore",
            "",
            "With `mtls`: PEM or PKCS #12 file with the authorities whose certificates callers may have, and with none besides.");
    public static final Setting<String> TRUSTSTORE_PASSWORD =
            Setting.secret("sallyport.tls.truststore-password", "Password of that file, if it is PKCS #12.");
    public static final Setting<List<String>> CLIENTS = Setting.list(
            "sallyport.tls.clients",
            "",
            "With `mtls`: callers whose certificate stands for a key, as `dns:ci.example=acme/submitter`: a name in it (`dns:`, `uri:`, `email:`"
                    + " or, of the subject, `cn:`), the tenant and a role. More roles are more entries. The first name that a certificate has"
                    + " is the caller.");
    public static final Setting<Duration> RELOAD_INTERVAL = Setting.millis(
            "sallyport.tls.reload-millis",
            100,
            60 * 60_000L,
            10_000,
            "How long the files are believed to be as they were: a renewed certificate is shown after that, without a restart. Those for"
                    + " the database and the broker, too.");

    public static final Setting<String> DB_MODE = mode(
            "sallyport.db.tls.mode",
            "How PostgreSQL is spoken to: as `sallyport.db.url` says (`insecure`), by `tls`, which is `verify-full`, or by `mtls`, where the"
                    + " service shows a certificate of its own.");
    public static final Setting<String> BROKER_MODE = mode(
            "sallyport.broker.tls.mode",
            "How an external broker is spoken to: as `sallyport.broker.url` says (`insecure`), by `tls`, or by `mtls`, where the service"
                    + " shows a certificate of its own.");

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
                                + " is shown, then those between it and the root."),
                Setting.text(prefix + "key", "", "PEM file with the key to it: PKCS #8, not encrypted."),
                Setting.text(
                        prefix + "server-name",
                        "",
                        "The name that the certificate of " + peer + " must have. Empty: that of its address."));
    }

    private TlsSettings() {}
}
