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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConfigurationTest {
    private static final Pattern SETTING_NAME =
            Pattern.compile("\\bSALLYPORT_[A-Z0-9_]+|\\bsallyport\\.[a-z][a-z0-9.-]*[a-z0-9]");

    /** Variables of the command-line client and its launcher, which read them before a configuration exists. */
    private static final Set<String> CLI_VARIABLES = Set.of(
            "SALLYPORT_URL",
            "SALLYPORT_KEY",
            "SALLYPORT_PROFILE",
            "SALLYPORT_CA_FILE",
            "SALLYPORT_CLIENT_CERT",
            "SALLYPORT_CLIENT_KEY",
            "SALLYPORT_JAVA_OPTS");

    /** Names that look like settings but are not: files, packages, hosts, and the names and contents of messages. */
    private static final Pattern NOT_A_SETTING =
            Pattern.compile("sallyport\\.(?:(?:yaml|json|ear|key|bean|mv\\.db.*|it\\..*|(?:berlin\\.)?example)"
                    + "|jobs|control|call|reply|hops|abandoned-calls"
                    + "|schedule|webhook|misnamed|tool(?:\\..*)?|external(?:\\..*)?)");

    @Test
    void everySettingHasADefault() {
        Configuration configuration = Configuration.read(Map.of(), Map.of());
        assertThat(configuration.get(Settings.PORT)).isEqualTo(8080);
        assertThat(configuration.get(LimitSettings.CALL_TIMEOUT)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void propertyOverridesVariableAndVariableOverridesDefault() {
        Map<String, String> variables = Map.of("SALLYPORT_PORT", "81", "SALLYPORT_LIMITS_CALL_MILLIS", "7");
        Configuration configuration = Configuration.read(Map.of("sallyport.port", "82"), variables);
        assertThat(configuration.get(Settings.PORT)).isEqualTo(82);
        assertThat(configuration.get(LimitSettings.CALL_TIMEOUT)).isEqualTo(Duration.ofMillis(7));
    }

    @Test
    void allUnknownAndInvalidSettingsAreReportedAtTheStart() {
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
    void weightsAreParsedByTenantName() {
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
                    .hasMessageContaining("'" + wrong + "' must have the form 'acme=4', with a number from 1 to 100");
        }
    }

    @Test
    void secretIsNeverShown() {
        Setting<String> secret = Settings.DB_PASSWORD;
        assertThat(secret.secret()).isTrue();
        assertThat(ConfigurationDocGenerator.render()).contains("| secret |");
    }

    @Test
    void settingNamesAndVariablesAreUnique() {
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
    void everyDeclaredSettingIsRegistered() throws IllegalAccessException {
        for (Class<?> declares : List.of(Settings.class, LimitSettings.class, SandboxSettings.class)) {
            for (Field field : declares.getFields()) {
                if (field.getType() == Setting.class) {
                    assertThat(Settings.all()).as(field.getName()).contains((Setting<?>) field.get(null));
                }
            }
        }
    }

    @Test
    void everySettingInTheDocumentationExists() throws IOException {
        Set<String> known = new HashSet<>(CLI_VARIABLES);
        for (Setting<?> setting : Settings.all()) {
            known.add(setting.name());
            known.add(setting.environmentVariable());
        }
        Set<String> unknown = new TreeSet<>();
        try (Stream<Path> docs = Files.list(Path.of("../docs"))) {
            for (Path page :
                    docs.filter(file -> file.toString().endsWith(".md")).toList()) {
                SETTING_NAME
                        .matcher(Files.readString(page))
                        .results()
                        .map(MatchResult::group)
                        .filter(name -> !known.contains(name)
                                && !NOT_A_SETTING.matcher(name).matches())
                        // A name for all settings of a kind, such as sallyport.tls.*
                        .filter(name -> known.stream().noneMatch(setting -> setting.startsWith(name + '.')))
                        .forEach(name -> unknown.add(page.getFileName() + ": " + name));
            }
        }
        assertThat(known).hasSizeGreaterThan(200);
        assertThat(unknown).isEmpty();
    }

    @Test
    void documentationPageMatchesTheSettings() throws IOException {
        Path page = Path.of("../docs/configuration.md");
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(page, ConfigurationDocGenerator.render());
        }
        assertThat(page)
                .as("regenerate with: ./mvnw -pl ejb -am test -Dtest=ConfigurationTest "
                        + "-Dsurefire.failIfNoSpecifiedTests=false -Dregenerate=true")
                .hasContent(ConfigurationDocGenerator.render());
    }

    @Test
    void documentedLimitsMatchTheDefaults() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "script.md"));
        String section = page.substring(page.indexOf("## Limits"), page.indexOf("## Debugging"));
        Map<String, String> documented = new TreeMap<>();
        Pattern.compile("(\\d+)[a-z ]* \\(`(sallyport\\.limits\\.[a-z-]+)`\\)")
                .matcher(section)
                .results()
                .forEach(said -> documented.put(said.group(2), said.group(1)));

        // Other pages describe the limits of requests, keys and tenants.
        List<String> elsewhere = List.of(
                "max-body-bytes",
                "max-pending-bodies",
                "max-wait-millis",
                "max-long-polls",
                "max-queued",
                "max-streams",
                "max-streams-per-key",
                "max-saved-scripts",
                "requests-per-second",
                "max-live-per-concurrency-key",
                "max-delay-millis",
                "max-retry-attempts",
                "max-retry-delay-millis");
        assertThat(documented)
                .isEqualTo(LimitSettings.ALL.stream()
                        .filter(setting -> !elsewhere.contains(setting.name().substring("sallyport.limits.".length())))
                        .collect(Collectors.toMap(Setting::name, Setting::defaultText, (a, b) -> a, TreeMap::new)));
    }
}
