package org.sallyport.store.jpa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.callback.CallbackUris;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.tool.Json;
import org.sallyport.tool.JsonSanitizer;
import org.sallyport.tracecontext.TraceContext;

/**
 * Writes a batch with its items. Uses plain JDBC, because ten thousand JPA entities would all stay in memory until the
 * commit and cost several times as much. Not thread-safe.
 */
final class BatchSubmissionWriter implements AutoCloseable {
    private static final int JDBC_BATCH_SIZE = 200;
    /** Characters of scripts, arguments and rows that wait for a flush; one item may exceed them. */
    private static final int MAX_PENDING_CHARS = 4 << 20;

    private static final String INSERT_BATCH = """
            insert into batch
                (id, tenant, submitter, total, refused, coalesced, max_parallel, on_failure, active, retry_of,
                capability, row_columns)
            values (?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?)
            """;
    private static final String UPDATE_TOTALS = "update batch set total = ?, refused = ?, coalesced = ? where id = ?";
    private static final String INSERT_ITEM =
            "insert into batch_item (batch_id, item_index, execution_id, problem, status) values (?, ?, ?, ?, ?)";
    private static final String INSERT_ROW =
            "insert into batch_row (batch_id, item_index, source_row) values (?, ?, ?)";

    /** An execution that its batch still holds gets a next check in the year 9999, so that no sweeper picks it up. */
    private static final String INSERT_EXECUTION = """
            insert into execution
                (id, tenant, submitter, state, language, priority, code_preview, labels, wall_millis, tier, durability,
                batch_id, rerun_of, rerun_mode, rerun_from, rerun_edited, capability, saved_script, next_check_at,
                schedule_id)
            values (?, ?, ?, 'PENDING', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                case when cast(? as boolean) then timestamp with time zone '9999-12-31 00:00:00+00:00'
                    else current_timestamp + cast(? as bigint) * interval '0.001' second end, ?)
            """;

