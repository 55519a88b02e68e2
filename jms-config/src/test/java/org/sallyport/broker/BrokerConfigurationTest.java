package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.junit.jupiter.api.Test;

class BrokerConfigurationTest {

    private static final BrokerSettings CLOSED = new BrokerSettings(
            Optional.empty(), Optional.empty(), Optional.empty(), Path.of("unused"), Optional.empty());

    @Test
    void embeddedAndExternalBrokerHaveTheSameConfiguration() throws Exception {
        Configuration external = BrokerConfiguration.external();
        Configuration embedded = BrokerConfiguration.embedded(CLOSED);
        assertThat(destinations(embedded)).isEqualTo(destinations(external));
        assertThat(embedded.getAddressSettings()).isEqualTo(external.getAddressSettings());
        assertThat(embedded.getJournalBufferTimeout_NIO()).isEqualTo(external.getJournalBufferTimeout_NIO());
        assertThat(embedded.getMinDiskFree()).isEqualTo(external.getMinDiskFree());
        assertThat(external.isSecurityEnabled()).isTrue();
    }

    @Test
    void configuredDestinationsAreComplete() throws Exception {
        assertThat(destinations(BrokerConfiguration.external()))
                .isEqualTo(Map.of(
                        "sallyport.jobs", "ANYCAST sallyport.jobs",
                        "sallyport.tool.java", "ANYCAST sallyport.tool.java",
                        "sallyport.control", "MULTICAST ",
                        "sallyport.abandoned-calls", "MULTICAST ",
                        "sallyport.dead-letters", "ANYCAST sallyport.dead-letters",
                        "sallyport.expired", "ANYCAST sallyport.expired"));
    }

    @Test
    void rejectedAndExpiredMessagesAreKeptForEveryAddress() throws Exception {
        Configuration configuration = BrokerConfiguration.external();
        assertThat(Map.copyOf(configuration.getAddressSettings()).entrySet())
                .filteredOn(entry -> Set.of("#", "sallyport.#").contains(entry.getKey()))
                .extracting(Map.Entry::getValue)
                .extracting(
                        settings -> settings.getDeadLetterAddress().toString(),
                        settings -> settings.getExpiryAddress().toString())
                .containsExactly(
                        tuple("sallyport.dead-letters", "sallyport.expired"),
                        tuple("sallyport.dead-letters", "sallyport.expired"));
    }

    @Test
    void embeddedBrokerListensOnlyInVmByDefault() throws Exception {
        Configuration configuration = BrokerConfiguration.embedded(CLOSED);
        assertThat(configuration.getAcceptorConfigurations())
                .extracting(TransportConfiguration::getFactoryClassName)
                .containsExactly(InVMAcceptorFactory.class.getName());
        assertThat(configuration.isSecurityEnabled()).isFalse();
    }

    @Test
    void acceptorEnablesSecurity() throws Exception {
        Configuration configuration = BrokerConfiguration.embedded(new BrokerSettings(
                Optional.empty(),
                Optional.of("ann"),
                Optional.of("secret"),
                Path.of("unused"),
                Optional.of("tcp://127.0.0.1:61616")));
        assertThat(configuration.getAcceptorConfigurations()).hasSize(2);
        assertThat(configuration.isSecurityEnabled()).isTrue();
    }

    private static Map<String, String> destinations(Configuration configuration) {
        return configuration.getAddressConfigurations().stream()
                .collect(Collectors.toMap(
                        address -> address.getName(),
                        address -> types(address.getRoutingTypes().stream()) + " "
                                + address.getQueueConfigs().stream()
                                        .map(QueueConfiguration::getName)
                                        .map(Object::toString)
                                        .sorted()
                                        .collect(Collectors.joining(","))));
    }

    private static String types(Stream<RoutingType> types) {
        return types.map(RoutingType::name).sorted().collect(Collectors.joining(","));
    }
}
