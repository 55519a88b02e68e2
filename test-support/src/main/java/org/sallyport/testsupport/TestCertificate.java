package org.sallyport.testsupport;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;

/**
 * A private key with its certificate. Immutable and thread-safe.
 *
 * @param chain the certificate of the key, then that of each issuer
 */
public record TestCertificate(PrivateKey key, List<X509Certificate> chain) {
    /** The password of all keystores that this class creates, and of their keys. */
    public static final String PASSWORD = "not-a-secret";

    public TestCertificate {
        chain = List.copyOf(chain);
    }

    /**
     * Returns a builder for a certificate.
     *
     * @param subject a distinguished name, such as {@code CN=server}
     */
    public static CertificateBuilder of(String subject) {
        return new CertificateBuilder(subject);
    }

    /** Returns the certificate of the key. */
    public X509Certificate certificate() {
        return chain.get(0);
    }

    /** Returns a new keystore in memory with the key and its chain as the entry {@code own}. */
    public KeyStore keyStore() {
        try {
            KeyStore store = emptyStore();
            store.setKeyEntry("own", key, PASSWORD.toCharArray(), chain.toArray(X509Certificate[]::new));
            return store;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("cannot make a keystore", e);
        }
    }

    /** Returns a new keystore in memory with only the last certificate of the chain. */
    public KeyStore trustStore() {
        try {
            KeyStore store = emptyStore();
            store.setCertificateEntry("authority", chain.get(chain.size() - 1));
            return store;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("cannot make a truststore", e);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the chain in PEM. */
    public String certificatePem() {
        StringBuilder pem = new StringBuilder();
        for (X509Certificate certificate : chain) {
            try {
                pem.append(pem("CERTIFICATE", certificate.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new AssertionError("cannot encode a certificate", e);
            }
        }
        return pem.toString();
    }

    /** Returns the key in PEM (PKCS #8, not encrypted). */
    public String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    /** Returns a block of a PEM file. */
    public static String pem(String label, byte[] content) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n";
    }

    /**
     * Writes the key and its chain to files with this base name in a directory. Only the owner may read the file of the
     * key.
     */
    public CertificateFiles write(Path directory, String name) {
        CertificateFiles files = CertificateFiles.in(directory, name);
        store(keyStore(), files.store());
        try {
            Files.writeString(files.certificate(), certificatePem());
            Files.writeString(files.key(), keyPem());
            Files.setPosixFilePermissions(files.key(), PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** Writes a keystore to a file, protected by {@link #PASSWORD}, and returns the file. */
    public static Path store(KeyStore store, Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
            return file;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("cannot write a keystore", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
