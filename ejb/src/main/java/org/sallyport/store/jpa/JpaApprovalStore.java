package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalContext;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.approval.VoteResult;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.UnknownWriteRepeater;
import org.sallyport.tool.JsonSanitizer;

/**
 * Stores approvals in the database. A transaction that decides an approval locks the approval first and its execution
 * second, never in the reverse order. Thread-safe.
 */
public final class JpaApprovalStore implements ApprovalStore {
    private static final String FIND_BY_CALL =
            "select a from ApprovalEntity a where a.executionId = :execution and a.call = :call"
                    + " and a.kind = :kind and a.round = :round";
    private static final String FIND_EXECUTION_WIDE = "select a from ApprovalEntity a where a.executionId = :execution"
            + " and a.kind = :kind and a.hash = :hash and a.rule = :rule and a.wholeExecution = true and a.state = "
            + ":approved";
    private static final String LIST = "select a from ApprovalEntity a where a.tenant = :tenant and a.id < :before"
            + " order by a.tenant, a.id desc";
    private static final String LIST_OPEN = "select a from ApprovalEntity a, ExecutionEntity e where a.tenant = :tenant"
            + " and a.state = :pending and a.id < :before and e.id = a.executionId and e.finishedAt is null"
            + " order by a.tenant, a.state, a.id desc";
    private static final String LIST_PENDING = "select a from ApprovalEntity a where a.executionId = :execution"
            + " and a.tenant = :tenant and a.state = :pending and a.id > :after order by a.id";
    private static final String BACKGROUNDS = "select a.id, i.intent, k.name from ApprovalEntity a"
            + " join ExecutionInputEntity i on i.executionId = a.executionId"
            + " left join ApiKeyEntity k on k.id = a.requester and k.tenant = a.tenant"
            + " where a.tenant = :tenant and a.id in :approvals";
    private static final String VOTERS =
            "select v.voter from ApprovalVoteEntity v where v.approvalId = :approval order by v.at, v.voter";
    private static final UUID MIN_ID = new UUID(0, 0);
    private static final UUID MAX_ID = new UUID(-1, -1);
    private static final ApprovalVote EXPIRY_VOTE =
            new ApprovalVote("", false, false, Optional.empty(), Optional.empty(), "no approver decided in time");

    private final Database database;
    private final Supplier<UUID> ids;
    private final ApprovalReminderWriter reminders;

    /** @param ids generates increasing ids */
    public JpaApprovalStore(Database database, Supplier<UUID> ids) {
        this.database = database;
        this.ids = ids;
        this.reminders = new ApprovalReminderWriter(database, ids);
    }

    @Override
    public Approval requestApproval(ApprovalRequest question) {
        return database.writeWithDuplicateRetry(session -> {
            ApprovalEntity known = findByCall(session, question);
            if (known == null) {
                insert(session, question);
                known = findByCall(session, question);
            }
            if (known == null) {
                throw new IllegalStateException("there is no execution " + question.execution());
            }
            if (known.state == ApprovalState.PENDING) {
                applyEarlierApproval(session, known);
            }
            return toApproval(session, known);
        });
    }

    private static @Nullable ApprovalEntity findByCall(EntityManager session, ApprovalRequest question) {
        return session.createQuery(FIND_BY_CALL, ApprovalEntity.class)
                .setParameter("execution", question.execution().value())
                .setParameter("call", question.call())
                .setParameter("kind", question.kind())
                .setParameter("round", question.round())
                .getResultStream()
                .findFirst()
                .orElse(null);
    }

