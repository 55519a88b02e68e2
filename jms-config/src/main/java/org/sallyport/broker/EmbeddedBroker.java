package org.sallyport.broker;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;

/**
 * A broker that runs in this process and owns its data directory while it does. Opened ready to use; closing stores
 * what is durable and stops it.
 */
final class EmbeddedBroker implements Closeable {

    private final ActiveMQServer server;
    private final FileChannel lock;

    private EmbeddedBroker(ActiveMQServer server, FileChannel lock) {
        this.server = server;
        this.lock = lock;
    }

    /** Starts a broker; fails at once, saying so, if another one uses the directory. */
    static EmbeddedBroker start(Configuration configuration, Path data, Accounts accounts) throws Exception {
        QuietLogs.apply();
        FileChannel lock = lock(data);
        BrokerConfiguration.storeIn(data, configuration);
        try {
            ActiveMQServer server = ActiveMQServers.newActiveMQServer(configuration, null, accounts);
            server.start();
            if (!server.waitForActivation(30, TimeUnit.SECONDS)) {
                server.stop();
                throw new IOException("The broker did not start within 30 seconds");
            }
            return new EmbeddedBroker(server, lock);
        } catch (Exception e) {
            lock.close();
            throw e;
        }
    }

    ActiveMQServer server() {
        return server;
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("The broker did not stop cleanly", e);
        } finally {
            lock.close();
        }
    }

    /** The data directory above it too, when this is the first that comes to it: what lies there is its owner's alone. */
    private static void createPrivately(Path directory) throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectories(directory);
        }
    }

    /** Artemis would wait for its own lock without an end and without a word. */
    private static FileChannel lock(Path directory) throws IOException {
        createPrivately(directory);
        FileChannel channel =
                FileChannel.open(directory.resolve("in-use"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // Held in this same process: the same answer as for another.
        }
        channel.close();
        throw new IOException("Another process uses the broker data in " + directory);
    }
}
