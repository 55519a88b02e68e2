package org.sallyport.store;

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
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Background;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.Question;
import org.sallyport.approval.Tally;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Fence;
import org.sallyport.execution.PendingJob;

/** Approvals in the database. Whoever decides one locks it first and its execution then, never the other way round. */
public final class JpaApprovalStore implements ApprovalStore {
    private static final String SAME = "select a from ApprovalRow a where a.executionId = :execution and a.call = :call"
            + " and a.kind = :kind and a.round = :round";
    private static final String ALLOWED = "select a from ApprovalRow a where a.executionId = :execution"
            + " and a.kind = :kind and a.hash = :hash and a.rule = :rule and a.wholeExecution = true and a.state = :approved";
    private static final String LIST =
            "select a from ApprovalRow a where a.tenant = :tenant and a.id < :before" + " order by a.tenant, a.id desc";
    private static final String OPEN = "select a from ApprovalRow a, ExecutionRow e where a.tenant = :tenant"
            + " and a.state = :pending and a.id < :before and e.id = a.executionId and e.finishedAt is null"
            + " order by a.tenant, a.state, a.id desc";
    private static final String PENDING = "select a from ApprovalRow a where a.executionId = :execution"
            + " and a.tenant = :tenant and a.state = :pending order by a.id";
    private static final String BACKGROUNDS = "select a.id, i.intent, k.name from ApprovalRow a"
            + " join InputRow i on i.executionId = a.executionId"
            + " left join ApiKeyRow k on k.id = a.requester and k.tenant = a.tenant"
            + " where a.tenant = :tenant and a.id in :approvals";
    private static final String VOTERS =
            "select v.voter from ApprovalVoteRow v where v.approvalId = :approval order by v.at, v.voter";
    private static final UUID LARGEST = new UUID(-1, -1);
    private static final Ballot SILENCE =
            new Ballot("", false, false, Optional.empty(), Optional.empty(), "nobody decided in time");

    private final Database database;
    private final Supplier<UUID> ids;
    private final DueReminders reminders;

    /** @param ids gives ids that grow */
    public JpaApprovalStore(Database database, Supplier<UUID> ids) {
        this.database = database;
        this.ids = ids;
        this.reminders = new DueReminders(database, ids);
    }

    @Override
    public Approval ask(Question question) {
        return database.writeAgainIfDuplicate(session -> {
            ApprovalRow known = same(session, question);
            if (known == null) {
                insert(session, question);
                known = same(session, question);
            }
            if (known == null) {
                throw new IllegalStateException("there is no execution " + question.execution());
            }
            if (known.state == ApprovalState.PENDING) {
                allowIfAllowed(session, known);
            }
            return approval(session, known);
        });
    }

    private static @Nullable ApprovalRow same(EntityManager session, Question question) {
        return session.createQuery(SAME, ApprovalRow.class)
                .setParameter("execution", question.execution().value())
                .setParameter("call", question.call())
                .setParameter("kind", question.kind())
                .setParameter("round", question.round())
                .getResultStream()
                .findFirst()
                .orElse(null);
    }

    private void insert(EntityManager session, Question question) {
        session.createNamedQuery(ApprovalStatements.ASK)
                .setParameter(1, ids.get())
                .setParameter(2, question.execution().value())
                .setParameter(3, question.call())
                .setParameter(4, question.kind().name())
                .setParameter(5, question.round())
                .setParameter(6, LosslessText.encode(question.tool().toString()))
                .setParameter(7, StorableJson.of(question.arguments().text()))
                .setParameter(8, question.hash())
                .setParameter(9, LosslessText.encode(question.rule()))
                .setParameter(10, LosslessText.encode(question.terms().reason()))
                .setParameter(11, question.terms().approvers())
                .setParameter(
                        12,
                        ApprovalRow.kindAtExpiry(question.terms().atExpiry()).name())
                .setParameter(13, question.terms().patience().toMillis())
                .setParameter(14, question.terms().reminders().before().toMillis())
                .setParameter(15, question.terms().reminders().every().toMillis())
                .setParameter(16, question.terms().reminders().times())
                .setParameter(
                        17,
                        question.terms()
                                .atExpiry()
                                .value()
                                .map(value -> StorableJson.of(value.text()))
                                .orElse(""))
                .executeUpdate();
    }

