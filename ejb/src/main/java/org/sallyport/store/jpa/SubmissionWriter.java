package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.callback.CallbackUris;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.tool.JsonSanitizer;
import org.sallyport.tracecontext.TraceContext;

/**
 * Stores each submission once: the primary key of the idempotency keys decides which of two concurrent submissions is
 * first. Thread-safe.
 */
final class SubmissionWriter {
    private static final SecureRandom SECURE_RANDOM = new SecureRandom();
    private static final UUID NO_EXECUTION = new UUID(0, 0);

    private final Database database;
    private final long firstCheckMillis;

    SubmissionWriter(Database database, Duration firstCheck) {
        this.database = database;
        this.firstCheckMillis = firstCheck.toMillis();
    }

    InsertResult insert(NewExecution execution) {
        return insert(execution, session -> write(session, execution));
    }

    /** @param writing writes the execution within the transaction that stores its key */
    InsertResult insert(NewExecution execution, Consumer<EntityManager> writing) {
        IdempotencyKey idempotency = execution.idempotencyKey().orElse(null);
        if (idempotency == null) {
            return storeWithoutKey(execution, writing);
        }
        IdempotencyKeyEntity key = new IdempotencyKeyEntity(execution, idempotency);
        InsertResult earlier = findByIdempotencyKey(key);
        return earlier != null ? earlier : storeAsFirst(execution, key, writing);
    }

