package org.sallyport.sandbox.worker;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Does what a worker does first, with a worker's arguments, and ends: fails where no worker could live. */
public final class StartupProbe {
    private StartupProbe() {}

    public static void main(String[] args) throws IOException {
        if (!Files.isReadable(Path.of(args[2]))) {
            throw new IOException("native libraries cannot be read");
        }
        SocketChannel.open(UnixDomainSocketAddress.of(args[0])).close();
    }
}
