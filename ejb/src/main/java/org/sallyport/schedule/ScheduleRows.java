package org.sallyport.schedule;

import java.time.Instant;
import java.util.UUID;

/**
 * The stored file of rows of a schedule. Never changes: an upload replaces it as a whole.
 *
 * @param fileId identifies the content
 * @param contentType media type of the content, without parameters
 * @param bytes size of the content
 * @param sha256 hash of the content, hexadecimal
 * @param count number of rows
 * @param refused number of rows that were refused when the file was uploaded
 * @param uploadedBy id of the caller who uploaded it
 * @param uploadedAt when it was uploaded; ignored when it is stored
 */
public record ScheduleRows(
        UUID fileId,
        String contentType,
        long bytes,
        String sha256,
        int count,
        int refused,
        String uploadedBy,
        Instant uploadedAt) {}
