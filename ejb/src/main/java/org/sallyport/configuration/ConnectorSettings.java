package org.sallyport.configuration;

import java.util.List;

/**
 * Settings with which connectors in other processes reach the embedded broker. The broker reads them itself, before the
 * application starts; an invalid setting stops the start of the broker.
 */
public final class ConnectorSettings {
    public static final Setting<String> LISTEN_ADDRESS = Setting.text(
            "sallyport.connectors.listen-address",
            "",
            "Port, or address and port, at which the embedded broker accepts connectors of other processes, such as"
                    + " `127.0.0.1:5672`; a port alone means loopback. Empty: none are accepted. See backends of the"
                    + " kind `external`.");
    public static final Setting<List<String>> PROTOCOLS = Setting.list(
            "sallyport.connectors.protocols",
            "AMQP",
            "Protocols that are accepted there: `AMQP` (1.0), `STOMP`, `CORE` (Artemis' own, for JMS).");
    public static final Setting<String> KEYSTORE = Setting.text(
            "sallyport.connectors.keystore",
            "",
            "PKCS #12 file with the certificate and key for TLS there. Without it an address other than loopback is "
                    + "refused, unless"
                    + " `sallyport.allow-remote` is true.");
    public static final Setting<String> KEYSTORE_PASSWORD =
            Setting.secret("sallyport.connectors.keystore-password", "Password of that file.");

    static final List<Setting<?>> ALL = List.of(LISTEN_ADDRESS, PROTOCOLS, KEYSTORE, KEYSTORE_PASSWORD);

    private ConnectorSettings() {}
}
