package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class BrokerSettingsTest {

    private final Properties properties = new Properties();

    @Test
    void brokerIsEmbeddedAndClosedByDefault() {
        BrokerSettings settings = BrokerSettings.from(properties, Map.of());
        assertThat(settings.isEmbedded()).isTrue();
        assertThat(settings.acceptor()).isEmpty();
        assertThat(settings.dataDirectory()).isEqualTo(Path.of("data", "broker"));
    }

    @Test
    void brokerDataIsInTheDataDirectory() {
        assertThat(BrokerSettings.from(properties, Map.of("SALLYPORT_DATA", "/srv/sallyport"))
                        .dataDirectory())
                .isEqualTo(Path.of("/srv/sallyport/broker"));
    }

    @Test
    void systemPropertyOverridesTheEnvironmentAndBlankIsUnset() {
        properties.setProperty("sallyport.broker.url", "tcp://one:1");
        properties.setProperty("sallyport.broker.user", "  ");
        BrokerSettings settings = BrokerSettings.from(
                properties, Map.of("SALLYPORT_BROKER_URL", "tcp://two:2", "SALLYPORT_BROKER_USER", "ann"));
        assertThat(settings.url()).contains("tcp://one:1");
        assertThat(settings.user()).isEmpty();
    }

    @Test
    void acceptorWithoutAnAccountIsRefused() {
        properties.setProperty("sallyport.broker.acceptor", "tcp://127.0.0.1:61616");
        assertThatThrownBy(() -> BrokerSettings.from(properties, Map.of()))
                .hasMessageContaining("sallyport.broker.password");
    }

    @Test
    void acceptorForAnExternalBrokerIsRefused() {
        assertThatThrownBy(() -> BrokerSettings.from(
                        properties,
                        Map.of(
                                "SALLYPORT_BROKER_URL", "tcp://one:1",
                                "SALLYPORT_BROKER_USER", "ann",
                                "SALLYPORT_BROKER_PASSWORD", "x",
                                "SALLYPORT_BROKER_ACCEPTOR", "tcp://127.0.0.1:61616")))
                .hasMessageContaining("only one");
    }

    /**
     * As for all settings: each character that is not a letter or a digit becomes an underscore in the variable name.
     */
    @Test
    void settingNamesWithHyphensHaveVariables() {
        Map<String, String> environment = Map.of(
                "SALLYPORT_CONNECTORS_LISTEN_ADDRESS", "0.0.0.0:5672",
                "SALLYPORT_ALLOW_REMOTE", "true");

        assertThat(BrokerSettings.from(properties, environment).connectorAcceptor())
                .isPresent();
    }

    @Test
    void passwordIsNotPrinted() {
        assertThat(BrokerSettings.from(properties, Map.of("SALLYPORT_BROKER_PASSWORD", "open sesame")))
                .asString()
                .doesNotContain("sesame");
    }
}
