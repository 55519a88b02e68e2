package org.sallyport.broker;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.ra.ActiveMQResourceAdapter;
import org.apache.activemq.artemis.uri.ConnectorTransportConfigurationParser;

/**
 * Address of an external broker, or of a live and backup group: {@code tcp://a:61616} or
 * {@code (tcp://a:61616,tcp://b:61616)?ha=true}.
 */
record BrokerUrl(List<TransportConfiguration> connectors, boolean highlyAvailable, BrokerSettings settings) {

    /** Address parameters that configure or disable encryption and trust. */
    private static final Pattern TLS_PARAMETER = Pattern.compile(
            "(ssl|keyStore|trust|crl|crc|ocsp).*|verifyHost|sniHost|useDefaultSslContext|forceSSLParameters|useServlet",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern LOCAL_HOST = Pattern.compile("localhost|127\\.[0-9.]+|\\[?::1]?|null");

    BrokerUrl {
        connectors = List.copyOf(connectors);
    }

    static BrokerUrl of(BrokerSettings settings) {
        String url = settings.url().orElseThrow();
        List<TransportConfiguration> connectors = parse(url);
        if (settings.tls().isPresent()) {
            connectors.forEach(BrokerUrl::enableTls);
        }
        return new BrokerUrl(connectors, url.contains("ha=true"), settings);
    }

    private static List<TransportConfiguration> parse(String url) {
        try {
            var parser = new ConnectorTransportConfigurationParser(false);
            return parser.newObject(parser.expandURI(url), "sallyport");
        } catch (Exception e) {
            throw new IllegalArgumentException(
                    "sallyport.broker.url is not a broker address such as tcp://localhost:61616: " + url, e);
        }
    }

    /** {@link BrokerTls} provides the keys and the trust of such a connection. */
    private static void enableTls(TransportConfiguration connector) {
        for (String name : connector.getCombinedParams().keySet()) {
            if (TLS_PARAMETER.matcher(name).matches()) {
                throw new IllegalArgumentException("sallyport.broker.url says " + name
                        + ", which sallyport.broker.tls.mode determines: remove it from the URL");
            }
        }
        connector.getParams().put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
        connector.getParams().put(TransportConstants.VERIFY_HOST_PROP_NAME, true);
    }

    /** Returns the remote hosts that would receive the account and all messages unencrypted. */
    List<String> unencryptedRemoteHosts() {
        return connectors.stream()
                .map(TransportConfiguration::getCombinedParams)
                .filter(parameters ->
                        !Boolean.parseBoolean(String.valueOf(parameters.get(TransportConstants.SSL_ENABLED_PROP_NAME))))
                .map(parameters -> String.valueOf(parameters.get(TransportConstants.HOST_PROP_NAME)))
                .filter(host -> !LOCAL_HOST.matcher(host).matches())
                .toList();
    }

    void configure(ActiveMQResourceAdapter adapter) {
        adapter.setConnectorClassName(connectors.stream()
                .map(TransportConfiguration::getFactoryClassName)
                .collect(Collectors.joining(",")));
        adapter.setConnectionParameters(
                connectors.stream().map(BrokerUrl::formatParameters).collect(Collectors.joining(",")));
        adapter.setHA(highlyAvailable);
        settings.user().ifPresent(adapter::setUserName);
        settings.password().ifPresent(adapter::setPassword);
    }

    private static String formatParameters(TransportConfiguration connector) {
        Map<String, Object> parameters = connector.getParams();
        return parameters.entrySet().stream()
                .filter(entry -> Optional.ofNullable(entry.getValue()).isPresent())
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .sorted()
                .collect(Collectors.joining(";"));
    }
}
