package org.sallyport.it.harness;

/**
 * A server whose database and message broker are processes of their own. Only its settings differ from those of other
 * servers.
 *
 * @param broker may be killed and started again
 * @param database may be stopped and started again
 */
public record ServerWithExternalServices(BrokerProcess broker, PostgreSql database, SallyportServer server)
        implements AutoCloseable {

    /** Starts broker and database, and starts the server without waiting until it is ready. */
    public static ServerWithExternalServices launch(ServerSetup setup) {
        BrokerProcess broker = BrokerProcess.start();
        PostgreSql database = PostgreSql.start();
        return new ServerWithExternalServices(
                broker, database, broker.configure(database.configure(setup)).launch());
    }

    /** Ends all three and deletes their data. */
    @Override
    public void close() {
        server.close();
        broker.close();
        database.close();
    }
}
