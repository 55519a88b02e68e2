package org.sallyport.broker;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.ra.ActiveMQResourceAdapter;
import org.apache.activemq.artemis.uri.ConnectorTransportConfigurationParser;

/**
 * How to reach an external broker, or a live and backup group of them: {@code tcp://a:61616} or {@code
 * (tcp://a:61616,tcp://b:61616)?ha=true}.
 */
record ExternalConnection(List<TransportConfiguration> connectors, boolean highlyAvailable, BrokerSettings settings) {

    ExternalConnection {
        connectors = List.copyOf(connectors);
    }

    static ExternalConnection of(BrokerSettings settings) {
        String url = settings.url().orElseThrow();
        try {
            var parser = new ConnectorTransportConfigurationParser(false);
            List<TransportConfiguration> connectors = parser.newObject(parser.expandURI(url), "sallyport");
            return new ExternalConnection(connectors, url.contains("ha=true"), settings);
        } catch (Exception e) {
            throw new IllegalArgumentException(
                    "sallyport.broker.url is not a broker address such as tcp://localhost:61616: " + url, e);
        }
    }

    void configure(ActiveMQResourceAdapter adapter) {
        adapter.setConnectorClassName(connectors.stream()
                .map(TransportConfiguration::getFactoryClassName)
                .collect(Collectors.joining(",")));
        adapter.setConnectionParameters(
                connectors.stream().map(ExternalConnection::parameters).collect(Collectors.joining(",")));
        adapter.setHA(highlyAvailable);
        settings.user().ifPresent(adapter::setUserName);
        settings.password().ifPresent(adapter::setPassword);
    }

    private static String parameters(TransportConfiguration connector) {
        Map<String, Object> parameters = connector.getParams();
        return parameters.entrySet().stream()
                .filter(entry -> Optional.ofNullable(entry.getValue()).isPresent())
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .sorted()
                .collect(Collectors.joining(";"));
    }
}