    /** Somebody approved the same for the whole execution. */
    private static void allowIfAllowed(EntityManager session, ApprovalRow asked) {
        if (asked.kind != ApprovalKind.CALL) {
            return;
        }
        session.createQuery(ALLOWED, ApprovalRow.class)
                .setParameter("execution", asked.executionId)
                .setParameter("kind", asked.kind)
                .setParameter("hash", asked.hash)
                .setParameter("rule", asked.rule)
                .setParameter("approved", ApprovalState.APPROVED)
                .getResultStream()
                .findFirst()
                .ifPresent(before -> {
                    Ballot same = new Ballot(
                            before.decidedBy == null ? "" : before.decidedBy,
                            true,
                            true,
                            Optional.ofNullable(before.edited),
                            Optional.empty(),
                            before.note == null ? "" : before.note);
                    session.refresh(asked, LockModeType.PESSIMISTIC_WRITE);
                    if (asked.state == ApprovalState.PENDING) {
                        asked.decide(ApprovalState.APPROVED, same, now(session));
                        asked.told = true;
                    }
                });
    }

    @Override
    public Optional<Approval> find(String tenant, UUID id) {
        return database.read(tenant, session -> row(session, tenant, id).map(row -> approval(session, row)));
    }

    private static Optional<ApprovalRow> row(EntityManager session, String tenant, UUID id) {
        return Optional.ofNullable(session.find(ApprovalRow.class, id)).filter(row -> row.tenant.equals(tenant));
    }

    @Override
    public List<Approval> list(String tenant, boolean open, Optional<UUID> before, int limit) {
        return database.read(tenant, session -> {
            var query = session.createQuery(open ? OPEN : LIST, ApprovalRow.class)
                    .setParameter("tenant", tenant)
                    .setParameter("before", before.orElse(LARGEST))
                    .setMaxResults(limit);
            if (open) {
                query.setParameter("pending", ApprovalState.PENDING);
            }
            return query.getResultStream().map(row -> approval(session, row)).toList();
        });
    }

