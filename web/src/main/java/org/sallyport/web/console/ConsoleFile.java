package org.sallyport.web.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.sallyport.web.Sha256Hash;

/**
 * A file of the console, ready to be sent.
 *
 * @param type the media type
 * @param body the bytes
 * @param gzipped the bytes, compressed with gzip
 * @param hash SHA-256 of the bytes, hexadecimal
 */
record ConsoleFile(String type, byte[] body, byte[] gzipped, String hash) {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "txt", "text/plain; charset=utf-8");

    static ConsoleFile of(String name, byte[] body) {
        String ending = name.substring(name.lastIndexOf('.') + 1);
        return new ConsoleFile(
                TYPES.getOrDefault(ending, "application/octet-stream"), body, gzip(body), Sha256Hash.of(body));
    }

    private static byte[] gzip(byte[] body) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(body.length / 3 + 64);
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }
}
