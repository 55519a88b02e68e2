package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.schedule.PutRowsResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleRowsStore;

/** Stores the rows of schedules in the database. Thread-safe. */
public final class JpaScheduleRowsStore implements ScheduleRowsStore {
    private static final int CHUNK_BYTES = 512 << 10;

    private final Database database;

    public JpaScheduleRowsStore(Database database) {
        this.database = database;
    }

    @Override
    public PutRowsResult putRows(Schedule seen, ScheduleRows rows, InputStream content, long maxTenantBytes) {
        database.requireDiskSpace();
        UUID id = seen.id().value();
        String tenant = LosslessText.encode(seen.tenant());
        try {
            return database.write(seen.tenant(), session -> {
                Object others = JpaBatchStore.nativeQuery(session, ScheduleStatements.BYTES_OF_OTHERS, tenant, id)
                        .getSingleResult();
                if (((Number) others).longValue() + rows.bytes() > maxTenantBytes) {
                    return PutRowsResult.TOO_MANY_BYTES;
                }
                // Before the lock, because a large file takes a while and the lock keeps users from changing the
                // schedule.
                insertChunks(session, tenant, id, rows.fileId(), content);
                if (JpaBatchStore.nativeQuery(session, ScheduleStatements.LOCK_VERSION, id, seen.version())
                        .getResultList()
                        .isEmpty()) {
                    throw new ScheduleChangedException();
                }
                JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE_OTHER_CHUNKS, id, tenant, rows.fileId())
                        .executeUpdate();
                JpaBatchStore.nativeQuery(session, ScheduleStatements.DELETE_ROWS, id, tenant)
                        .executeUpdate();
                JpaBatchStore.nativeQuery(
                                session,
                                ScheduleStatements.INSERT_ROWS,
                                id,
                                rows.fileId(),
                                rows.contentType(),
                                rows.bytes(),
                                rows.sha256(),
                                rows.count(),
                                rows.refused(),
                                LosslessText.encode(rows.uploadedBy()))
                        .executeUpdate();
                JpaBatchStore.nativeQuery(
                                session, ScheduleStatements.UPDATE_OWNER, id, LosslessText.encode(rows.uploadedBy()))
                        .executeUpdate();
                return PutRowsResult.STORED;
            });
        } catch (ScheduleChangedException e) {
            return PutRowsResult.CHANGED;
        }
    }

    private static void insertChunks(
            EntityManager session, String tenant, UUID schedule, UUID file, InputStream content) {
        try {
            int index = 0;
            for (byte[] chunk = content.readNBytes(CHUNK_BYTES);
                    chunk.length > 0;
                    chunk = content.readNBytes(CHUNK_BYTES)) {
                JpaBatchStore.nativeQuery(
                                session, ScheduleStatements.INSERT_CHUNK, tenant, schedule, file, index++, chunk)
                        .executeUpdate();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean copyRows(ScheduleId id, ScheduleRows rows, OutputStream out) {
        long written = 0;
        for (int index = 0; written < rows.bytes(); index++) {
            Optional<byte[]> chunk = findChunk(id, rows.fileId(), index);
            if (chunk.isEmpty()) {
                return false;
            }
            try {
                out.write(chunk.get());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            written += chunk.get().length;
        }
        return true;
    }

    private Optional<byte[]> findChunk(ScheduleId id, UUID file, int index) {
        List<?> found = database.read(
                session -> JpaBatchStore.nativeQuery(session, ScheduleStatements.FIND_CHUNK, id.value(), file, index)
                        .getResultList());
        return found.stream().findFirst().map(byte[].class::cast);
    }
}
