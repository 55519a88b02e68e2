package org.sallyport.store.jpa;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import org.jspecify.annotations.Nullable;

/** Applies {@link LosslessText} to every text that may come from outside the service. */
@Converter
public final class LosslessTextConverter implements AttributeConverter<@Nullable String, @Nullable String> {
    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable String text) {
        return text == null ? null : LosslessText.encode(text);
    }

    @Override
    public @Nullable String convertToEntityAttribute(@Nullable String stored) {
        return stored == null ? null : LosslessText.decode(stored);
    }
}
