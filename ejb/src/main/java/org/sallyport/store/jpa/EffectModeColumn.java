package org.sallyport.store.jpa;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;

/**
 * Converts the effect mode of an execution to and from its column. The column is null for real effects, the common
 * case.
 */
final class EffectModeColumn {
    /** The limits are wide enough to read back every accepted value. */
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNestingDepth(2_000)
                    .build())
            .build());

    private static final Json READ_ONLY = new Json("{\"readOnly\":true}");

    private EffectModeColumn() {}

    static @Nullable Json of(EffectMode effects) {
        if (effects instanceof EffectMode.DryRun dry) {
            ObjectNode json = JSON.createObjectNode();
            json.putRawValue("fixtures", new RawValue(dry.fixtures().text()));
            return new Json(json.toString());
        } else if (effects instanceof EffectMode.ApprovedPlan planned) {
            return new Json(JSON.createObjectNode()
                    .put("plan", planned.plan().toString())
                    .put("approver", planned.approver())
                    .toString());
        } else if (effects instanceof EffectMode.ReadOnlyEffects) {
            return READ_ONLY;
        }
        return null;
    }

    static EffectMode toEffectMode(@Nullable Json column) {
        if (column == null) {
            return EffectMode.REAL;
        } else if (column.equals(READ_ONLY)) {
            return EffectMode.READ_ONLY;
        }
        JsonNode json = read(column);
        return ExecutionId.parse(json.path("plan").asText())
                .<EffectMode>map(plan ->
                        new EffectMode.ApprovedPlan(plan, json.path("approver").asText()))
                .orElseGet(() ->
                        new EffectMode.DryRun(new Json(json.path("fixtures").toString())));
    }

    private static JsonNode read(Json column) {
        try {
            return JSON.readTree(column.text());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the stored effect mode of an execution cannot be parsed", e);
        }
    }
}
