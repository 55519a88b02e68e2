package org.sallyport.store.jpa;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;
import org.sallyport.tool.JsonSanitizer;

/** Stores JSON as text that is valid JSON in the column, too. */
@Converter
public final class JsonConverter implements AttributeConverter<@Nullable Json, @Nullable String> {
    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable Json json) {
        return json == null ? null : JsonSanitizer.sanitize(json.text());
    }

    @Override
    public @Nullable Json convertToEntityAttribute(@Nullable String stored) {
        return stored == null ? null : new Json(stored);
    }
}
