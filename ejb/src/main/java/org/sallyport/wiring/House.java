package org.sallyport.wiring;

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
import org.sallyport.messaging.Destinations;

/**
 * Builds every room once, in the order in which they need each other, and takes them down in reverse. Listeners and
 * resources get the rooms from {@link RoomProducers}.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionManagement(TransactionManagementType.BEAN)
@ConnectionFactoryDefinition(
        name = House.CONNECTIONS,
        interfaceName = "jakarta.jms.ConnectionFactory",
        resourceAdapter = Destinations.FACTORY_ADAPTER,
        minPoolSize = 0, // Connections are made past the pool.
        transactionSupport = TransactionSupport.TransactionSupportLevel.NoTransaction)
public class House {
    static final String CONNECTIONS = "java:app/jms/sallyport";

    @Resource(lookup = CONNECTIONS)
    ConnectionFactory connections;

    @Inject
    RoomProducers producers;

    @Inject
    BeanManager beans;

    private final Shutdown shutdown = new Shutdown();

    @PostConstruct
    void build() {
        try {
            producers.stand(new Building(connections, BeansOfApplication.find(beans), shutdown).rooms(), shutdown::end);
        } catch (IOException e) {
            throw failed(new IllegalStateException("the data directory cannot be used: " + e.getMessage(), e));
        } catch (RuntimeException e) {
            throw failed(e);
        } catch (Error e) {
            failed(new IllegalStateException(e));
            throw e;
        }
    }

    private RuntimeException failed(RuntimeException why) {
        producers.never(why);
        shutdown.run();
        shutdown.end();
        return why;
    }

    @PreDestroy
    void takeDown() {
        try {
            shutdown.run();
        } finally {
            producers.letGo();
        }
    }
}
