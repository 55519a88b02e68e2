package org.sallyport.it.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.sallyport.testsupport.CertificateBuilder;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TestCertificate;

/** A certificate authority with a directory of its own for the files of the certificates that it issues. */
public final class TestCertificateAuthority implements AutoCloseable {
    private final Path directory = ServerSetup.temporaryDirectory();
    private final TestCertificate root;
    private final CertificateFiles files;
    private int issued;

    /** @param name the common name in its certificate */
    public TestCertificateAuthority(String name) {
        root = TestCertificate.of("CN=" + name).authority().selfSigned();
        files = root.write(directory, "authority");
    }

    /** Issues a certificate with subject alternative names such as {@code dns:localhost}. */
    public CertificateFiles issue(String subject, String... names) {
        return issue(TestCertificate.of(subject).subjectAltNames(names));
    }

    /** Issues a certificate and writes it to files. */
    public CertificateFiles issue(CertificateBuilder certificate) {
        return certificate.issuedBy(root).write(directory, "leaf" + ++issued);
    }

    /** Its own certificate, PEM. */
    public Path certificateFile() {
        return files.certificate();
    }

    /** Its own certificate in a PKCS #12 file. */
    public Path trustStore() {
        return TestCertificate.store(root.trustStore(), directory.resolve("trust.p12"));
    }

    /** Trusts this authority alone, and shows the certificate if there is one. */
    public SSLContext clientContext(Optional<CertificateFiles> own) {
        return clientContext("TLSv1.3", own);
    }

    /** The same, with a protocol version that is the newest. */
    public SSLContext clientContext(String newest, Optional<CertificateFiles> own) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(root.trustStore());
            @Nullable KeyManagerFactory keys = null;
            if (own.isPresent()) {
                char[] password = TestCertificate.PASSWORD.toCharArray();
                keys = KeyManagerFactory.getInstance("SunX509");
                keys.init(KeyStore.getInstance(own.get().store().toFile(), password), password);
            }
            SSLContext context = SSLContext.getInstance(newest);
            context.init(keys == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError("no TLS", e);
        }
    }

    @Override
    public void close() {
        DirectoryCleanup.delete(directory);
    }
}
