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

/** A certificate authority that stores the certificates that it issues in files of its own directory. */
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

    /** Its own certificate as PEM. */
    public Path certificateFile() {
        return files.certificate();
    }

    /** Its own certificate in a PKCS #12 file. */
    public Path trustStore() {
        return TestCertificate.store(root.trustStore(), directory.resolve("trust.p12"));
    }

    /** A context that trusts only this authority and presents the given certificate, if present. */
    public SSLContext clientContext(Optional<CertificateFiles> own) {
        return clientContext("TLSv1.3", own);
    }

    /** Like {@link #clientContext(Optional)}, with the newest protocol version to support. */
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
