package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.store.jpa.CommitFaults.CommitFault;

/** Which failed writes may be stored. */
class StoreUnavailableTest {
    private final CommitFaults faults = new CommitFaults();
    private final TestDatabase database = TestDatabase.h2(faults);

    @BeforeEach
    void table() {
        database.database()
                .write(session -> session.createNativeQuery("create table uncertain_write (id integer primary key)")
                        .executeUpdate());
    }

    @AfterEach
    void close() throws Exception {
        faults.reset();
        database.close();
    }

    private static Function<EntityManager, Integer> insert(int key) {
        return session -> session.createNativeQuery("insert into uncertain_write (id) select cast(?1 as integer)"
                        + " where not exists (select 1 from uncertain_write where id = ?1)")
                .setParameter(1, key)
                .executeUpdate();
    }

    private long rows() {
        return database.database()
                .read(session -> ((Number) session.createNativeQuery("select count(*) from uncertain_write")
                                .getSingleResult())
                        .longValue());
    }

    @Test
    void commitWithoutAnAnswerMayBeStored() {
        faults.loseAnswer(CommitFault.ANSWER_LOST, () -> database.database().write(insert(1)));
        assertThat(rows()).isEqualTo(1);

        faults.loseAnswer(CommitFault.NOT_COMMITTED, () -> database.database().write(insert(2)));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void commitWithoutAnAnswerMayBeStoredLater() throws Exception {
        faults.loseAnswer(CommitFault.LATE, () -> database.database().write(insert(1)));
        assertThat(rows()).isZero();

        assertThat(faults.repeat(this::rows)).isZero();
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void onlyTheChosenCommitFails() throws Exception {
        int inserted = faults.repeatAfter(
                CommitFault.ANSWER_LOST,
                2,
                () -> database.database().write(insert(1)) + database.database().write(insert(2)));

        assertThat(inserted).as("rows that the second run inserts").isZero();
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void failedStatementIsNotStored() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> database.database().write(session -> {
                    assertThat(insert(1).apply(session)).isEqualTo(1);
                    throw new IllegalStateException(new SQLException("connection reset", "08006"));
                }))
                .satisfies(away -> assertThat(away.maybeStored()).isFalse());
        assertThat(rows()).isZero();
    }

    private static StoreUnavailableException translate(@Nullable String state, boolean committing) {
        RuntimeException failure = new IllegalStateException(new SQLException("no answer", state));
        return (StoreUnavailableException) SqlErrorClassifier.translate(failure, committing);
    }

    @ParameterizedTest
    @CsvSource({
        "08006, true",
        "40003, true",
        "53300, true",
        "57P01, true",
        "58030, true",
        "90098, true",
        "XX000, true",
        "40001, false",
        "40P01, false",
        "55P03, false",
        "HYT00, false",
        "90131, false"
    })
    void commitThatMustHaveBeenRolledBackIsNotStored(String state, boolean maybeStored) {
        assertThat(translate(state, true).maybeStored()).isEqualTo(maybeStored);
        assertThat(SqlErrorClassifier.isContention(translate(state, true))).isNotEqualTo(maybeStored);
        assertThat(translate(state, false).maybeStored()).isFalse();
    }

    @Test
    void commitThatFailsWithoutAnSqlStateMayBeStored() {
        assertThat(translate(null, true).maybeStored()).isTrue();
        assertThat(translate(null, false).maybeStored()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"22001", "23505", "42601", "0A000"})
    void refusedStatementIsNoMissingAnswer(String state) {
        RuntimeException failure = new IllegalStateException(new SQLException("wrong", state));
        assertThat(SqlErrorClassifier.translate(failure, true)).isSameAs(failure);
    }

    /** EclipseLink executes the inserts of persisted entities within the commit. */
    @Test
    void statementThatFailsWithinTheCommitIsNotStored() throws Exception {
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("insert into demo_count (tenant, name, total, calls) values ('t', 'n', 1, 1)");

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> database.database().write(session -> {
                        session.persist(new DemoCountEntity(new DemoCountEntity.DemoCountPrimaryKey("t", "n")));
                        return session;
                    }))
                    .satisfies(away ->
                            assertThat(away.maybeStored()).as(away.getMessage()).isFalse());
        }
    }
}
