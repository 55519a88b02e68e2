package org.sallyport.submission;

import org.sallyport.schedule.Schedule;

/** The due times of schedules that submit batches, until a node claims them. One thread uses it. */
interface ScheduledBatchQueue {

    /** Queues a due time that was found early enough. See {@link org.sallyport.schedule.ScheduleBatchStore#queue}. */
    void queue(Schedule schedule);

    /** Claims queued times and submits their batches in the background, as many as this node has free slots for. */
    void startQueued();
}
