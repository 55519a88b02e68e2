package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.schedule.Schedule;

/** Finds the owners of schedules that are due. Pauses a schedule whose owner may not submit. Thread-safe. */
public final class ScheduleOwnerFinder {
    private final ApiKeyService keys;
    private final ScheduleDelayRecorder delays;

    public ScheduleOwnerFinder(ApiKeyService keys, ScheduleDelayRecorder delays) {
        this.keys = keys;
        this.delays = delays;
    }

    /** Returns the owner; empty if the schedule was paused. */
    Optional<Caller> find(Schedule schedule) {
        Optional<Caller> owner = keys.findCaller(schedule.owner())
                .filter(caller -> caller.tenant().equals(schedule.tenant()));
        if (owner.isEmpty()) {
            delays.stop(schedule, "the key of its owner is no longer valid");
        } else if (!owner.get().roles().contains(Role.SUBMITTER)
                && !owner.get().roles().contains(Role.ADMIN)) {
            delays.stop(schedule, "the key of its owner may no longer submit");
            return Optional.empty();
        }
        return owner;
    }
}