    private void insert(EntityManager session, ApprovalRequest question) {
        session.createNamedQuery(ApprovalStatements.ASK)
                .setParameter(1, ids.get())
                .setParameter(2, question.execution().value())
                .setParameter(3, question.call())
                .setParameter(4, question.kind().name())
                .setParameter(5, question.round())
                .setParameter(6, LosslessText.encode(question.tool().toString()))
                .setParameter(7, JsonSanitizer.sanitize(question.arguments().text()))
                .setParameter(8, question.hash())
                .setParameter(9, LosslessText.encode(question.rule()))
                .setParameter(10, LosslessText.encode(question.terms().reason()))
                .setParameter(11, question.terms().requiredApprovals())
                .setParameter(
                        12,
                        ApprovalEntity.kindAtExpiry(question.terms().expiryAction())
                                .name())
                .setParameter(13, question.terms().timeout().toMillis())
                .setParameter(14, question.terms().reminders().leadTime().toMillis())
                .setParameter(15, question.terms().reminders().interval().toMillis())
                .setParameter(16, question.terms().reminders().maxCount())
                .setParameter(
                        17,
                        question.terms()
                                .expiryAction()
                                .value()
                                .map(value -> JsonSanitizer.sanitize(value.text()))
                                .orElse(""))
                .executeUpdate();
    }

    /** Applies an earlier approval of the same call that covers the whole execution, if there is one. */
    private static void applyEarlierApproval(EntityManager session, ApprovalEntity asked) {
        if (asked.kind != ApprovalKind.CALL) {
            return;
        }
        session.createQuery(FIND_EXECUTION_WIDE, ApprovalEntity.class)
                .setParameter("execution", asked.executionId)
                .setParameter("kind", asked.kind)
                .setParameter("hash", asked.hash)
                .setParameter("rule", asked.rule)
                .setParameter("approved", ApprovalState.APPROVED)
                // Each later approval of the call is one as well, and all of them have its arguments.
                .setMaxResults(1)
                .getResultStream()
                .findFirst()
                .ifPresent(before -> {
                    ApprovalVote same = new ApprovalVote(
                            before.decidedBy == null ? "" : before.decidedBy,
                            true,
                            true,
                            Optional.ofNullable(before.edited),
                            Optional.empty(),
                            before.note == null ? "" : before.note);
                    session.refresh(asked, LockModeType.PESSIMISTIC_WRITE);
                    if (asked.state == ApprovalState.PENDING) {
                        asked.decide(ApprovalState.APPROVED, same, now(session));
                        asked.notified = true;
                    }
                });
    }

    @Override
    public Optional<Approval> find(String tenant, UUID id) {
        return database.read(tenant, session -> findRow(session, tenant, id).map(row -> toApproval(session, row)));
    }

    private static Optional<ApprovalEntity> findRow(EntityManager session, String tenant, UUID id) {
        return Optional.ofNullable(session.find(ApprovalEntity.class, id)).filter(row -> row.tenant.equals(tenant));
    }

    @Override
    public List<Approval> list(String tenant, boolean open, Optional<UUID> before, int limit) {
        return database.read(tenant, session -> {
            var query = session.createQuery(open ? LIST_OPEN : LIST, ApprovalEntity.class)
                    .setParameter("tenant", tenant)
                    .setParameter("before", before.orElse(MAX_ID))
                    .setMaxResults(limit);
            if (open) {
                query.setParameter("pending", ApprovalState.PENDING);
            }
            return query.getResultStream().map(row -> toApproval(session, row)).toList();
        });
    }

    @Override
    public Map<UUID, ApprovalContext> findContexts(String tenant, List<UUID> approvals) {
        if (approvals.isEmpty()) {
            return Map.of();
        }
        return database.read(
                tenant,
                session -> session.createQuery(BACKGROUNDS, Object[].class)
                        .setParameter("tenant", tenant)
                        .setParameter("approvals", approvals)
                        .getResultStream()
                        .collect(Collectors.toMap(
                                row -> (UUID) row[0],
                                row -> new ApprovalContext(
                                        Optional.ofNullable((String) row[1]), Optional.ofNullable((String) row[2])))));
    }

    @Override
    public List<Approval> listPending(String tenant, ExecutionId execution, Optional<UUID> after, int limit) {
        return database.read(
                tenant,
                session -> session.createQuery(LIST_PENDING, ApprovalEntity.class)
                        .setParameter("execution", execution.value())
                        .setParameter("tenant", tenant)
                        .setParameter("pending", ApprovalState.PENDING)
                        .setParameter("after", after.orElse(MIN_ID))
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(row -> toApproval(session, row))
                        .toList());
    }

    @Override
    public VoteResult vote(String tenant, UUID id, ApprovalVote ballot) {
        return UnknownWriteRepeater.repeatIfUnknown(
                () -> vote(tenant, id, ballot, false), () -> vote(tenant, id, ballot, true));
    }

