package org.sallyport.store.jpa;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Converts instants to and from {@code timestamp with time zone}, truncated to microseconds. */
@Converter(autoApply = true)
public final class InstantConverter implements AttributeConverter<@Nullable Instant, @Nullable OffsetDateTime> {
    @Override
    public @Nullable OffsetDateTime convertToDatabaseColumn(@Nullable Instant instant) {
        return instant == null ? null : instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    }

    @Override
    public @Nullable Instant convertToEntityAttribute(@Nullable OffsetDateTime stored) {
        return stored == null ? null : stored.toInstant();
    }
}