    private static final String INSERT_INPUT = """
            insert into execution_input
                (execution_id, code, args, context, grants, intent, cpu_millis, heap_bytes, tool_calls, output_chars, \
            debug, seed,
                effects, callback, trace_context, save_as, script, cost_limit, share_reads, further_limits,
                output_schema, variables, sandbox)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String INSERT_TERM =
            "insert into execution_term (execution_id, term, tenant) values (?, ?, ?)";
    private static final String INSERT_CALLBACK =
            "insert into callback (execution_id, tenant, url, host) values (?, ?, ?, ?)";

    private static final String INSERT_CAPABILITY_RUN =
            "insert into capability_run (execution_id, tenant, name, version) values (?, ?, ?, ?)";

    private static final String INSERT_SPAN_EXPORT = "insert into span_export (execution_id) values (?)";

    private final Connection connection;
    private final NewBatch batch;
    private final @Nullable String schedule;
    private final boolean bounded;
    private final long firstCheckMillis;
    private final PreparedStatement items;
    private final PreparedStatement rows;
    private final PreparedStatement executions;
    private final PreparedStatement inputs;
    private final PreparedStatement terms;
    private final PreparedStatement callbacks;
    private final PreparedStatement spans;
    private final PreparedStatement capabilities;
    private final AdmissionWriter.BulkAdmissionWriter admissions;
    private int total;
    private int refused;
    private int coalesced;
    private int pendingItems;
    private long pendingChars;
    private boolean hasRows;
    private boolean hasCallbacks;
    private boolean hasSpans;
    private boolean hasCapabilities;

    /** @param schedule the schedule that submits the batch, if one does */
    BatchSubmissionWriter(Connection connection, NewBatch batch, long firstCheckMillis, Optional<ScheduleId> schedule)
            throws SQLException {
        this.connection = connection;
        this.schedule = schedule.map(ScheduleId::toString).orElse(null);
        this.batch = batch;
        this.bounded = batch.maxParallel().isPresent();
        this.firstCheckMillis = firstCheckMillis;
        this.items = connection.prepareStatement(INSERT_ITEM);
        this.rows = connection.prepareStatement(INSERT_ROW);
        this.executions = connection.prepareStatement(INSERT_EXECUTION);
        this.inputs = connection.prepareStatement(INSERT_INPUT);
        this.terms = connection.prepareStatement(INSERT_TERM);
        this.callbacks = connection.prepareStatement(INSERT_CALLBACK);
        this.spans = connection.prepareStatement(INSERT_SPAN_EXPORT);
        this.capabilities = connection.prepareStatement(INSERT_CAPABILITY_RUN);
        this.admissions = new AdmissionWriter.BulkAdmissionWriter(connection, firstCheckMillis);
    }

    void write(Iterator<NewBatchItem> all) throws SQLException {
        insertBatch();
        while (all.hasNext()) {
            add(all.next());
        }
        flush();
        try (PreparedStatement totals = connection.prepareStatement(UPDATE_TOTALS)) {
            totals.setInt(1, total);
            totals.setInt(2, refused);
            totals.setInt(3, coalesced);
            totals.setObject(4, batch.id().value());
            totals.executeUpdate();
        }
    }

    private void insertBatch() throws SQLException {
        try (PreparedStatement row = connection.prepareStatement(INSERT_BATCH)) {
            row.setObject(1, batch.id().value());
            row.setString(2, LosslessText.encode(batch.tenant()));
            row.setString(3, LosslessText.encode(batch.submitter()));
            if (batch.maxParallel().isPresent()) {
                row.setInt(4, batch.maxParallel().get());
            } else {
                row.setNull(4, Types.INTEGER);
            }
            row.setString(5, batch.onFailure().name());
            row.setBoolean(6, bounded);
            row.setString(7, batch.retryOf().map(Object::toString).orElse(null));
            row.setString(
                    8,
                    batch.capability()
                            .map(CapabilityRef::toString)
                            .map(LosslessText::encode)
                            .orElse(null));
            row.setString(
                    9,
                    batch.columns().isEmpty()
                            ? null
                            : JsonSanitizer.sanitize(
                                    JsonColumnCodec.ofList(batch.columns()).text()));
            row.executeUpdate();
        }
    }

    private void add(NewBatchItem item) throws SQLException {
        items.setObject(1, batch.id().value());
        items.setInt(2, total);
        if (item instanceof NewBatchItem.AcceptedBatchItem runs) {
            UUID id = runs.execution().id().value();
            items.setObject(3, id);
            items.setNull(4, Types.VARCHAR);
            items.setString(5, bounded ? "QUEUED" : "UNBOUNDED");
            addExecution(runs.execution());
            admissions.add(runs.execution());
            addInput(runs.execution());
            addTerms(runs.execution());
            addCallback(runs.execution());
            addSpans(runs.execution());
            addCapability(runs.execution());
        } else if (item instanceof NewBatchItem.CoalescedBatchItem same) {
            coalesced++;
            items.setObject(3, same.execution().value());
            items.setNull(4, Types.VARCHAR);
            items.setString(5, "DONE");
        } else if (item instanceof NewBatchItem.RejectedBatchItem bad) {
            refused++;
            items.setNull(3, Types.OTHER);
            items.setString(4, JsonSanitizer.sanitize(bad.problem().text()));
            items.setString(5, "DONE");
        }
        items.addBatch();
        addRow(item);
        total++;
        pendingChars += size(item);
        if (++pendingItems == JDBC_BATCH_SIZE || pendingChars > MAX_PENDING_CHARS) {
            flush();
        }
    }

    private void addRow(NewBatchItem item) throws SQLException {
        if (item.row().isPresent()) {
            rows.setObject(1, batch.id().value());
            rows.setInt(2, total);
            rows.setString(3, JsonSanitizer.sanitize(item.row().get().text()));
            rows.addBatch();
            hasRows = true;
        }
    }

    private static long size(NewBatchItem item) {
        long row = item.row().map(json -> json.text().length()).orElse(0);
        return item instanceof NewBatchItem.AcceptedBatchItem runs
                ? row
                        + runs.execution().code().length()
                        + runs.execution().args().text().length()
                        + runs.execution().context().text().length()
                        + runs.execution()
                                .variables()
                                .map(variables -> variables.ciphertext().length())
                                .orElse(0)
                : row;
    }

    private void addExecution(NewExecution execution) throws SQLException {
        RerunOrigin rerun = execution.rerun().orElse(null);
        executions.setObject(1, execution.id().value());
        executions.setString(2, LosslessText.encode(execution.tenant()));
        executions.setString(3, LosslessText.encode(execution.submitter()));
        executions.setString(4, execution.language().name());
        executions.setInt(5, execution.priority());
        executions.setString(6, LosslessText.encode(CodePreview.of(execution.code())));
        executions.setString(
                7,
                JsonSanitizer.sanitize(JsonColumnCodec.ofMap(execution.labels()).text()));
        executions.setLong(8, execution.limits().wallMillis());
        executions.setString(9, execution.tier().name());
        executions.setString(10, execution.durability().text());
        executions.setString(11, batch.id().toString());
        executions.setString(12, rerun == null ? null : rerun.original().toString());
        executions.setString(13, rerun == null ? null : rerun.mode().name());
        executions.setObject(14, rerun == null ? null : (Object) rerun.fromCall(), Types.BIGINT);
        executions.setObject(15, rerun == null ? null : (Object) rerun.edited(), Types.BOOLEAN);
        executions.setString(
                16, execution.capability().map(use -> use.ref().toString()).orElse(null));
        executions.setString(17, execution.cacheOptions().savedScriptName().orElse(null));
        executions.setBoolean(18, bounded);
        executions.setLong(19, firstCheckMillis);
        executions.setString(20, schedule);
        executions.addBatch();
    }

    private void addInput(NewExecution execution) throws SQLException {
        inputs.setObject(1, execution.id().value());
        inputs.setString(2, LosslessText.encode(execution.code()));
        inputs.setString(3, JsonSanitizer.sanitize(execution.args().text()));
        inputs.setString(4, JsonSanitizer.sanitize(execution.context().text()));
        inputs.setString(
                5,
                JsonSanitizer.sanitize(
                        JsonColumnCodec.ofList(execution.grants()).text()));
        inputs.setString(6, execution.intent().map(LosslessText::encode).orElse(null));
        inputs.setLong(7, execution.limits().cpuMillis());
        inputs.setLong(8, execution.limits().heapBytes());
        inputs.setInt(9, execution.limits().toolCalls());
        inputs.setInt(10, execution.limits().outputChars());
        inputs.setString(
                11,
                execution.debug() == DebugMode.NONE ? null : execution.debug().name());
        inputs.setString(12, SubmissionWriter.seed());
        Json effects = EffectModeColumn.of(execution.effects());
        inputs.setString(13, effects == null ? null : JsonSanitizer.sanitize(effects.text()));
        inputs.setString(14, execution.callback().map(LosslessText::encode).orElse(null));
        inputs.setString(15, execution.trace().map(TraceContext::toStoredText).orElse(null));
        inputs.setString(16, execution.cacheOptions().saveAs().orElse(null));
        inputs.setString(17, execution.cacheOptions().savedScriptName().orElse(null));
        inputs.setObject(18, execution.limits().cost().map(Cost::micros).orElse(null), Types.BIGINT);
        inputs.setObject(19, execution.cacheOptions().sharesReads() ? true : null, Types.BOOLEAN);
        Json further = FurtherLimitsColumn.of(execution.limits().additional());
        inputs.setString(20, further == null ? null : JsonSanitizer.sanitize(further.text()));
        Json schema =
                execution.capability().flatMap(CapabilityBinding::outputSchema).orElse(null);
        inputs.setString(21, schema == null ? null : JsonSanitizer.sanitize(schema.text()));
        inputs.setString(
                22, execution.variables().map(PinnedVariables::ciphertext).orElse(null));
        inputs.setString(23, ExecutionInputEntity.sandbox(execution));
        inputs.addBatch();
    }

    private void addSpans(NewExecution execution) throws SQLException {
        if (execution.trace().filter(TraceContext::isSampled).isPresent()) {
            spans.setObject(1, execution.id().value());
            spans.addBatch();
            hasSpans = true;
        }
    }

    private void addCapability(NewExecution execution) throws SQLException {
        if (execution.capability().isPresent()) {
            CapabilityRef ref = execution.capability().get().ref();
            capabilities.setObject(1, execution.id().value());
            capabilities.setString(2, LosslessText.encode(execution.tenant()));
            capabilities.setString(3, ref.name());
            capabilities.setString(4, ref.version());
            capabilities.addBatch();
            hasCapabilities = true;
        }
    }

    private void addTerms(NewExecution execution) throws SQLException {
        for (String term : SearchTerms.termsOf(execution)) {
            terms.setObject(1, execution.id().value());
            terms.setString(2, term);
            terms.setString(3, LosslessText.encode(execution.tenant()));
            terms.addBatch();
        }
    }

    private void addCallback(NewExecution execution) throws SQLException {
        if (execution.callback().isPresent()) {
            String url = execution.callback().get();
            callbacks.setObject(1, execution.id().value());
            callbacks.setString(2, LosslessText.encode(execution.tenant()));
            callbacks.setString(3, LosslessText.encode(url));
            callbacks.setString(4, LosslessText.encode(CallbackUris.host(url)));
            callbacks.addBatch();
            hasCallbacks = true;
        }
    }

    private void flush() throws SQLException {
        executions.executeBatch();
        admissions.flush();
        inputs.executeBatch();
        terms.executeBatch();
        if (hasCallbacks) {
            callbacks.executeBatch();
            hasCallbacks = false;
        }
        if (hasSpans) {
            spans.executeBatch();
            hasSpans = false;
        }
        if (hasCapabilities) {
            capabilities.executeBatch();
            hasCapabilities = false;
        }
        items.executeBatch();
        if (hasRows) {
            rows.executeBatch();
            hasRows = false;
        }
        pendingItems = 0;
        pendingChars = 0;
    }

    @Override
    public void close() throws SQLException {
        items.close();
        rows.close();
        executions.close();
        inputs.close();
        terms.close();
        callbacks.close();
        spans.close();
        admissions.close();
        capabilities.close();
    }
}
