package org.sallyport.server;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.resource.ConnectionFactoryDefinition;
import jakarta.resource.spi.TransactionSupport;
import java.io.IOException;
import org.sallyport.messaging.JmsDestinations;

/**
 * Creates all services once, in the order of their dependencies, and closes them in reverse order. Listeners and
 * resources get the services from {@link ServiceProducers}.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionManagement(TransactionManagementType.BEAN)
@ConnectionFactoryDefinition(
        name = ServerLifecycle.CONNECTION_FACTORY,
        interfaceName = "jakarta.jms.ConnectionFactory",
        resourceAdapter = JmsDestinations.FACTORY_ADAPTER,
        minPoolSize = 0, // Connections are created outside the pool.
        transactionSupport = TransactionSupport.TransactionSupportLevel.NoTransaction)
public class ServerLifecycle {
    static final String CONNECTION_FACTORY = "java:app/jms/sallyport";

    @Resource(lookup = CONNECTION_FACTORY)
    ConnectionFactory connections;

    @Inject
    ServiceProducers producers;

    @Inject
    BeanManager beans;

    private final ShutdownSequence shutdown = new ShutdownSequence();

    @PostConstruct
    void start() {
        try {
            producers.complete(
                    new ServerAssembly(connections, BackendBeanFinder.find(beans), shutdown).assemble(),
                    shutdown::closeLast);
        } catch (IOException e) {
            throw abortStart(new IllegalStateException("the data directory cannot be used: " + e.getMessage(), e));
        } catch (RuntimeException e) {
            throw abortStart(e);
        } catch (Error e) {
            abortStart(new IllegalStateException(e));
            throw e;
        }
    }

    private RuntimeException abortStart(RuntimeException why) {
        producers.fail(why);
        shutdown.run();
        shutdown.closeLast();
        return why;
    }

    @PreDestroy
    void stop() {
        try {
            shutdown.run();
        } finally {
            producers.releaseListeners();
        }
    }
}
