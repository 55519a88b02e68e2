package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.HexFormat;

/** The first message of a TLS client, with a version and a cipher suite that Java itself does not offer. */
public final class RawTlsClientHello {
    /** Record type of a server that continues the handshake. */
    public static final int HANDSHAKE_RECORD = 0x16;

    /** Groups x25519 and secp256r1, uncompressed points, signatures by ECDSA and RSA with SHA-256 and SHA-1. */
    private static final String EXTENSIONS =
            "000a00060004001d0017" + "000b00020100" + "000d000a0008" + "0403040102030201";

    private RawTlsClientHello() {}

    /**
     * Returns the type of the record with which the server answers, or -1 if it closes the connection.
     *
     * @param version two bytes as hexadecimal digits
     * @param suite two bytes as hexadecimal digits
     */
    public static int sendAndReadRecordType(URI server, String version, String suite) {
        String random = "5a".repeat(32);
        String body = version + random + "00" + "0002" + suite + "0100" + encodeLength(EXTENSIONS, 2) + EXTENSIONS;
        String handshake = "01" + encodeLength(body, 3) + body;
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(HexFormat.of().parseHex("160301" + encodeLength(handshake, 2) + handshake));
            return socket.getInputStream().read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String encodeLength(String digits, int bytes) {
        return String.format("%0" + bytes * 2 + "x", digits.length() / 2);
    }
}
