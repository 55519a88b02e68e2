package org.sallyport.wiring;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** PEM files of a key and a certificate that it has signed itself, made with the {@code keytool} of the JDK. */
record Certified(Path certificate, Path key) {
    private static final char[] PASSWORD = "not-a-secret".toCharArray();

    static Certified make(Path directory, String name, String extension) {
        Path store = directory.resolve(name + ".p12");
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "own",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=" + name,
                            "-ext",
                            extension,
                            "-keystore",
                            store.toString(),
                            "-storetype",
                            "PKCS12",
                            "-storepass",
                            String.valueOf(PASSWORD))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(said);
            }
            KeyStore read = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                read.load(in, PASSWORD);
            }
            Certified made = new Certified(directory.resolve(name + ".crt"), directory.resolve(name + ".key"));
            Files.writeString(
                    made.certificate,
                    pem("CERTIFICATE", read.getCertificate("own").getEncoded()));
            Files.writeString(
                    made.key, pem("PRIVATE KEY", read.getKey("own", PASSWORD).getEncoded()));
            Files.setPosixFilePermissions(made.key, PosixFilePermissions.fromString("rw-------"));
            return made;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String pem(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + label
                + "-----\n";
    }
}