    /** @param repeated whether this vote may be stored already */
    private VoteResult vote(String tenant, UUID id, ApprovalVote ballot, boolean repeated) {
        return database.write(tenant, session -> {
            ApprovalEntity row = session.find(ApprovalEntity.class, id, LockModeType.PESSIMISTIC_WRITE);
            if (row == null || !row.tenant.equals(tenant)) {
                return new VoteResult.VoteApprovalNotFound();
            }
            List<String> voters = voters(session, row);
            Optional<VoteResult> stored = repeated ? findStored(session, row, ballot, voters) : Optional.empty();
            if (stored.isPresent()) {
                return stored.get();
            }
            ExecutionEntity execution = session.find(ExecutionEntity.class, row.executionId);
            Instant now = now(session);
            Optional<VoteResult> rejection = findLinkRejection(session, row, ballot, now);
            if (rejection.isPresent()) {
                return rejection.get();
            }
            if (row.state != ApprovalState.PENDING
                    || !row.expiresAt.isAfter(now)
                    || ballot.approve() && voters.contains(ballot.voter())) {
                return new VoteResult.VoteTooLate(row.toApproval(voters));
            } else if (execution == null || execution.state.isTerminal()) {
                return new VoteResult.VoteExecutionEnded(row.toApproval(voters));
            }
            ballot.linkId().flatMap(used -> findLink(session, used)).ifPresent(used -> used.usedAt = now);
            if (ballot.approve()) {
                voters = addVote(session, row, ballot, voters);
                if (voters.size() < row.approvers) {
                    return new VoteResult.VoteCounted(row.toApproval(voters));
                }
            }
            row.decide(ballot.approve() ? ApprovalState.APPROVED : ApprovalState.DENIED, ballot, now);
            Optional<ExecutionJob> woken = wake(session, row.executionId);
            row.notified = woken.isPresent();
            return new VoteResult.VoteDecided(row.toApproval(voters), woken);
        });
    }

    /**
     * Returns the result of a vote that is stored already; empty if it is not. The sweeper sends the job of the
     * execution that the stored vote has resumed.
     */
    private static Optional<VoteResult> findStored(
            EntityManager session, ApprovalEntity row, ApprovalVote ballot, List<String> voters) {
        boolean linkUsed = ballot.linkId()
                .map(id -> findLink(session, id)
                        .filter(link -> link.isUsedFor(row.id, ballot.voter()))
                        .isPresent())
                .orElse(true);
        ApprovalState meant = ballot.approve() ? ApprovalState.APPROVED : ApprovalState.DENIED;
        if (linkUsed && row.state == meant && ballot.voter().equals(row.decidedBy)) {
            return Optional.of(new VoteResult.VoteDecided(row.toApproval(voters), Optional.empty()));
        }
        return linkUsed && ballot.approve() && voters.contains(ballot.voter())
                ? Optional.of(new VoteResult.VoteCounted(row.toApproval(voters)))
                : Optional.empty();
    }

    /**
     * Returns why the link of a vote is invalid; empty if the vote used no link or a valid one. The caller has locked
     * the approval, so that transactions that would use or remove the link wait.
     */
    private static Optional<VoteResult> findLinkRejection(
            EntityManager session, ApprovalEntity approval, ApprovalVote ballot, Instant now) {
        return ballot.linkId()
                .flatMap(id -> findLink(session, id)
                        .map(link -> link.findVoteRejection(approval.id, ballot.voter(), now))
                        .orElseGet(() -> Optional.of(new VoteResult.VoteLinkInvalid())));
    }

    private static Optional<ApprovalLinkEntity> findLink(EntityManager session, UUID id) {
        return Optional.ofNullable(session.find(ApprovalLinkEntity.class, id));
    }

    private static List<String> addVote(
            EntityManager session, ApprovalEntity row, ApprovalVote ballot, List<String> before) {
        session.persist(new ApprovalVoteEntity(row.id, ballot.voter()));
        List<String> voters = new ArrayList<>(before);
        voters.add(ballot.voter());
        return voters;
    }

