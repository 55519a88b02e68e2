package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.capability.JsonSchemaValidator.SchemaViolation;
import org.sallyport.tool.Json;

class CachingSchemaValidatorTest {
    private static final Json ORDER = new Json("""
            {"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"$ref": \
            "#/$defs/item"}}},
             "$defs": {"item": {"type": "object", "required": ["price"], "properties": {"price": {"type": \
            "number"}}}}}""");

    private final CachingSchemaValidator schemas = new CachingSchemaValidator();

    @Test
    void violationNamesItsJsonPointer() {
        assertThat(schemas.schemaError(ORDER)).isEmpty();
        assertThat(schemas.validate(ORDER, new Json("{\"items\":[{\"price\":1}]}")))
                .isEmpty();
        assertThat(schemas.validate(ORDER, new Json("{\"items\":[{\"price\":1},{\"price\":\"2\"}]}")))
                .map(SchemaViolation::pointer)
                .contains("/items/1/price");
        assertThat(schemas.validate(ORDER, new Json("{}")))
                .map(SchemaViolation::pointer)
                .contains("");
        assertThat(schemas.validate(ORDER, Json.NULL)).isPresent();
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
    void invalidSchemaIsRefused(String schema) {
        assertThat(schemas.schemaError(new Json(schema))).isPresent();
    }

    @Test
    void selfReferencingSchemaIsRefusedOrFailsValidation() {
        Json endless = new Json("{\"$ref\": \"#\"}");
        assertThat(schemas.schemaError(endless).isPresent()
                        || schemas.validate(endless, Json.NULL).isPresent())
                .isTrue();
    }
}
