package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SallyportResourceAdapterTest {

    @Test
    void urlIsConvertedToConnectorAndParameters() {
        var adapter = new SallyportResourceAdapter();
        BrokerUrl.of(external("tcp://broker.example:61617")).configure(adapter);
        assertThat(adapter.getConnectorClassName()).endsWith("NettyConnectorFactory");
        assertThat(adapter.getConnectionParameters()).contains("host=broker.example", "port=61617");
        assertThat(adapter.getUserName()).isEqualTo("ann");
        assertThat(adapter.getPassword()).isEqualTo("secret");
        assertThat(adapter.getHA()).isFalse();
    }

    @Test
    void brokerGroupIsOneUrl() {
        var adapter = new SallyportResourceAdapter();
        BrokerUrl.of(external("(tcp://a:1,tcp://b:2)?ha=true")).configure(adapter);
        assertThat(adapter.getConnectorClassName().split(",")).hasSize(2);
        assertThat(adapter.getConnectionParameters()).contains("host=a", "host=b");
        assertThat(adapter.getHA()).isTrue();
    }

    @Test
    void plaintextRemoteHostsAreReported() {
        String all =
                "(tcp://localhost:1,tcp://127.0.0.1:2,tcp://broker.example:3,tcp://safe.example:4?sslEnabled=true)";
        assertThat(BrokerUrl.of(external(all)).unencryptedRemoteHosts()).containsExactly("broker.example");
    }

    @Test
    void invalidUrlIsReported() {
        assertThatThrownBy(() -> BrokerUrl.of(external("not an address"))).hasMessageContaining("sallyport.broker.url");
    }

    @Test
    void listenerDestinationContainsTheNodeIncarnation() {
        var spec = new SallyportActivationSpec();
        spec.setDestination("sallyport.reply.n1.{incarnation}");
        assertThat(spec.getDestination())
                .isEqualTo("sallyport.reply.n1." + System.getProperty(NodeIncarnation.PROPERTY));
        assertThat(NodeIncarnation.name()).matches("[0-9a-f]{32}").isEqualTo(NodeIncarnation.name());
    }

    private static BrokerSettings external(String url) {
        return new BrokerSettings(
                Optional.of(url), Optional.of("ann"), Optional.of("secret"), Path.of("unused"), Optional.empty());
    }
}
