package org.sallyport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServerTlsTest {
    private static final InstantSource NOW = InstantSource.system();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private Certified first;

    @SuppressWarnings("NullAway.Init")
    private Certified second;

    private final Map<String, String> settings = new HashMap<>();

    @BeforeAll
    void make() {
        first = Certified.make(directory, "first");
        second = Certified.make(directory, "second", "-keyalg", "RSA");
    }

    private ServerTls tls(String... pairs) throws UnusableException {
        settings.clear();
        settings.put("sallyport.tls.mode", "tls");
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put("sallyport.tls." + pairs[i], pairs[i + 1]);
        }
        return ServerTls.from(name -> Optional.ofNullable(settings.get(name)));
    }

    private void refuses(String message, String... pairs) {
        assertThatThrownBy(() -> tls(pairs).check(NOW))
                .isInstanceOf(UnusableException.class)
                .hasMessageContaining(message)
                .hasMessageStartingWith("sallyport.tls.")
                .hasMessageNotContaining(Certified.PASSWORD);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    @Test
    void keysComeFromAKeystoreOrFromPemFiles() throws Exception {
        tls("keystore", first.file().toString(), "keystore-password", Certified.PASSWORD)
                .check(NOW);
        tls("certificate", file("a.crt", first.certificate()), "key", file("a.key", first.key()))
                .check(NOW);
        tls("certificate", file("b.crt", second.certificate()), "key", file("b.key", second.key()))
                .check(NOW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ed25519", "RSA", "EC"})
    void kindsOfKeys(String algorithm) throws Exception {
        Certified of = Certified.make(directory, "kind-" + algorithm, "-keyalg", algorithm);

        tls("certificate", file("k.crt", of.certificate()), "key", file("k.key", of.key()))
                .check(NOW);
    }

    @Test
    void whatCannotBeNamesItsSetting() throws Exception {
        refuses("must be one of insecure, tls, mtls", "mode", "yes");
        refuses("needs a certificate: set sallyport.tls.keystore");
        refuses(
                "is of no use while sallyport.tls.mode is insecure",
                "mode",
                "insecure",
                "keystore",
                "x",
                "keystore-password",
                "y");
        refuses(
                "sallyport.tls.keystore-password: must be set",
                "keystore",
                first.file().toString());
        refuses("there is no such file", "keystore", "/nowhere/x.p12", "keystore-password", "x");
        refuses("is a directory", "keystore", directory.toString(), "keystore-password", "x");
        refuses(
                "sallyport.tls.keystore-password: is not the password of the file",
                "keystore",
                first.file().toString(),
                "keystore-password",
                Certified.PASSWORD + "x");
        refuses("is no PKCS #12 file", "keystore", file("no.p12", "no"), "keystore-password", "x");
        refuses("two places for the same", "keystore", first.file().toString(), "certificate", "x");
        refuses("sallyport.tls.key: must be set with", "certificate", file("c.crt", first.certificate()));
        refuses("sallyport.tls.certificate: must be set with", "key", file("c.key", first.key()));
        refuses(
                "the certificate is not that of the key",
                "certificate",
                file("d.crt", first.certificate()),
                "key",
                file("d.key", second.key()));
        refuses("has no certificate", "certificate", file("e.crt", ""), "key", file("e.key", first.key()));
        refuses(
                "has a damaged certificate",
                "certificate",
                file("f.crt", Certified.pem("CERTIFICATE", new byte[] {1})),
                "key",
                file("f.key", first.key()));
        refuses(
                "openssl pkcs8 -topk8",
                "certificate",
                file("g.crt", first.certificate()),
                "key",
                file("g.key", Certified.pem("RSA PRIVATE KEY", new byte[] {1})));
        refuses(
                "has a damaged key",
                "certificate",
                file("h.crt", first.certificate()),
                "key",
                file("h.key", Certified.pem("PRIVATE KEY", new byte[] {1})));
        refuses(
                "sallyport.tls.truststore: must be set where sallyport.tls.mode is mtls",
                "mode",
                "mtls",
                "keystore",
                first.file().toString(),
                "keystore-password",
                Certified.PASSWORD);
        refuses(
                "is of no use unless sallyport.tls.mode is mtls",
                "keystore",
                first.file().toString(),
                "keystore-password",
                Certified.PASSWORD,
                "truststore",
                "x");
        refuses(
                "has no certificate of an authority",
                "mode",
                "mtls",
                "keystore",
                first.file().toString(),
                "keystore-password",
                Certified.PASSWORD,
                "truststore",
                file("t.pem", "-----BEGIN NOTHING-----\n-----END NOTHING-----"));
    }

    @Test
    void aKeystoreWithTwoKeysSaysWhichToUseNowhere() throws Exception {
        Certified both = Certified.make(directory, "both");
        both.add(first);

        refuses(
                "must have one key with its certificate, and has 2",
                "keystore",
                both.file().toString(),
                "keystore-password",
                Certified.PASSWORD);
    }

    @Test
    void aCertificateThatIsOverOrHasNotBegunIsRefused() throws Exception {
        ServerTls tls = tls("keystore", first.file().toString(), "keystore-password", Certified.PASSWORD);

        assertThatThrownBy(() -> tls.check(InstantSource.fixed(Instant.now().plus(Duration.ofDays(365)))))
                .hasMessageStartingWith("sallyport.tls.keystore: the certificate has expired: it was good until ");
        assertThatThrownBy(() -> tls.check(InstantSource.fixed(Instant.now().minus(Duration.ofDays(1)))))
                .hasMessageStartingWith("sallyport.tls.keystore: the certificate is not good before ");
    }

    @Test
    void nothingIsAskedOfAServiceInTheClear() throws Exception {
        tls("mode", "insecure").check(NOW);
        assertThat(tls("mode", "insecure").mode()).isEqualTo(TlsMode.INSECURE);
    }
}
