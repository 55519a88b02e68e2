package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectorAcceptorTest {
    private final Map<String, String> settings = new HashMap<>();

    private Optional<ConnectorAcceptor> acceptor() {
        return ConnectorAcceptor.from(name -> Optional.ofNullable(settings.get(name)));
    }

    @Test
    void acceptorIsClosedByDefault() {
        assertThat(acceptor()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "5672, 127.0.0.1, 5672",
        "127.0.0.1:1234, 127.0.0.1, 1234",
        "localhost:7, localhost, 7",
        "[::1]:7, [::1], 7"
    })
    void acceptorListensOnTheConfiguredAddress(String address, String host, int port) {
        settings.put("sallyport.connectors.listen-address", address);
        ConnectorAcceptor door = acceptor().orElseThrow();
        assertThat(door.host()).isEqualTo(host);
        assertThat(door.port()).isEqualTo(port);
        TransportConfiguration acceptor = door.toTransportConfiguration();
        assertThat(acceptor.getCombinedParams())
                .containsEntry("protocols", "AMQP")
                .containsEntry("saslMechanisms", "PLAIN")
                .doesNotContainKey("sslEnabled");
    }

    @ParameterizedTest
    @CsvSource({
        "x, , must be a port",
        "0, , must be a port",
        "99999, , must be a port",
        "127.0.0.1, , must be a port",
        "tcp://127.0.0.1:5672, , must be a port",
        "127.0.0.1:5672?x=y, , must be a port",
        "0.0.0.0:5672, , sallyport.connectors.keystore",
        "5672, MQTT, AMQP",
    })
    void unsafeAddressIsRefused(String address, String protocols, String said) {
        settings.put("sallyport.connectors.listen-address", address);
        if (protocols != null) {
            settings.put("sallyport.connectors.protocols", protocols);
        }
        assertThatThrownBy(this::acceptor)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }

    @Test
    void acceptorWithACertificateListensOnAnyAddress() {
        settings.put("sallyport.connectors.listen-address", "0.0.0.0:5671");
        settings.put("sallyport.connectors.keystore", "/etc/sallyport/broker.p12");
        assertThatThrownBy(this::acceptor).hasMessageContaining("sallyport.connectors.keystore-password");
        settings.put("sallyport.connectors.keystore-password", "a;b&c=d");
        assertThat(acceptor().orElseThrow().toTransportConfiguration().getCombinedParams())
                .containsEntry("sslEnabled", true)
                .containsEntry("keyStorePassword", "a;b&c=d")
                .containsEntry("keyStoreType", "PKCS12");
        assertThat(acceptor()).asString().doesNotContain("a;b&c=d");
    }
}
