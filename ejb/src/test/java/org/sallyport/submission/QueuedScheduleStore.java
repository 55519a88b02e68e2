package org.sallyport.submission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore.DueSchedule;

/** Has the queue of due times in memory, and records claims and renewals. A claimed time leaves the queue. */
final class QueuedScheduleStore implements ScheduleBatchStore {
    private final Map<ScheduleId, Schedule> queued = new LinkedHashMap<>();
    final List<ScheduleId> claims = new ArrayList<>();
    final List<Map.Entry<ScheduleId, Duration>> renewals = new ArrayList<>();
    int maxRequested;
    /** Results of claims; a schedule that is not in it is claimed. */
    final Map<ScheduleId, FireResult> results = new HashMap<>();

    @Override
    public void queue(Schedule seen) {
        queued.put(seen.id(), seen);
    }

    @Override
    public List<DueSchedule> findQueued(String afterTenant, int limit) {
        maxRequested = Math.max(maxRequested, limit);
        return queued.values().stream()
                .filter(schedule -> schedule.tenant().compareTo(afterTenant) > 0)
                .sorted(Comparator.comparing(Schedule::tenant))
                .limit(limit)
                .map(schedule -> new DueSchedule(schedule, RecordingScheduleStore.DUE))
                .toList();
    }

    @Override
    public FireResult claim(Schedule seen, FireDecision.FireNow turn, Duration hold, Duration claim) {
        claims.add(seen.id());
        FireResult result = results.getOrDefault(seen.id(), new FireResult.BatchClaimed());
        if (!(result instanceof FireResult.FireSuperseded)) {
            queued.remove(seen.id());
        }
        return result;
    }

    @Override
    public void renewClaim(Schedule seen, Duration claim) {
        renewals.add(Map.entry(seen.id(), claim));
    }

    @Override
    public FireResult fireBatch(
            Schedule seen, FireDecision.FireNow turn, NewBatch batch, Iterator<NewBatchItem> items) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean runBatchNow(Schedule seen, NewBatch batch, Iterator<NewBatchItem> items) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ScheduleBatch> listBatches(String tenant, ScheduleId id, Optional<BatchId> before, int limit) {
        throw new UnsupportedOperationException();
    }
}
