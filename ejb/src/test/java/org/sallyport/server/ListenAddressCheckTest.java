package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.testsupport.TestCertificate;

class ListenAddressCheckTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private static void check(Map<String, String> settings, boolean agent) {
        ListenAddressCheck.check(Configuration.read(settings, Map.of()), InstantSource.system(), agent);
    }

    private Map<String, String> encrypted() {
        Path store = TestCertificate.of("CN=own")
                .selfSigned()
                .write(directory, "own")
                .store();
        return new HashMap<>(Map.of(
                "sallyport.tls.mode",
                "tls",
                "sallyport.tls.keystore",
                store.toString(),
                "sallyport.tls.keystore-password",
                TestCertificate.PASSWORD));
    }

    @Test
    void remoteListenAddressNeedsTlsOrExplicitPermission() {
        assertThatThrownBy(() -> check(Map.of("sallyport.host", "0.0.0.0"), true))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.host '0.0.0.0'")
                .hasMessageContaining("sallyport.tls.mode=tls")
                .hasMessageContaining("sallyport.allow-remote=true");
        assertThatCode(() -> check(Map.of("sallyport.host", "0.0.0.0", "sallyport.allow-remote", "true"), false))
                .doesNotThrowAnyException();
        Map<String, String> tls = encrypted();
        tls.put("sallyport.host", "0.0.0.0");
        assertThatCode(() -> check(tls, true)).doesNotThrowAnyException();
    }

    @Test
    void tlsNeedsATlsListener() {
        Map<String, String> tls = encrypted();

        assertThatThrownBy(() -> check(tls, false))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("-javaagent:tls.jar");
    }

    @Test
    void unusableCertificateStopsTheStart() {
        Map<String, String> tls = encrypted();
        tls.put("sallyport.tls.keystore-password", "another-secret");

        assertThatThrownBy(() -> check(tls, true))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.tls.keystore-password: is not the password")
                .hasMessageNotContaining("another-secret");
    }
}