    @Override
    public void markNotified(UUID id) {
        database.write(session -> {
            ApprovalEntity row = session.find(ApprovalEntity.class, id);
            if (row != null && !row.notified) {
                row.notified = true;
            }
            return row;
        });
    }

    @Override
    public boolean resumeIfDecided(ExecutionId execution) {
        return database.write(session -> notifyDecisions(session, execution.value()))
                .isPresent();
    }

    private static Optional<ExecutionJob> notifyDecisions(EntityManager session, UUID execution) {
        List<ApprovalEntity> unnotified = session.createQuery(
                        "select a from ApprovalEntity a where a.executionId = :execution and a.notified = false"
                                + " and a.state <> :pending",
                        ApprovalEntity.class)
                .setParameter("execution", execution)
                .setParameter("pending", ApprovalState.PENDING)
                .getResultList();
        unnotified.forEach(row -> row.notified = true);
        session.flush(); // the approvals are locked first
        return unnotified.isEmpty() ? Optional.empty() : wake(session, execution);
    }

    @Override
    public List<ExecutionJob> sweep(int limit) {
        List<ExecutionJob> woken = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            // One transaction per approval: two transactions that each lock several executions could deadlock.
            Optional<Optional<ExecutionJob>> one = database.write(JpaApprovalStore::expireOne);
            if (one.isEmpty()) {
                break;
            }
            one.get().ifPresent(woken::add);
        }
        for (UUID execution : findUnnotified(limit)) {
            database.write(session -> notifyDecisions(session, execution)).ifPresent(woken::add);
        }
        return woken;
    }

    /**
     * Expires one approval that was not decided in time. Returns empty if there is none, otherwise the job of the
     * resumed execution, if one resumes.
     */
    private static Optional<Optional<ExecutionJob>> expireOne(EntityManager session) {
        List<?> found = session.createNamedQuery(ApprovalStatements.EXPIRED)
                .setParameter(1, 1)
                .getResultList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        ApprovalEntity row = session.find(ApprovalEntity.class, (UUID) found.get(0));
        row.decide(ApprovalState.EXPIRED, EXPIRY_VOTE, now(session));
        Optional<ExecutionJob> job = wake(session, row.executionId);
        ExecutionEntity execution = session.find(ExecutionEntity.class, row.executionId);
        row.notified = job.isPresent() || execution == null || execution.state.isTerminal();
        return Optional.of(job);
    }

    @Override
    public int recordDueReminders(int limit) {
        return reminders.remind(limit);
    }

    private Set<UUID> findUnnotified(int limit) {
        Set<UUID> executions = new LinkedHashSet<>();
        List<?> found = database.read(session -> session.createNamedQuery(ApprovalStatements.UNNOTIFIED)
                .setParameter(1, limit)
                .getResultList());
        found.forEach(id -> executions.add((UUID) id));
        return executions;
    }

    /** Resumes an execution that is parked for approvals. Returns empty if it is not parked for approvals. */
    private static Optional<ExecutionJob> wake(EntityManager session, UUID execution) {
        List<?> parked = session.createNamedQuery(ApprovalStatements.PARKED)
                .setParameter(1, execution)
                .getResultList();
        if (parked.isEmpty()) {
            return Optional.empty();
        }
        Object[] row = (Object[]) parked.get(0);
        FencingToken fence = ExecutionQueries.toFencingToken(row);
        OrphanQueries.resume(session, fence);
        return Optional.of(new ExecutionJob(
                fence.id(), LosslessText.decode((String) row[2]), ((Number) row[3]).intValue(), fence.attempt()));
    }

    private static Approval toApproval(EntityManager session, ApprovalEntity row) {
        return row.toApproval(row.approvers == 1 && row.decidedBy == null ? List.of() : voters(session, row));
    }

    private static List<String> voters(EntityManager session, ApprovalEntity row) {
        return session.createQuery(VOTERS, String.class)
                .setParameter("approval", row.id)
                .getResultStream()
                .map(LosslessText::decode)
                .toList();
    }

    static Instant now(EntityManager session) {
        return ExecutionQueries.toInstant(
                session.createNamedQuery(ApprovalStatements.NOW).getSingleResult());
    }
}