    /** If an execution with this unique id is stored already, its caller repeats a write without an answer. */
    private InsertResult storeWithoutKey(NewExecution execution, Consumer<EntityManager> writing) {
        try {
            return store(execution, null, writing);
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e) || !isStored(execution)) {
                throw e;
            }
            return new InsertResult.ExecutionInserted(execution.id());
        }
    }

    private boolean isStored(NewExecution execution) {
        return database.read(session -> ExecutionQueries.findState(session, execution.tenant(), execution.id()))
                .isPresent();
    }

    Optional<InsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency) {
        return Optional.ofNullable(findByIdempotencyKey(new IdempotencyKeyEntity(tenant, idempotency, NO_EXECUTION)));
    }

    private InsertResult storeAsFirst(
            NewExecution execution, IdempotencyKeyEntity key, Consumer<EntityManager> writing) {
        try {
            return store(execution, key, writing);
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e) && !SqlErrorClassifier.isLockTimeout(e)) {
                throw e;
            }
            InsertResult first = findByIdempotencyKey(key);
            return first != null ? first : new InsertResult.ExecutionInsertInProgress();
        }
    }

    private InsertResult store(
            NewExecution execution, @Nullable IdempotencyKeyEntity key, Consumer<EntityManager> writing) {
        database.requireDiskSpace();
        Function<EntityManager, InsertResult> work = session -> {
            if (key != null) {
                // First, so that a second submission with the same key waits here and has stored nothing yet.
                session.persist(key);
                session.flush();
            }
            writing.accept(session);
            return new InsertResult.ExecutionInserted(execution.id());
        };
        // Not in a group commit with a key: the insert may wait for another transaction and must not delay other
        // writers.
        return key == null ? database.writeInGroupCommit(textLength(execution), work) : database.write(work);
    }

    private static long textLength(NewExecution execution) {
        return (long) execution.code().length()
                + execution.args().text().length()
                + execution.context().text().length();
    }

    /** Writes an execution within a transaction of the caller that writes more. */
    void write(EntityManager session, NewExecution execution) {
        insertExecution(session, execution);
        AdmissionWriter.write(session, execution, firstCheckMillis);
        execution.rerun().ifPresent(rerun -> recordOrigin(session, execution.id(), rerun));
        execution.capability().ifPresent(use -> recordOrigin(session, execution, use.ref()));
        execution.cacheOptions().savedScriptName().ifPresent(name -> recordScript(session, execution.id(), name));
        session.persist(new ExecutionInputEntity(execution, seed(session, execution)));
        SearchTerms.termsOf(execution)
                .forEach(term ->
                        session.persist(new ExecutionTermEntity(execution.id().value(), term, execution.tenant())));
        execution.cacheOptions().resultKey().ifPresent(key -> session.persist(new ResultKeyEntity(execution, key)));
        execution.callback().ifPresent(url -> insertCallback(session, execution, url));
        if (execution.trace().filter(TraceContext::isSampled).isPresent()) {
            JpaBatchStore.nativeQuery(
                            session,
                            JpaSpanOutbox.INSERT_PENDING,
                            execution.id().value())
                    .executeUpdate();
        }
    }

    private static void insertCallback(EntityManager session, NewExecution execution, String url) {
        JpaBatchStore.nativeQuery(
                        session,
                        CallbackStatements.INSERT,
                        execution.id().value(),
                        LosslessText.encode(execution.tenant()),
                        LosslessText.encode(url),
                        LosslessText.encode(CallbackUris.host(url)))
                .executeUpdate();
    }

    private static void recordOrigin(EntityManager session, NewExecution execution, CapabilityRef capability) {
        session.createNamedQuery(ExecutionStatements.MARK_CAPABILITY)
                .setParameter(1, execution.id().value())
                .setParameter(2, capability.toString())
                .executeUpdate();
        session.persist(new CapabilityRunEntity(execution, capability));
    }

    /** Records the saved script that an execution runs, or under whose name its script is saved. */
    static void recordScript(EntityManager session, ExecutionId id, String name) {
        session.createNamedQuery(ExecutionStatements.MARK_SCRIPT)
                .setParameter(1, id.value())
                .setParameter(2, name)
                .executeUpdate();
    }

    private static void recordOrigin(EntityManager session, ExecutionId id, RerunOrigin rerun) {
        session.createNamedQuery(ExecutionStatements.MARK_RERUN)
                .setParameter(1, id.value())
                .setParameter(2, rerun.original().toString())
                .setParameter(3, rerun.mode().name())
                .setParameter(4, rerun.fromCall())
                .setParameter(5, rerun.edited())
                .executeUpdate();
    }

    /**
     * Returns the seed of the original execution for a re-run that uses its recording and for the execution of an
     * approved plan; otherwise a new seed.
     */
    private static String seed(EntityManager session, NewExecution execution) {
        return execution
                .rerun()
                .filter(rerun -> rerun.usesRecording() || execution.effects() instanceof EffectMode.ApprovedPlan)
                .flatMap(rerun -> ExecutionQueries.findSeed(session, rerun.original()))
                .orElseGet(SubmissionWriter::seed);
    }

    /**
     * Returns a new seed of 24 random bytes, in Base64. It must be unpredictable, because scripts derive secrets from
     * it.
     */
    static String seed() {
        byte[] bytes = new byte[24];
        SECURE_RANDOM.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private void insertExecution(EntityManager session, NewExecution execution) {
        session.createNamedQuery(ExecutionStatements.INSERT)
                .setParameter(1, execution.id().value())
                .setParameter(2, LosslessText.encode(execution.tenant()))
                .setParameter(3, LosslessText.encode(execution.submitter()))
                .setParameter(4, execution.language().name())
                .setParameter(5, execution.priority())
                .setParameter(6, LosslessText.encode(CodePreview.of(execution.code())))
                .setParameter(
                        7,
                        JsonSanitizer.sanitize(
                                JsonColumnCodec.ofMap(execution.labels()).text()))
                .setParameter(8, execution.limits().wallMillis())
                .setParameter(9, firstCheckMillis)
                .setParameter(10, execution.tier().name())
                .setParameter(11, execution.durability().text())
                .executeUpdate();
    }

    private @Nullable InsertResult findByIdempotencyKey(IdempotencyKeyEntity key) {
        IdempotencyKeyEntity first =
                database.read(session -> session.find(IdempotencyKeyEntity.class, key.primaryKey()));
        if (first == null) {
            return null;
        }
        ExecutionId id = new ExecutionId(first.executionId);
        if (first.executionId.equals(key.executionId)) {
            // The caller repeats a write without an answer.
            return new InsertResult.ExecutionInserted(id);
        }
        return first.bodyHash.equals(key.bodyHash)
                ? new InsertResult.ExecutionAlreadyInserted(id)
                : new InsertResult.ExecutionKeyConflict();
    }
}
