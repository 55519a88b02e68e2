package org.sallyport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.testsupport.TestCertificate;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InboundTlsTest {
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    private final TestCertificate first = TestCertificate.of("CN=first").selfSigned();
    private final TestCertificate second =
            TestCertificate.of("CN=second").keyAlgorithm("RSA").selfSigned();

    @SuppressWarnings("NullAway.Init")
    private String store;

    private final Map<String, String> settings = new HashMap<>();

    @BeforeAll
    void make() {
        store = first.write(directory, "first").store().toString();
    }

    private InboundTls tls(String... pairs) throws TlsConfigurationException {
        settings.clear();
        settings.put("sallyport.tls.mode", "tls");
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put("sallyport.tls." + pairs[i], pairs[i + 1]);
        }
        return InboundTls.from(name -> Optional.ofNullable(settings.get(name)));
    }

    private void assertRejected(String message, String... pairs) {
        assertThatThrownBy(() -> tls(pairs).validate(CLOCK))
                .isInstanceOf(TlsConfigurationException.class)
                .hasMessageContaining(message)
                .hasMessageStartingWith("sallyport.tls.")
                .hasMessageNotContaining(TestCertificate.PASSWORD);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    @Test
    void keysComeFromAKeystoreOrFromPemFiles() throws Exception {
        tls("keystore", store, "keystore-password", TestCertificate.PASSWORD).validate(CLOCK);
        tls("certificate", file("a.crt", first.certificatePem()), "key", file("a.key", first.keyPem()))
                .validate(CLOCK);
        tls("certificate", file("b.crt", second.certificatePem()), "key", file("b.key", second.keyPem()))
                .validate(CLOCK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ed25519", "RSA", "EC"})
    void everyKeyAlgorithmIsAccepted(String algorithm) throws Exception {
        TestCertificate of =
                TestCertificate.of("CN=kind").keyAlgorithm(algorithm).selfSigned();

        tls("certificate", file("k.crt", of.certificatePem()), "key", file("k.key", of.keyPem()))
                .validate(CLOCK);
    }

    @Test
    void invalidSettingIsNamed() throws Exception {
        assertRejected("must be one of insecure, tls, mtls", "mode", "yes");
        assertRejected("needs a certificate: set sallyport.tls.keystore");
        assertRejected(
                "must not be set while sallyport.tls.mode is insecure",
                "mode",
                "insecure",
                "keystore",
                "x",
                "keystore-password",
                "y");
        assertRejected("sallyport.tls.keystore-password: must be set", "keystore", store);
        assertRejected("there is no such file", "keystore", "/nowhere/x.p12", "keystore-password", "x");
        assertRejected("is a directory", "keystore", directory.toString(), "keystore-password", "x");
        assertRejected(
                "sallyport.tls.keystore-password: is not the password of the file",
                "keystore",
                store,
                "keystore-password",
                TestCertificate.PASSWORD + "x");
        assertRejected("is no PKCS #12 file", "keystore", file("no.p12", "no"), "keystore-password", "x");
        assertRejected("both name the certificate", "keystore", store, "certificate", "x");
        assertRejected("sallyport.tls.key: must be set with", "certificate", file("c.crt", first.certificatePem()));
        assertRejected("sallyport.tls.certificate: must be set with", "key", file("c.key", first.keyPem()));
        assertRejected(
                "the certificate does not match the key",
                "certificate",
                file("d.crt", first.certificatePem()),
                "key",
                file("d.key", second.keyPem()));
        assertRejected("has no certificate", "certificate", file("e.crt", ""), "key", file("e.key", first.keyPem()));
        assertRejected(
                "has a damaged certificate",
                "certificate",
                file("f.crt", TestCertificate.pem("CERTIFICATE", new byte[] {1})),
                "key",
                file("f.key", first.keyPem()));
        assertRejected(
                "openssl pkcs8 -topk8",
                "certificate",
                file("g.crt", first.certificatePem()),
                "key",
                file("g.key", TestCertificate.pem("RSA PRIVATE KEY", new byte[] {1})));
        assertRejected(
                "has a damaged key",
                "certificate",
                file("h.crt", first.certificatePem()),
                "key",
                file("h.key", TestCertificate.pem("PRIVATE KEY", new byte[] {1})));
        assertRejected(
                "sallyport.tls.truststore: must be set where sallyport.tls.mode is mtls",
                "mode",
                "mtls",
                "keystore",
                store,
                "keystore-password",
                TestCertificate.PASSWORD);
        assertRejected(
                "may be set only when sallyport.tls.mode is mtls",
                "keystore",
                store,
                "keystore-password",
                TestCertificate.PASSWORD,
                "truststore",
                "x");
        assertRejected(
                "contains no CA certificate",
                "mode",
                "mtls",
                "keystore",
                store,
                "keystore-password",
                TestCertificate.PASSWORD,
                "truststore",
                file("t.pem", "-----BEGIN NOTHING-----\n-----END NOTHING-----"));
    }

    @Test
    void keystoreWithTwoKeysIsRefused() throws Exception {
        KeyStore both = first.keyStore();
        both.setKeyEntry(
                "second",
                second.key(),
                TestCertificate.PASSWORD.toCharArray(),
                second.chain().toArray(Certificate[]::new));
        Path file = directory.resolve("both.p12");
        TestCertificate.store(both, file);

        assertRejected(
                "must have one key with its certificate, and has 2",
                "keystore",
                file.toString(),
                "keystore-password",
                TestCertificate.PASSWORD);
    }

    @Test
    void expiredOrNotYetValidCertificateIsRefused() throws Exception {
        InboundTls tls = tls("keystore", store, "keystore-password", TestCertificate.PASSWORD);

        assertThatThrownBy(() -> tls.validate(InstantSource.fixed(Instant.now().plus(Duration.ofDays(365)))))
                .hasMessageStartingWith("sallyport.tls.keystore: the certificate has expired: it was valid until ");
        assertThatThrownBy(() -> tls.validate(InstantSource.fixed(Instant.now().minus(Duration.ofDays(1)))))
                .hasMessageStartingWith("sallyport.tls.keystore: the certificate is not valid before ");
    }

    @Test
    void insecureModeNeedsNoOtherSettings() throws Exception {
        tls("mode", "insecure").validate(CLOCK);
        assertThat(tls("mode", "insecure").mode()).isEqualTo(TlsMode.INSECURE);
    }
}
