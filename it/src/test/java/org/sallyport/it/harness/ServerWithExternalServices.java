package org.sallyport.it.harness;

/**
 * A server whose database and message broker are processes of their own; it differs from others by its settings alone.
 *
 * @param broker may be killed and begun again
 * @param database may be stopped and begun again
 */
public record ServerWithExternalServices(BrokerProcess broker, PostgreSql database, SallyportServer server)
        implements AutoCloseable {

    /** Starts broker and database, and begins to start the server. */
    public static ServerWithExternalServices launch(ServerSetup setup) {
        BrokerProcess broker = BrokerProcess.start();
        PostgreSql database = PostgreSql.start();
        return new ServerWithExternalServices(
                broker, database, broker.configure(database.configure(setup)).launch());
    }

    /** Ends all three and removes their data. */
    @Override
    public void close() {
        server.close();
        broker.close();
        database.close();
    }
}
