package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.callback.CallbackUrl;
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.Rerun;
import org.sallyport.tracecontext.TraceContext;

/** Stores submissions, each once: the primary key of the client's keys decides who was first. */
final class Acceptances {
    private static final SecureRandom SEEDS = new SecureRandom();

    private final Database database;
    private final long firstCheckMillis;

    Acceptances(Database database, Duration firstCheck) {
        this.database = database;
        this.firstCheckMillis = firstCheck.toMillis();
    }

    Acceptance accept(NewExecution execution) {
        return accept(execution, session -> write(session, execution));
    }

    /** @param writing writes the execution within the transaction that stores its key */
    Acceptance accept(NewExecution execution, Consumer<EntityManager> writing) {
        Idempotency idempotency = execution.idempotency().orElse(null);
        if (idempotency == null) {
            return store(execution, null, writing);
        }
        IdempotencyKeyRow key = new IdempotencyKeyRow(execution, idempotency);
        Acceptance earlier = earlier(key);
        return earlier != null ? earlier : storeAsFirst(execution, key, writing);
    }

    Optional<Acceptance> earlier(NewExecution execution) {
        return execution
                .idempotency()
                .flatMap(idempotency -> Optional.ofNullable(earlier(new IdempotencyKeyRow(execution, idempotency))));
    }

    private Acceptance storeAsFirst(NewExecution execution, IdempotencyKeyRow key, Consumer<EntityManager> writing) {
        try {
            return store(execution, key, writing);
        } catch (RuntimeException e) {
            if (!SqlFailures.isDuplicate(e) && !SqlFailures.isLockTimeout(e)) {
                throw e;
            }
            Acceptance first = earlier(key);
            return first != null ? first : new Acceptance.InProgress();
        }
    }

    private Acceptance store(NewExecution execution, @Nullable IdempotencyKeyRow key, Consumer<EntityManager> writing) {
        database.requireRoom();
        Function<EntityManager, Acceptance> work = session -> {
            if (key != null) {
                // Before anything else, so that a second submission of the key waits here and has stored nothing.
                session.persist(key);
                session.flush();
            }
            writing.accept(session);
            return new Acceptance.Stored(execution.id());
        };
        // A key may have to wait for another's transaction: nobody is to wait with it.
        return key == null ? database.writeShared(work) : database.write(work);
    }

    /** Writes an execution within a transaction that does more. */
    void write(EntityManager session, NewExecution execution) {
        insert(session, execution);
        Admissions.write(session, execution, firstCheckMillis);
        execution.rerun().ifPresent(rerun -> mark(session, execution.id(), rerun));
        execution.capability().ifPresent(use -> mark(session, execution, use.ref()));
        session.persist(new InputRow(execution, seed(session, execution)));
        Marks.of(execution)
                .forEach(mark ->
                        session.persist(new ExecutionMarkRow(execution.id().value(), mark, execution.tenant())));
        execution.reuse().resultKey().ifPresent(key -> session.persist(new ResultKeyRow(execution, key)));
        execution.callback().ifPresent(url -> tell(session, execution, url));
        if (execution.trace().filter(TraceContext::sampled).isPresent()) {
            JpaBatchStore.query(session, JpaSpanStore.OWE, execution.id().value())
                    .executeUpdate();
        }
    }

    private static void tell(EntityManager session, NewExecution execution, String url) {
        JpaBatchStore.query(
                        session,
                        CallbackStatements.INSERT,
                        execution.id().value(),
                        LosslessText.encode(execution.tenant()),
                        LosslessText.encode(url),
                        LosslessText.encode(CallbackUrl.host(url)))
                .executeUpdate();
    }

    private static void mark(EntityManager session, NewExecution execution, CapabilityRef capability) {
        session.createNamedQuery(ExecutionStatements.MARK_CAPABILITY)
                .setParameter(1, execution.id().value())
                .setParameter(2, capability.toString())
                .executeUpdate();
        session.persist(new CapabilityRunRow(execution, capability));
    }

    private static void mark(EntityManager session, ExecutionId id, Rerun rerun) {
        session.createNamedQuery(ExecutionStatements.MARK_RERUN)
                .setParameter(1, id.value())
                .setParameter(2, rerun.of().toString())
                .setParameter(3, rerun.mode().name())
                .setParameter(4, rerun.from())
                .setParameter(5, rerun.edited())
                .executeUpdate();
    }

    /** What repeats another execution, or is held to it, has the same chance. */
    private static String seed(EntityManager session, NewExecution execution) {
        return execution
                .rerun()
                .filter(rerun -> rerun.repeats() || execution.effects() instanceof Effects.Planned)
                .flatMap(rerun -> ExecutionQueries.seed(session, rerun.of()))
                .orElseGet(Acceptances::seed);
    }

    /** Nobody outside can know it: scripts make secrets of it. */
    static String seed() {
        byte[] bytes = new byte[24];
        SEEDS.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private void insert(EntityManager session, NewExecution execution) {
        session.createNamedQuery(ExecutionStatements.ACCEPT)
                .setParameter(1, execution.id().value())
                .setParameter(2, LosslessText.encode(execution.tenant()))
                .setParameter(3, LosslessText.encode(execution.submitter()))
                .setParameter(4, execution.language().name())
                .setParameter(5, execution.priority())
                .setParameter(6, LosslessText.encode(CodePreview.of(execution.code())))
                .setParameter(
                        7, StorableJson.of(JsonColumns.ofMap(execution.labels()).text()))
                .setParameter(8, execution.limits().wallMillis())
                .setParameter(9, firstCheckMillis)
                .setParameter(10, execution.tier().name())
                .setParameter(11, execution.durability().text())
                .executeUpdate();
    }

    private @Nullable Acceptance earlier(IdempotencyKeyRow key) {
        IdempotencyKeyRow first = database.read(session -> session.find(IdempotencyKeyRow.class, key.key()));
        if (first == null) {
            return null;
        }
        return first.bodyHash.equals(key.bodyHash)
                ? new Acceptance.Replayed(new ExecutionId(first.executionId))
                : new Acceptance.KeyReused();
    }
}