    @Override
    public Map<UUID, Background> backgrounds(String tenant, List<UUID> approvals) {
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
                                row -> new Background(
                                        Optional.ofNullable((String) row[1]), Optional.ofNullable((String) row[2])))));
    }

    @Override
    public List<Approval> pending(String tenant, ExecutionId execution, int limit) {
        return database.read(
                tenant,
                session -> session.createQuery(PENDING, ApprovalRow.class)
                        .setParameter("execution", execution.value())
                        .setParameter("tenant", tenant)
                        .setParameter("pending", ApprovalState.PENDING)
                        .setMaxResults(limit)
                        .getResultStream()
                        .map(row -> approval(session, row))
                        .toList());
    }

    @Override
    public Tally vote(String tenant, UUID id, Ballot ballot) {
        return database.write(tenant, session -> {
            ApprovalRow row = session.find(ApprovalRow.class, id, LockModeType.PESSIMISTIC_WRITE);
            if (row == null || !row.tenant.equals(tenant)) {
                return new Tally.NotFound();
            }
            ExecutionRow execution = session.find(ExecutionRow.class, row.executionId);
            Instant now = now(session);
            Optional<Tally> fault = fault(session, row, ballot, now);
            if (fault.isPresent()) {
                return fault.get();
            }
            List<String> voters = voters(session, row);
            if (row.state != ApprovalState.PENDING
                    || !row.expiresAt.isAfter(now)
                    || ballot.yes() && voters.contains(ballot.by())) {
                return new Tally.TooLate(row.approval(voters));
            } else if (execution == null || execution.state.terminal()) {
                return new Tally.Over(row.approval(voters));
            }
            ballot.link().flatMap(used -> link(session, used)).ifPresent(used -> used.usedAt = now);
            if (ballot.yes()) {
                voters = count(session, row, ballot, voters);
                if (voters.size() < row.approvers) {
                    return new Tally.Counted(row.approval(voters));
                }
            }
            row.decide(ballot.yes() ? ApprovalState.APPROVED : ApprovalState.DENIED, ballot, now);
            Optional<PendingJob> woken = wake(session, row.executionId);
            row.told = woken.isPresent();
            return new Tally.Decided(row.approval(voters), woken);
        });
    }

    /** Why the link that a ballot came by does not count. Whoever else would use it or take it back waits for the approval. */
    private static Optional<Tally> fault(EntityManager session, ApprovalRow approval, Ballot ballot, Instant now) {
        return ballot.link()
                .flatMap(id -> link(session, id)
                        .map(link -> link.fault(approval.id, ballot.by(), now))
                        .orElseGet(() -> Optional.of(new Tally.LinkOver())));
    }

    private static Optional<ApprovalLinkRow> link(EntityManager session, UUID id) {
        return Optional.ofNullable(session.find(ApprovalLinkRow.class, id));
    }

    private static List<String> count(EntityManager session, ApprovalRow row, Ballot ballot, List<String> before) {
        session.persist(new ApprovalVoteRow(row.id, ballot.by()));
        List<String> voters = new ArrayList<>(before);
        voters.add(ballot.by());
        return voters;
    }

    @Override
    public void heard(UUID id) {
        database.write(session -> {
            ApprovalRow row = session.find(ApprovalRow.class, id);
            if (row != null && !row.told) {
                row.told = true;
            }
            return row;
        });
    }

    @Override
    public boolean wake(ExecutionId execution) {
        return database.write(session -> tell(session, execution.value())).isPresent();
    }

    private static Optional<PendingJob> tell(EntityManager session, UUID execution) {
        List<ApprovalRow> untold = session.createQuery(
                        "select a from ApprovalRow a where a.executionId = :execution and a.told = false"
                                + " and a.state <> :pending",
                        ApprovalRow.class)
                .setParameter("execution", execution)
                .setParameter("pending", ApprovalState.PENDING)
                .getResultList();
        untold.forEach(row -> row.told = true);
        session.flush(); // the approvals are locked first
        return untold.isEmpty() ? Optional.empty() : wake(session, execution);
    }

    @Override
    public List<PendingJob> sweep(int limit) {
        List<PendingJob> woken = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            // Each in a transaction of its own: two that hold several executions could wait for each other.
            Optional<Optional<PendingJob>> one = database.write(JpaApprovalStore::expireOne);
            if (one.isEmpty()) {
                break;
            }
            one.get().ifPresent(woken::add);
        }
        for (UUID execution : untold(limit)) {
            database.write(session -> tell(session, execution)).ifPresent(woken::add);
        }
        return woken;
    }

    /** Empty when there is none that nobody has answered in time; otherwise the execution that goes on, if one does. */
    private static Optional<Optional<PendingJob>> expireOne(EntityManager session) {
        List<?> found = session.createNamedQuery(ApprovalStatements.EXPIRED)
                .setParameter(1, 1)
                .getResultList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        ApprovalRow row = session.find(ApprovalRow.class, (UUID) found.get(0));
        row.decide(ApprovalState.EXPIRED, SILENCE, now(session));
        Optional<PendingJob> job = wake(session, row.executionId);
        ExecutionRow execution = session.find(ExecutionRow.class, row.executionId);
        row.told = job.isPresent() || execution == null || execution.state.terminal();
        return Optional.of(job);
    }

    @Override
    public int remind(int limit) {
        return reminders.remind(limit);
    }

    private Set<UUID> untold(int limit) {
        Set<UUID> executions = new LinkedHashSet<>();
        List<?> found = database.read(session -> session.createNamedQuery(ApprovalStatements.UNTOLD)
                .setParameter(1, limit)
                .getResultList());
        found.forEach(id -> executions.add((UUID) id));
        return executions;
    }

    /** Lets an execution go on that is parked for people. */
    private static Optional<PendingJob> wake(EntityManager session, UUID execution) {
        List<?> parked = session.createNamedQuery(ApprovalStatements.PARKED)
                .setParameter(1, execution)
                .getResultList();
        if (parked.isEmpty()) {
            return Optional.empty();
        }
        Object[] row = (Object[]) parked.get(0);
        Fence fence = ExecutionQueries.fence(row);
        Orphans.wake(session, fence);
        return Optional.of(new PendingJob(
                fence.id(), LosslessText.decode((String) row[2]), ((Number) row[3]).intValue(), fence.attempt()));
    }

    private static Approval approval(EntityManager session, ApprovalRow row) {
        return row.approval(row.approvers == 1 && row.decidedBy == null ? List.of() : voters(session, row));
    }

    private static List<String> voters(EntityManager session, ApprovalRow row) {
        return session.createQuery(VOTERS, String.class)
                .setParameter("approval", row.id)
                .getResultStream()
                .map(LosslessText::decode)
                .toList();
    }

    static Instant now(EntityManager session) {
        return ExecutionQueries.instant(
                session.createNamedQuery(ApprovalStatements.NOW).getSingleResult());
    }
}
