package com.example.freight;

import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/** Tariffs by country. */
@ApplicationScoped
public class FreightTariffs {
    private static final Map<String, FreightTariff> TARIFFS = Map.of(
            "DE", new FreightTariff(new BigDecimal("1.20"), 1),
            "SE", new FreightTariff(new BigDecimal("2.50"), 3));

    /** Price and duration of transports to one country. */
    public record FreightTariff(BigDecimal pricePerKilogram, int days) {}

    /** Returns the tariff of a country; empty if there are no transports to it. */
    public Optional<FreightTariff> find(String country) {
        return Optional.ofNullable(TARIFFS.get(country));
    }
}
