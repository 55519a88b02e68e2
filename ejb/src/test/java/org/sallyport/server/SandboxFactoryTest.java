package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.sandbox.Sandbox;

class SandboxFactoryTest {
    private static final String MODE = "sallyport.sandbox.mode";
    private static final String REQUIRED = "sallyport.sandbox.require-os-isolation";

    @TempDir
    private Path data;

    @Test
    void requiredIsolationRefusesInProcessScripts() {
        Configuration configuration = Configuration.read(Map.of(MODE, "inprocess", REQUIRED, "true"), Map.of());
        assertThatThrownBy(() -> SandboxFactory.open(configuration, data))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(REQUIRED + " is set, but scripts run inside the server (" + MODE + "=inprocess)");
    }

    @Test
    void inProcessScriptsAreAllowedWithoutRequiredIsolation() {
        Configuration configuration = Configuration.read(Map.of(MODE, "inprocess"), Map.of());
        try (Sandbox sandbox = SandboxFactory.open(configuration, data)) {
            assertThat(sandbox.status().mode()).isEqualTo("inprocess");
        }
    }
}
