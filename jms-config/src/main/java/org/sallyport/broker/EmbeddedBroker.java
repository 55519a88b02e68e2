package org.sallyport.broker;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMRegistry;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.jspecify.annotations.Nullable;

/**
 * A broker in this process that owns its data directory exclusively. It is ready after {@link #start}. Close stores
 * durable messages and stops it. A broker that can no longer write, because the disk is full, is restarted until it
 * can.
 */
final class EmbeddedBroker implements Closeable {
    private static final Logger LOG = System.getLogger(EmbeddedBroker.class.getName());
    private static final long RETRY_MILLIS = 2_000;
    private static final int IN_VM_ID = 0;

    private final Configuration configuration;
    private final BrokerSecurityManager accounts;
    private final FileChannel lock;
    private final AtomicBoolean restarting = new AtomicBoolean();
    private volatile ActiveMQServer server;
    private volatile @Nullable ActiveMQServer failedServer;
    private volatile boolean closed;

    private EmbeddedBroker(Configuration configuration, BrokerSecurityManager accounts, FileChannel lock)
            throws Exception {
        this.configuration = configuration;
        this.accounts = accounts;
        this.lock = lock;
        this.server = startServer();
    }

    /** Starts a broker. Fails immediately when another broker uses the directory. */
    static EmbeddedBroker start(Configuration configuration, Path data, BrokerSecurityManager accounts)
            throws Exception {
        BrokerLogConfig.apply();
        FileChannel lock = lock(data);
        BrokerConfiguration.setDataDirectory(data, configuration);
        try {
            EmbeddedBroker broker = new EmbeddedBroker(configuration, accounts, lock);
            accounts.setConnectionControl(broker.new EmbeddedConnectionControl());
            broker.restartIfFailed();
            return broker;
        } catch (Exception e) {
            lock.close();
            throw e;
        }
    }

    private ActiveMQServer startServer() throws Exception {
        ActiveMQServer begun = ActiveMQServers.newActiveMQServer(configuration, null, accounts);
        begun.registerIOCriticalErrorListener((error, what, file) -> {
            failedServer = begun;
            restart(begun, error);
        });
        try {
            begun.start();
            if (!begun.waitForActivation(30, TimeUnit.SECONDS)) {
                throw new IOException("The broker did not start within 30 seconds");
            }
            return begun;
        } catch (Exception e) {
            stop(begun);
            throw e;
        }
    }

    /**
     * Restarts the broker on a new thread. The broker calls this method on one of its own threads. A stop waits for
     * the end of these threads, so on such a thread it would wait for itself.
     */
    private void restart(ActiveMQServer failed, Throwable error) {
        if (!closed && failed == server && restarting.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, "The message broker cannot write to its disk and is restarted", error);
            Thread thread = new Thread(() -> restart(failed), "sallyport-broker-restart");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void restart(ActiveMQServer failed) {
        stop(failed);
        String said = "";
        while (!closed && restarting.get()) {
            try {
                if (InVMRegistry.instance.getAcceptor(IN_VM_ID) != null) {
                    // A broker that did not stop cleanly leaves its acceptor registered, which would block the next
                    // broker.
                    InVMRegistry.instance.unregisterAcceptor(IN_VM_ID);
                }
                replaceServer(startServer());
                restarting.set(false);
                LOG.log(Level.INFO, "The message broker is back");
                restartIfFailed();
            } catch (Exception e) {
                if (!said.equals(e.toString())) {
                    said = e.toString();
                    LOG.log(Level.WARNING, "The message broker could not be restarted; trying again: {0}", said);
                }
                pause();
            }
        }
    }

    private synchronized void replaceServer(ActiveMQServer begun) {
        server = begun;
        if (closed) {
            stop(begun);
        }
    }

    /** A broker that failed before it was assigned has not triggered a restart. */
    private void restartIfFailed() {
        ActiveMQServer failed = failedServer;
        if (failed != null && failed == server) {
            restart(failed, new IOException("it failed while it started"));
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Best effort: the failed broker cannot write. */
    private static void stop(ActiveMQServer failed) {
        try {
            failed.stop();
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "The broker that failed did not stop cleanly", e);
        }
    }

    /** Acts on the current server, which a restart replaces. */
    private final class EmbeddedConnectionControl implements BrokerSecurityManager.ConnectionControl {
        /** Otherwise the broker keeps the results of authentication and authorization for ten seconds. */
        @Override
        public void clearCaches() {
            server.getActiveMQServerControl().clearAuthenticationCache();
            server.getActiveMQServerControl().clearAuthorizationCache();
        }

        @Override
        public void closeConnections(String user) {
            try {
                server.getActiveMQServerControl().closeConnectionsForUser(user);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    ActiveMQServer server() {
        return server;
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
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

    /** Also creates the parent data directory if it does not exist yet; both are accessible only to their owner. */
    private static void createPrivately(Path directory) throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectories(directory);
        }
    }

    /** Artemis would wait forever for its own lock without a message. */
    private static FileChannel lock(Path directory) throws IOException {
        createPrivately(directory);
        FileChannel channel =
                FileChannel.open(directory.resolve("in-use"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // This process already holds the lock; handled like a lock of another process.
        }
        channel.close();
        throw new IOException("Another process uses the broker data in " + directory);
    }
}
