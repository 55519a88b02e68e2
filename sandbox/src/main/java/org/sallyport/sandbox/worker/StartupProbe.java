package org.sallyport.sandbox.worker;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Performs the first steps of a worker with a worker's arguments, then exits; fails where a worker could not run. */
public final class StartupProbe {
    private StartupProbe() {}

    public static void main(String[] args) throws IOException {
        if (!Files.isReadable(Path.of(args[2]))) {
            throw new IOException("native libraries cannot be read");
        }
        SocketChannel.open(UnixDomainSocketAddress.of(args[0])).close();
    }
}
