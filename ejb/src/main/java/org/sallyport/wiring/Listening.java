package org.sallyport.wiring;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;

/** Refuses to serve others without encryption unless told explicitly. */
final class Listening {
    private Listening() {}

    static void check(Configuration configuration) {
        String host = configuration.get(Settings.HOST);
        if (!Boolean.parseBoolean(configuration.get(Settings.ALLOW_REMOTE)) && !loopback(host)) {
            throw new InvalidConfigurationException(List.of(Settings.HOST.name() + " '" + host
                    + "': is not a loopback address and the connection is not encrypted; set "
                    + Settings.ALLOW_REMOTE.name() + "=true when a proxy in front ends TLS"));
        }
    }

    private static boolean loopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
