package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.capability.SchemaCheck.Fault;
import org.sallyport.tool.Json;

class ValueSchemasTest {
    private static final Json ORDER = new Json("""
            {"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
             "$defs": {"item": {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}}}""");

    private final ValueSchemas schemas = new ValueSchemas();

    @Test
    void theFirstFaultHasItsPlace() {
        assertThat(schemas.unusable(ORDER)).isEmpty();
        assertThat(schemas.fault(ORDER, new Json("{\"items\":[{\"price\":1}]}")))
                .isEmpty();
        assertThat(schemas.fault(ORDER, new Json("{\"items\":[{\"price\":1},{\"price\":\"2\"}]}")))
                .map(Fault::pointer)
                .contains("/items/1/price");
        assertThat(schemas.fault(ORDER, new Json("{}"))).map(Fault::pointer).contains("");
        assertThat(schemas.fault(ORDER, Json.NULL)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "[]",
                "{\"type\": \"nothing\"}",
                "{\"$ref\": \"#/$defs/none\"}",
                "{\"$ref\": \"file:///etc/passwd\"}",
                "{\"$ref\": \"http://127.0.0.1:9/x\"}",
                "{\"properties\": {\"a\": {\"$ref\": \"http://127.0.0.1:9/x\"}}}",
                "{\"pattern\": \"(\"}",
                "{\"required\": 7}"
            })
    void whatIsNoSchemaIsRefused(String schema) {
        assertThat(schemas.unusable(new Json(schema))).isPresent();
    }

    @Test
    void oneThatRefersToItselfHarmsNobody() {
        Json endless = new Json("{\"$ref\": \"#\"}");
        assertThat(schemas.unusable(endless).isPresent()
                        || schemas.fault(endless, Json.NULL).isPresent())
                .isTrue();
    }
}
