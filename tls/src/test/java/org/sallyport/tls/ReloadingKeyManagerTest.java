package org.sallyport.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.testsupport.TestCertificate;

class ReloadingKeyManagerTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private Instant now = Instant.now().plusSeconds(60);

    private void write(TestCertificate shown) throws Exception {
        Files.writeString(directory.resolve("own.crt"), shown.certificatePem());
        Files.writeString(directory.resolve("own.key"), shown.keyPem());
    }

    private ReloadingKeyManager key() {
        KeyAndCertificate.KeyAndCertificateFiles place = new KeyAndCertificate.KeyAndCertificateFiles(
                Optional.empty(),
                Optional.empty(),
                Optional.of(directory.resolve("own.crt")),
                Optional.of(directory.resolve("own.key")),
                new KeyAndCertificate.KeyAndCertificateFiles.KeySettingNames(
                        "keystore", "password", "certificate", "key"));
        return new ReloadingKeyManager(new ReloadingFile<>(place, Duration.ofSeconds(1), () -> now));
    }

    private static String subject(X509Certificate @Nullable [] chain) {
        if (chain == null) {
            throw new AssertionError("there is no certificate");
        }
        return chain[0].getSubjectX500Principal().getName();
    }

    @Test
    void handshakeDuringARenewalUsesMatchingKeyAndCertificate() throws Exception {
        TestCertificate first = TestCertificate.of("CN=first").selfSigned();
        TestCertificate second = TestCertificate.of("CN=second").selfSigned();
        write(first);
        ReloadingKeyManager key = key();

        assertThat(key.getPrivateKey("any")).isEqualTo(first.key());
        write(second);
        now = now.plusSeconds(2);

        assertThat(subject(key.getCertificateChain("any"))).isEqualTo("CN=first");
        assertThat(key.getPrivateKey("any")).isEqualTo(second.key());
        assertThat(subject(key.getCertificateChain("any"))).isEqualTo("CN=second");
    }

    @Test
    void missingCertificateOffersNoAlias() {
        ReloadingKeyManager key = key();

        assertThat(key.chooseEngineServerAlias("EC", null, null)).isNull();
        assertThat(key.getCertificateChain("any")).isNull();
        assertThat(key.getPrivateKey("any")).isNull();
    }

    @Test
    void certificateIsOfferedOnlyForItsKeyType() throws Exception {
        write(TestCertificate.of("CN=first").selfSigned());
        ReloadingKeyManager key = key();

        assertThat(key.chooseEngineServerAlias("EC", null, null)).isNotNull();
        assertThat(key.chooseEngineServerAlias("RSA", null, null)).isNull();
        assertThat(key.chooseClientAlias(new String[] {"RSA", "EC"}, null, null))
                .isNotNull();
    }
}
