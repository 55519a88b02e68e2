package org.sallyport.bench.floor;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/** Extracts the configuration of the broker from the shipped resource adapter archive. */
final class BrokerXmlExtractor {
    private static final String JAR = "sallyport-jms-config";
    private static final String ENTRY = "org/sallyport/broker/broker.xml";

    private BrokerXmlExtractor() {}

    /** Writes the configuration to {@code broker.xml} in {@code directory} and returns this file. */
    static Path extract(Path archive, Path directory) throws IOException {
        try (ZipFile rar = new ZipFile(archive.toFile())) {
            ZipEntry jar = rar.stream()
                    .filter(entry -> entry.getName().startsWith(JAR))
                    .findFirst()
                    .orElseThrow(() -> new IOException(JAR + " is missing in " + archive));
            try (InputStream in = rar.getInputStream(jar)) {
                Path file = directory.resolve("broker.xml");
                Files.write(file, readEntry(in.readAllBytes()));
                return file;
            }
        }
    }

    private static byte[] readEntry(byte[] jar) throws IOException {
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                if (entry.getName().equals(ENTRY)) {
                    return in.readAllBytes();
                }
            }
        }
        throw new IOException(ENTRY + " is missing in " + JAR);
    }
}
