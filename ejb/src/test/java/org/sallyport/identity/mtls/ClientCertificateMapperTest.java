package org.sallyport.identity.mtls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.testsupport.TestCertificate;

class ClientCertificateMapperTest {
    /** One minute ahead, because the certificates are created shortly after this instance. */
    private Instant now = Instant.now().plusSeconds(60);

    private Optional<ExternalSubject> blocked = Optional.empty();

    private ClientCertificateMapper certificates(String clients) {
        return ClientCertificateMapper.create(
                configuration("mtls", clients),
                new BlockedSubjectCache(new SingleBlockedSubjectStore(), UUID::randomUUID, () -> now, Duration.ZERO),
                () -> now);
    }

    private static Configuration configuration(String mode, String clients) {
        return Configuration.read(Map.of("sallyport.tls.mode", mode, "sallyport.tls.clients", clients), Map.of());
    }

    private static X509Certificate certificate(String subject, String... names) {
        return TestCertificate.of(subject).subjectAltNames(names).selfSigned().certificate();
    }

    @Test
    void certificateNameMapsToTenantAndRoles() {
        ClientCertificateMapper certificates = certificates(
                "dns:CI.example=acme/submitter, dns:ci.example=acme/operator, uri:spiffe://a/b=c=default/auditor");

        Caller ci =
                certificates.findCaller(certificate("CN=x", "dns:ci.EXAMPLE")).orElseThrow();
        assertThat(ci.id()).isEqualTo("cert:dns:ci.example");
        assertThat(ci.tenant()).isEqualTo("acme");
        assertThat(ci.roles()).containsExactlyInAnyOrder(Role.SUBMITTER, Role.OPERATOR);
        Caller bot = certificates
                .findCaller(certificate("CN=x", "uri:spiffe://a/b=c"))
                .orElseThrow();
        assertThat(bot.id()).isEqualTo("cert:uri:spiffe://a/b=c");
        assertThat(bot.roles()).containsExactly(Role.AUDITOR);
    }

    @Test
    void firstConfiguredNameInTheCertificateIsTheCaller() {
        X509Certificate both = certificate("CN=olga", "dns:ci.example", "email:olga@example");

        assertThat(caller("cn:olga=a/submitter,dns:ci.example=b/admin", both)).contains("cert:cn:olga");
        assertThat(caller("dns:ci.example=b/admin,cn:olga=a/submitter", both)).contains("cert:dns:ci.example");
        assertThat(caller("email:olga@example=a/submitter", both)).contains("cert:email:olga@example");
    }

    @Test
    void unmappedCertificateHasNoCaller() {
        assertThat(caller("dns:ci.example=a/submitter", certificate("CN=ci.example", "dns:other.example")))
                .isEmpty();
        // A part of a name, a wildcard, and the same text as another kind of name do not match.
        assertThat(caller("dns:example=a/submitter,uri:ci.example=a/admin", certificate("CN=x", "dns:ci.example")))
                .isEmpty();
        assertThat(caller("dns:a.example=a/submitter", certificate("CN=x", "dns:*.example")))
                .isEmpty();
        // With two common names, it is undefined which one counts.
        assertThat(caller("cn:olga=a/admin", certificate("CN=olga,CN=eve", "dns:x.example")))
                .isEmpty();
        assertThat(caller("cn:olga=a/admin", certificate("O=\"x,CN=olga\"", "dns:x.example")))
                .isEmpty();
    }

    private Optional<String> caller(String clients, X509Certificate certificate) {
        return certificates(clients).findCaller(certificate).map(Caller::id);
    }

    @Test
    void expiredCertificateHasNoCallerOnAnOpenConnection() {
        X509Certificate certificate = certificate("CN=olga", "dns:x.example");
        ClientCertificateMapper certificates = certificates("cn:olga=a/admin");
        Caller olga = certificates.findCaller(certificate).orElseThrow();

        assertThat(olga.token().orElseThrow().expiresAt())
                .isEqualTo(certificate.getNotAfter().toInstant());
        now = now.plus(Duration.ofDays(365));
        assertThat(certificates.findCaller(certificate)).isEmpty();
    }

    @Test
    void blockedCertificateNameHasNoCaller() {
        X509Certificate certificate = certificate("CN=olga", "dns:x.example");
        blocked = Optional.of(new ExternalSubject(ExternalSubject.CERTIFICATE_ISSUER, "cn:olga"));

        assertThat(caller("cn:olga=a/admin", certificate)).isEmpty();
        assertThat(caller("dns:x.example=a/admin", certificate)).isPresent();
    }

    @Test
    void callerIsFoundByNameWithoutACertificate() {
        ClientCertificateMapper certificates = certificates("cn:olga=a/approver, cn:olga=a/auditor");
        Caller olga = certificates.findByName("cn:olga", now).orElseThrow();
        assertThat(olga.id()).isEqualTo("cert:cn:olga");
        assertThat(olga.tenant()).isEqualTo("a");
        assertThat(olga.roles()).containsExactlyInAnyOrder(Role.APPROVER, Role.AUDITOR);
        assertThat(olga.token().orElseThrow().expiresAt()).isEqualTo(now);
        assertThat(certificates.findByName("cn:ben", now)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "olga=a/admin, must have the form dns:ci.example",
        "cn:olga, must have the form dns:ci.example",
        "cn:olga=admin, must have the form dns:ci.example",
        "cn:olga=/admin, must have the form dns:ci.example",
        "cn:=a/admin, must name a caller",
        "cn:olga=a/boss, is not a role; roles are submitter",
        "cn:ölga=a/admin, in printable ASCII",
    })
    void invalidClientMappingIsReported(String clients, String problem) {
        assertThatThrownBy(() -> ClientCertificateMapper.validate(configuration("mtls", clients)))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.tls.clients: ")
                .hasMessageContaining(problem);
    }

    @Test
    void nameWithTwoTenantsOrMappingWithoutMtlsIsRefused() {
        assertThatThrownBy(() -> ClientCertificateMapper.validate(configuration("mtls", "cn:a=b/admin,cn:a=c/admin")))
                .hasMessageContaining("'cn:a' is mapped to two tenants");
        assertThatThrownBy(() -> ClientCertificateMapper.validate(configuration("tls", "cn:a=b/admin")))
                .hasMessageContaining("may be set only when sallyport.tls.mode is mtls");
        assertThat(certificates("").isEnabled()).isFalse();
    }

    private final class SingleBlockedSubjectStore implements BlockedSubjectStore {
        @Override
        public boolean contains(String tenant, ExternalSubject subject) {
            return blocked.filter(subject::equals).isPresent();
        }

        @Override
        public BlockedSubject add(BlockedSubject entry) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<BlockedSubject> remove(String tenant, UUID id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
            throw new UnsupportedOperationException();
        }
    }
}
