package org.sallyport.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** The trusted certificates. Immutable. */
record TrustedCertificates(int count, X509ExtendedTrustManager trustManager) {
    /**
     * Their file: PEM, or PKCS #12 with a password.
     *
     * @param setting the setting that names the file
     */
    record TrustedCertificatesFile(Path file, Optional<String> password, String setting, String passwordSetting)
            implements ReloadingFile.FileParser<TrustedCertificates> {
        @Override
        public List<FileSnapshot> readFiles() throws TlsConfigurationException {
            return List.of(FileSnapshot.of(file, setting));
        }

        @Override
        public TrustedCertificates parse(List<FileSnapshot> content, Instant now) throws TlsConfigurationException {
            byte[] bytes = content.get(0).bytes();
            List<X509Certificate> certificates = PemContent.isPem(bytes)
                    ? PemContent.read(bytes, setting).certificates()
                    : readStore(Pkcs12File.open(bytes, password.orElse(""), setting, passwordSetting), setting);
            if (certificates.isEmpty()) {
                throw new TlsConfigurationException(setting, "contains no CA certificate");
            }
            return of(certificates);
        }
    }

    private static List<X509Certificate> readStore(KeyStore store, String setting) throws TlsConfigurationException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            for (String alias : Collections.list(store.aliases())) {
                Certificate certificate = store.getCertificate(alias);
                if (store.isCertificateEntry(alias) && certificate instanceof X509Certificate x509) {
                    certificates.add(x509);
                }
            }
        } catch (GeneralSecurityException e) {
            throw new TlsConfigurationException(setting, "cannot be read");
        }
        return certificates;
    }

    private static TrustedCertificates of(List<X509Certificate> certificates) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < certificates.size(); i++) {
                store.setCertificateEntry("authority-" + i, certificates.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509ExtendedTrustManager trust) {
                    return new TrustedCertificates(certificates.size(), trust);
                }
            }
        } catch (GeneralSecurityException | java.io.IOException e) {
            throw new IllegalStateException("every Java VM can validate certificates", e);
        }
        throw new IllegalStateException("every Java VM can validate certificates");
    }

    @Override
    public String toString() {
        return count + (count == 1 ? " authority" : " authorities");
    }
}
