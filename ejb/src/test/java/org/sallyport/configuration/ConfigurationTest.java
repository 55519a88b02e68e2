package org.sallyport.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigurationTest {

    @Test
    void withoutAnythingEverySettingHasItsDefault() {
        Configuration configuration = Configuration.read(Map.of(), Map.of());
        assertThat(configuration.get(Settings.PORT)).isEqualTo(8080);
        assertThat(configuration.get(LimitSettings.CALL)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aPropertyWinsOverAVariableOverTheDefault() {
        Map<String, String> variables = Map.of("SALLYPORT_PORT", "81", "SALLYPORT_LIMITS_CALL_MILLIS", "7");
        Configuration configuration = Configuration.read(Map.of("sallyport.port", "82"), variables);
        assertThat(configuration.get(Settings.PORT)).isEqualTo(82);
        assertThat(configuration.get(LimitSettings.CALL)).isEqualTo(Duration.ofMillis(7));
    }

    @Test
    void unknownAndImpossibleSettingsStopTheStartAndAreAllNamed() {
        Map<String, String> properties = Map.of("sallyport.prot", "1", "sallyport.db.pool", "many");
        Map<String, String> variables = Map.of("SALLYPORT_PORT", "70000", "SALLYPORT_TYPO", "x", "PATH", "/bin");
        assertThatThrownBy(() -> Configuration.read(properties, variables))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.prot: there is no such setting")
                .hasMessageContaining("SALLYPORT_TYPO: there is no such setting")
                .hasMessageContaining("sallyport.port (SALLYPORT_PORT) '70000': must be from 1 to 65535")
                .hasMessageContaining("sallyport.db.pool (SALLYPORT_DB_POOL) 'many': must be a whole number");
    }

    @Test
    void weightsAreWholeNumbersByName() {
        String name = Settings.QUEUE_WEIGHTS.name();
        assertThat(Configuration.read(Map.of(), Map.of()).get(Settings.QUEUE_WEIGHTS))
                .isEmpty();
        assertThat(Configuration.read(Map.of(name, " acme = 4,,a=b=100 "), Map.of())
                        .get(Settings.QUEUE_WEIGHTS))
                .isEqualTo(Map.of("acme", 4, "a=b", 100));
        for (String wrong : List.of("acme", "=4", "acme=", "acme=0", "acme=-1", "acme=101", "acme=1.5", "acme=x")) {
            assertThatThrownBy(() -> Configuration.read(Map.of(name, wrong), Map.of()))
                    .as(wrong)
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessageContaining("'" + wrong + "' must be as 'acme=4', with 1 to 100");
        }
    }

    @Test
    void aSecretIsNeverShown() {
        Setting<String> secret = Settings.DB_PASSWORD;
        assertThat(secret.secret()).isTrue();
        assertThat(ConfigurationPage.render()).contains("| secret |");
    }

    @Test
    void noTwoSettingsShareANameOrAVariable() {
        var names = new HashSet<String>();
        var variables = new HashSet<String>();
        for (Setting<?> setting : Settings.all()) {
            assertThat(names.add(setting.name())).as(setting.name()).isTrue();
            assertThat(variables.add(setting.environmentVariable()))
                    .as(setting.name())
                    .isTrue();
        }
    }

    @Test
    void everySettingThatIsDeclaredIsKnown() throws IllegalAccessException {
        for (Class<?> declares : List.of(Settings.class, LimitSettings.class, SandboxSettings.class)) {
            for (Field field : declares.getFields()) {
                if (field.getType() == Setting.class) {
                    assertThat(Settings.all()).as(field.getName()).contains((Setting<?>) field.get(null));
                }
            }
        }
    }

    @Test
    void theDocumentationPageIsTheOneThatTheCodeRenders() throws IOException {
        Path page = Path.of("../docs/configuration.md");
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(page, ConfigurationPage.render());
        }
        assertThat(page)
                .as("regenerate with: ./mvnw -pl ejb test -Dtest=ConfigurationTest -Dregenerate=true")
                .hasContent(ConfigurationPage.render());
    }
}
