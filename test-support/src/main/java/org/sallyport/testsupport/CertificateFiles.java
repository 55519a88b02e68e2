package org.sallyport.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The files of a key and its certificate.
 *
 * @param store PKCS #12: the key and its chain
 * @param certificate PEM: the chain
 * @param key PEM
 */
public record CertificateFiles(Path store, Path certificate, Path key) {
    static CertificateFiles in(Path directory, String name) {
        return new CertificateFiles(
                directory.resolve(name + ".p12"), directory.resolve(name + ".crt"), directory.resolve(name + ".key"));
    }

    /**
     * Moves these files to the paths of {@code other}, replacing its files. Each move is atomic; the three together are
     * not.
     */
    public void replace(CertificateFiles other) {
        move(store, other.store);
        move(certificate, other.certificate);
        move(key, other.key);
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
