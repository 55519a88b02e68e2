package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Authority;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Broker and database are spoken to by TLS when their URLs say so, as the page on TLS shows, and by nobody's certificate but theirs. */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EncryptedServicesIT {
    private static final Duration START = Duration.ofSeconds(120);

    private final Authority authority = new Authority("Services Root");
    private final Authority other = new Authority("Other Root");
    private final Authority.Issued certificate = authority.issue("CN=services", "san=ip:127.0.0.1");
    private final BrokerProcess broker = BrokerProcess.startEncrypted(certificate);
    private final PostgreSql database = PostgreSql.startEncrypted(certificate);

    @AfterAll
    void end() {
        broker.close();
        database.close();
        authority.close();
        other.close();
    }

    private static String broker(Authority trusted) {
        return "?sslEnabled=true;trustStoreType=PEMCA;trustStorePath=" + trusted.file();
    }

    private static String database(Authority trusted) {
        return "?sslmode=verify-full&sslrootcert=" + trusted.file();
    }

    @Test
    void bothAreSpokenToByTls() {
        ServerSetup setup =
                database.usedBy(broker.usedBy(ServerSetup.fresh("encrypted"), broker(authority)), database(authority));
        try (SallyportServer server = setup.start()) {
            assertThat(server.api()
                            .run(Submission.javascript("return demo.add({ a: 40, b: 2 })"))
                            .path("result")
                            .asInt())
                    .isEqualTo(42);
        }
    }

    @Test
    void aBrokerOfAnotherAuthorityIsNotBelieved() {
        ServerSetup setup =
                database.usedBy(broker.usedBy(ServerSetup.fresh("other-broker"), broker(other)), database(authority));
        refuses(setup, "PKIX path");
    }

    @Test
    void aDatabaseOfAnotherAuthorityIsNotBelieved() {
        ServerSetup setup =
                database.usedBy(broker.usedBy(ServerSetup.fresh("other-database"), broker(authority)), database(other));
        refuses(setup, "PKIX path");
    }

    private static void refuses(ServerSetup setup, String said) {
        try (SallyportServer server = setup.launch()) {
            Await.until("the log says " + said, START, () -> server.logText().contains(said) || !server.isAlive());
            assertThat(server.logText()).contains(said);
            assertThat(server.logText()).doesNotContain(" READY ");
        }
    }
}
