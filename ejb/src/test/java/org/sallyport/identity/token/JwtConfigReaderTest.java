package org.sallyport.identity.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;

class JwtConfigReaderTest {
    private static Configuration configuration(String... changes) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "sallyport.jwt.issuers", "https://id.example",
                "sallyport.jwt.audiences", "sallyport",
                "sallyport.jwt.roles", "engineers=submitter"));
        for (int i = 0; i < changes.length; i += 2) {
            settings.put(changes[i], changes[i + 1]);
        }
        return Configuration.read(settings, Map.of());
    }

    @Test
    void noConfigurationWithoutAnIssuer() {
        assertThat(JwtConfigReader.read(Configuration.read(Map.of(), Map.of()))).isEmpty();
        assertThat(JwtConfigReader.read(configuration())).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:8081/realms/x",
                "http://[::1]:1/",
                "http://localhost/x",
                "https://id.example/a/b"
            })
    void secureIssuerUrlIsAccepted(String url) {
        assertThat(JwtConfigReader.read(configuration("sallyport.jwt.issuers", url)))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "issuers | http://id.example | must be an https URL",
                "issuers | http://127.0.0.1.evil.example | must be an https URL",
                "issuers | http://10.0.0.1 | must be an https URL",
                "issuers | id.example | must be an https URL",
                "issuers | file:///etc | must be an https URL",
                "issuers | https://user:secret@id.example | must be an https URL",
                "issuers | https://id.example/a b | must be an https URL",
                "issuers | https://id.example/?x=1 | must not contain",
                "issuers | https://id.example/@x | must not contain",
                "issuers | https://id.example,https://id.example | twice",
                "issuers | https://id.example,https://other.example | must name its issuer",
                "issuers | '' | may be set only together",
                "jwks-uris | http://id.example/keys | must be an https URL",
                "jwks-uris | https://a/1,https://a/2 | must have as many",
                "audiences | '' | must be set",
                "algorithms | none | must be some of",
                "algorithms | HS256 | must be some of",
                "algorithms | RS256,hs256 | must be some of",
                "algorithms | '' | must be some of",
                "types | x+jwt | must be some of",
                "tenants | '' | has no tenant for",
                "tenants | acme=https://other.example | is not in",
                "tenants | =https://id.example | names no tenant",
                "roles | engineers | must have the form",
                "roles | =admin | must have the form",
                "roles | engineers=king | is not a role",
                "default-roles | ADMIN | is not a role",
                "roles-claim | '' | must name a claim",
                "jwks-min-refetch-millis | 400000 | must not be longer",
                "clock-skew-millis | 999999999 | must be from",
            })
    void invalidSettingStopsTheStartWithTheReason(String setting, String value, String why) {
        String name = "sallyport.jwt." + setting;
        assertThatThrownBy(() -> JwtConfigReader.read(configuration(name, value)))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.jwt.")
                .hasMessageContaining(why);
    }

    @Test
    void issuerWithoutATenantClaimNeedsExactlyOneTenant() {
        assertThatThrownBy(() -> JwtConfigReader.read(
                        configuration("sallyport.jwt.tenant-claim", "", "sallyport.jwt.tenants", "a,b")))
                .hasMessageContaining("must have one tenant for each issuer");
    }
}
