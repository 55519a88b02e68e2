package org.sallyport.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.InstantSource;
import java.util.List;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.configuration.TlsSettings;
import org.sallyport.tls.InboundTls;
import org.sallyport.tls.TlsAgent;
import org.sallyport.tls.TlsConfigurationException;

/**
 * Refuses to listen on a non-local address without encryption unless explicitly configured, and with an encryption that
 * cannot work.
 */
final class ListenAddressCheck {
    private ListenAddressCheck() {}

    static void check(Configuration configuration, InstantSource clock) {
        check(configuration, clock, TlsAgent.isInstalled());
    }

    /** @param agent whether the TLS agent is installed, which gives the listener its certificates */
    static void check(Configuration configuration, InstantSource clock, boolean agent) {
        String host = configuration.get(Settings.HOST);
        String mode = configuration.get(TlsSettings.MODE);
        boolean encrypted = mode.equals(TlsSettings.TLS) || mode.equals(TlsSettings.MTLS);
        if (!encrypted && !Boolean.parseBoolean(configuration.get(Settings.ALLOW_REMOTE)) && !isLoopback(host)) {
            throw refused(Settings.HOST.name() + " '" + host
                    + "': is not a loopback address and the connection is not encrypted; set " + TlsSettings.MODE.name()
                    + "=tls, or " + Settings.ALLOW_REMOTE.name() + "=true when a proxy in front terminates TLS");
        }
        try {
            InboundTls.from(name -> Settings.text(configuration, name)).validate(clock);
        } catch (TlsConfigurationException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        if (encrypted && !agent) {
            throw refused(TlsSettings.MODE.name() + " '" + mode
                    + "': the server was started without -javaagent:tls.jar and the commands of " + mode
                    + ".txt; see docs/tls.md");
        }
    }

    private static InvalidConfigurationException refused(String problem) {
        return new InvalidConfigurationException(List.of(problem));
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
